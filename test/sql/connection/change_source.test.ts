import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ledgerFollower } from "../../../adapters/sql/change_source.ts"
import {
  type SnapshotId,
  type NodeChange,
  noPartChanged,
  withVersion
} from "../../../core/ports/mod.ts"

/* What a process reports of a ledger that other processes write. */

const snapshotIdOf = (version: number, block: number, batchNum: number | null) => ({
  version,
  ethereumBlockNum: BigInt(block),
  batchNum
})

/** [version, block, batch, last rollback, isNext] */
type Snapshot = readonly [number, number, number, number, boolean]

/**
 * Returns what is published after the snapshots. `stored` are the numbers of the blocks, or null if
 * they cannot be read.
 */
const publishedOf = (
  stored: ReadonlyArray<number> | null,
  ...snapshots: ReadonlyArray<Snapshot>
): ReadonlyArray<string> => {
  const changes: Array<NodeChange> = []
  const follow = ledgerFollower(
    snapshotIdOf(10, 100, 5),
    (change) => changes.push(change),
    (before, after) =>
      Effect.succeed(
        stored === null
          ? null
          : stored.map(BigInt).filter((number) =>
            number > before.ethereumBlockNum && number <= after.ethereumBlockNum
          )
      )
  )
  for (const [version, block, batch, rollBacks, isNext] of snapshots) {
    const rolledBack = withVersion(noPartChanged, ["rollBacks"], rollBacks)
    const parts = version === rollBacks ? rolledBack : withVersion(rolledBack, ["blocks"], version)
    const snapshot = { snapshotId: snapshotIdOf(version, block, batch), parts }
    Effect.runSync(follow({ snapshot, isNext }))
  }
  return changes.map((change) => {
    switch (change.kind) {
      case "block":
        return `block ${change.ethereumBlockNum}`
      case "batch":
        return `batch ${change.batchNum}`
      case "rollBack":
        return `rollBack ${change.toBlock} ${change.lastBatchNum}`
      default:
        return change.kind
    }
  })
}

const published = (...snapshots: ReadonlyArray<Snapshot>) =>
  publishedOf([101, 102, 103], ...snapshots)

describe("the changes of a shared ledger", () => {
  it("are those of each notification", () => {
    assert.deepStrictEqual(
      published([12, 101, 6, 0, true], [13, 99, 4, 13, true], [14, 100, 4, 13, true]),
      ["block 101", "batch 6", "rollBack 99 4", "block 100"]
    )
  })

  it("include all that a poll finds, unless the chain rolled back in between", () => {
    assert.deepStrictEqual(published([15, 103, 7, 9, false]), [
      "block 101",
      "block 102",
      "block 103",
      "batch 6",
      "batch 7"
    ])
    assert.deepStrictEqual(published([15, 103, 7, 11, false]), ["missed"])
    assert.deepStrictEqual(published([15, 90, 3, 15, false]), ["missed"])
    // the rollback was before this notification
    assert.deepStrictEqual(published([15, 103, 7, 14, true]), ["missed"])
  })

  it("include a head, which is above the last block or only names a newer block of the chain", () => {
    const stored = () => Effect.succeed([101n])
    const changes: Array<NodeChange> = []
    const follow = ledgerFollower(
      snapshotIdOf(10, 100, 5),
      (change) => changes.push(change),
      stored
    )
    const arrive = (snapshotId: SnapshotId, head: number, blocks: number, isNext = true) => {
      const parts = withVersion(withVersion(noPartChanged, ["head"], head), ["blocks"], blocks)
      Effect.runSync(follow({ snapshot: { snapshotId, parts }, isNext }))
    }
    arrive({ ...snapshotIdOf(11, 100, 5), headBlockNum: 108n }, 11, 9)
    arrive(snapshotIdOf(12, 100, 5), 12, 9)
    arrive(snapshotIdOf(13, 100, 5), 12, 9)
    arrive({ ...snapshotIdOf(15, 101, 5), headBlockNum: 109n }, 15, 14, false)
    assert.deepStrictEqual(
      changes.map((change) =>
        "ethereumBlockNum" in change ? `${change.kind} ${change.ethereumBlockNum}` : change.kind
      ),
      ["head 108", "head 100", "prices", "block 101", "head 109"]
    )
  })

  it("contain only stored blocks, however many empty ones are between them", () => {
    // one write
    assert.deepStrictEqual(publishedOf(null, [12, 1_000_101, 6, 0, true]), [
      "block 1000101",
      "batch 6"
    ])
    assert.deepStrictEqual(publishedOf([103, 1_000_101], [13, 1_000_101, 6, 0, true]), [
      "block 103",
      "block 1000101",
      "batch 6"
    ])
    // they cannot be read
    assert.deepStrictEqual(publishedOf(null, [13, 1_000_101, 6, 0, true]), ["missed"])
  })

  it("are reported once", () => {
    assert.deepStrictEqual(
      published([12, 101, 6, 0, true], [12, 101, 6, 0, false], [11, 101, 5, 0, true]),
      ["block 101", "batch 6"]
    )
  })
})
