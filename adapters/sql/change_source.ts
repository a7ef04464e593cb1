import { Effect, Queue } from "effect"
import type { SqlClient } from "effect/sql"
import {
  type ChangeSource,
  changesBetween,
  type LedgerReader,
  type LedgerStamp,
  type NodeChange
} from "../../core/ports/mod.ts"
import { storeFailure } from "./connection/mod.ts"
import type { LedgerVersions, SnapshotListener } from "./notifications/mod.ts"
import { nextTransition, transitionsFrom } from "./pool/mod.ts"

/** Interval of reading again, in case a read has failed. */
const pollMs = 1000
const pageSize = 1000

/** Returns the changes of ledger and pool by all processes that share the database. */
export const changeSource = (
  sql: SqlClient.SqlClient,
  reader: LedgerReader["Service"],
  { onSnapshot, pool }: LedgerVersions["Service"]
): ChangeSource =>
(publish) =>
  Effect.gen(function*() {
    const early: Array<Parameters<SnapshotListener>> = []
    onSnapshot((...snapshot) => void early.push(snapshot))
    const follow = ledgerFollower(yield* reader.stamp, publish)
    for (const snapshot of early) follow(...snapshot)
    onSnapshot(follow)
    const first = yield* Effect.mapError(nextTransition(sql), storeFailure)
    yield* Effect.forkScoped(followPool(sql, pool, first, publish))
  })

/** Returns a listener that publishes what changed between the snapshots that it gets. */
export const ledgerFollower = (
  first: LedgerStamp,
  publish: (change: NodeChange) => void
): SnapshotListener => {
  let last = first
  return ({ parts, stamp }, isNext) => {
    if (stamp.version <= last.version) return
    const { batchNum, ethereumBlockNum: toBlock, version } = stamp
    if (parts.rollBacks <= last.version) {
      const isHeadSet = parts.head > last.version
      for (const change of changesBetween(last, stamp, { isHeadSet })) publish(change)
    } else if (isNext && parts.rollBacks === version && parts.blocks < version) {
      publish({ kind: "rollBack", toBlock, lastBatchNum: batchNum ?? 0, stamp })
    } else publish({ kind: "missed" })
    last = stamp
  }
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
    const changed = yield* Queue.sliding<void>(1)
    pool.onChange = () => void Queue.offerUnsafe(changed, undefined)
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
    return yield* Effect.forever(
      Effect.andThen(
        // nothing is lost if the database is unavailable: the next read continues
        Effect.ignore(readAll),
        Effect.raceFirst(Queue.take(changed), Effect.sleep(pollMs))
      )
    )
  })
