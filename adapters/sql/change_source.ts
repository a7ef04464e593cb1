import { Effect, PubSub, Stream, SubscriptionRef } from "effect"
import type { SqlClient } from "effect/sql"
import {
  type ChangeSource,
  type LedgerReader,
  type SnapshotId,
  type NodeChange,
  synchedBlockNum
} from "../../core/ports/mod.ts"
import { storeFailure } from "./connection/mod.ts"
import {
  type LedgerNotification,
  type LedgerVersions,
  parseVersionPayload,
  versionPayloadSql
} from "./notifications/mod.ts"
import { nextTransition, transitionsFrom } from "./pool/mod.ts"

/** Interval of reading again, in case a read has failed. */
const pollMs = 1000
const pageSize = 1000

/** Returns the changes of ledger and pool by all processes that share the database. */
export const changeSource = (
  sql: SqlClient.SqlClient,
  reader: LedgerReader["Service"],
  { pool, snapshots }: LedgerVersions["Service"]
): ChangeSource =>
(publish) =>
  Effect.gen(function*() {
    const notifications = yield* PubSub.subscribe(snapshots)
    const follow = ledgerFollower(yield* reader.snapshotId, publish, storedBlocks(sql))
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(PubSub.take(notifications), follow)))
    const first = yield* Effect.mapError(nextTransition(sql), storeFailure)
    yield* Effect.forkScoped(followPool(sql, pool, first, publish))
  })

/**
 * Returns the numbers of the blocks that are stored between two snapshots, or null if they cannot
 * be read or a later rollback may have removed some.
 */
type StoredBlocks = (
  before: SnapshotId,
  after: SnapshotId
) => Effect.Effect<ReadonlyArray<bigint> | null>

const storedBlocks = (sql: SqlClient.SqlClient): StoredBlocks => (before, after) =>
  sql.unsafe<{ readonly word: string; readonly numbers: ReadonlyArray<string> }>(
    `SELECT ${versionPayloadSql} AS word,
      ARRAY(SELECT number::text FROM block WHERE number > $1::numeric AND number <= $2::numeric ORDER BY number) AS numbers
    FROM ledger`,
    [`${before.ethereumBlockNum}`, `${after.ethereumBlockNum}`]
  ).pipe(
    Effect.map(([row]) => {
      const snapshot = row === undefined ? null : parseVersionPayload(row.word).snapshot
      // a read replica may lag
      return snapshot === null || snapshot.snapshotId.version < after.version ||
          snapshot.parts.rollBacks > after.version
        ? null
        : row!.numbers.map(BigInt)
    }),
    Effect.orElseSucceed(() => null)
  )

/**
 * Returns a function that publishes what changed between the snapshots that it gets. If several
 * writes lie between two snapshots, the numbers of their blocks are not known: there may be gaps.
 */
export const ledgerFollower = (
  first: SnapshotId,
  publish: (change: NodeChange) => void,
  storedBlocks: StoredBlocks
): (notification: LedgerNotification) => Effect.Effect<void> => {
  let last = first
  return ({ isNext, snapshot: { parts, snapshotId } }) =>
    Effect.gen(function*() {
      if (snapshotId.version <= last.version) return
      const before = last
      last = snapshotId
      const { batchNum, ethereumBlockNum: toBlock, version } = snapshotId
      if (parts.rollBacks <= before.version) {
        const blocks = before.ethereumBlockNum === toBlock
          ? []
          : isOneWrite(before, snapshotId)
          ? [toBlock]
          : yield* storedBlocks(before, snapshotId)
        if (blocks === null) return publish({ kind: "missed" })
        const isHeadSet = parts.head > before.version
        changesBetween(before, snapshotId, { blocks, isHeadSet }).forEach(publish)
      } else if (isNext && parts.rollBacks === version && parts.blocks < version) {
        publish({ kind: "rollBack", toBlock, lastBatchNum: batchNum ?? 0, snapshotId })
      } else publish({ kind: "missed" })
    })
}

/** Whether only one block can lie between two snapshots without a rollback. */
const isOneWrite = (before: SnapshotId, after: SnapshotId): boolean =>
  after.version - before.version === 1 + (after.batchNum ?? 0) - (before.batchNum ?? 0)

/**
 * Returns the changes between two snapshots without a rollback in between: the blocks, then the
 * batches, then the head if it was set, or one change of prices if only the version differs.
 */
const changesBetween = (
  before: SnapshotId,
  snapshotId: SnapshotId,
  { blocks, isHeadSet }: { readonly blocks: ReadonlyArray<bigint>; readonly isHeadSet: boolean }
): ReadonlyArray<NodeChange> => {
  const changes: Array<NodeChange> = []
  for (const ethereumBlockNum of blocks) {
    changes.push({ kind: "block", ethereumBlockNum, snapshotId })
  }
  const last = snapshotId.batchNum ?? 0
  for (let batchNum = (before.batchNum ?? 0) + 1; batchNum <= last; batchNum++) {
    changes.push({ kind: "batch", batchNum, snapshotId })
  }
  if (isHeadSet) {
    changes.push({ kind: "head", ethereumBlockNum: synchedBlockNum(snapshotId), snapshotId })
  }
  return changes.length > 0 ? changes : [{ kind: "prices", snapshotId }]
}

/** Reads transitions in the order of their numbers, which is the order of their commits. */
const followPool = (
  sql: SqlClient.SqlClient,
  pool: LedgerVersions["Service"]["pool"],
  first: number,
  publish: (change: NodeChange) => void
) =>
  Effect.gen(function*() {
    let next = first
    const readAll = Effect.gen(function*() {
      for (;;) {
        const rows = yield* transitionsFrom(sql, next, pageSize)
        for (const { number, ...transition } of rows) {
          publish({ kind: "transition", ...transition })
          next = number + 1
        }
        if (rows.length < pageSize) return
      }
    })
    yield* Stream.merge(SubscriptionRef.changes(pool), Stream.tick(pollMs)).pipe(
      // several changes need one read
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      // nothing is lost if the database is unavailable: the next read continues
      Stream.runForEach(() => Effect.ignore(readAll))
    )
  })
