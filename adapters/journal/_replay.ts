import { Effect, Exit, Result } from "effect"
import { type FeedRecord, type GenesisFeed, readFeedLine } from "../../core/domain/mod.ts"
import type { PoolStore, StoreFailure } from "../../core/ports/mod.ts"
import { decideBlock } from "../../core/use_cases/mod.ts"
import { keccak256 } from "../hashing/mod.ts"
import type { MemoryLedger, MemoryPoolStore } from "../memory/mod.ts"
import { damaged } from "./_database.ts"
import { unpackChanges } from "./_packed_changes.ts"
import { type PoolRecord, readPoolRecord } from "./_pool_record.ts"
import type { Journal } from "./journal.ts"
import { JournalError } from "./journal_error.ts"
import type { Entry } from "./record_log.ts"

/** The stores that a journal is replayed into: new ones. */
export interface ReplayedStores {
  readonly genesis: GenesisFeed
  readonly ledger: MemoryLedger
  readonly pool: MemoryPoolStore
}

/** What a replay found, and how long it took. */
export interface ReplayReport {
  readonly records: number
  /** Blocks that were decided anew, with all checks, since their decision could not be read. */
  readonly redecided: number
  readonly durationMs: number
}

/**
 * Brings new stores to where the journal ends: the same item ids, versions and arrivals. What was decided about a block is taken as it was
 * written, under its checksum; where it cannot be read the block is checked and decided anew. Others have their turn several times a
 * second, and the log tells how far it is.
 */
export const replay = (
  journal: Journal,
  stores: ReplayedStores
): Effect.Effect<ReplayReport, JournalError> =>
  Effect.gen(function*() {
    const entries = yield* attempt(journal, () => journal.replay())
    const total = yield* attempt(journal, () => journal.length)
    const started = performance.now()
    const indexing = stores.ledger.postponeIndex()
    const orderPool = stores.pool.postponeOrders()
    let [records, redecided, nextNews] = [0, 0, started + NEWS_MS]
    const takeSlice = () => {
      const end = performance.now() + SLICE_MS
      for (let entry = entries.next(); entry.done !== true; entry = entries.next()) {
        records++
        if (takeIn(journal, stores, entry.value, records)) redecided++
        if (performance.now() > end) return true
      }
      return false
    }
    while (yield* attempt(journal, takeSlice)) {
      const now = performance.now()
      if (now > nextNews) {
        nextNews = now + NEWS_MS
        const perSecond = records / (now - started) * 1000
        yield* Effect.log(
          `Reading the journal: ${records} of ${total} records, ${
            Math.round(perSecond)
          } a second, ${Math.ceil((total - records) / perSecond)} s to go`
        )
      }
      yield* Effect.yieldNow
    }
    for (const _ of indexing) yield* Effect.yieldNow
    orderPool()
    if (redecided > 0) {
      yield* Effect.logWarning(
        `${redecided} blocks of the journal were decided anew: what was decided about them could not be read`
      )
    }
    return { records, redecided, durationMs: performance.now() - started }
  })

const SLICE_MS = 100
const NEWS_MS = 2000

const attempt = <A>({ directory }: Journal, read: () => A): Effect.Effect<A, JournalError> =>
  Effect.try({
    try: read,
    catch: (error) =>
      error instanceof JournalError
        ? error
        : damaged(directory, error instanceof Error ? error.message : String(error), error)
  })

/** Whether a block was decided anew. */
const takeIn = (
  { directory }: Journal,
  stores: ReplayedStores,
  entry: Entry,
  seq: number
): boolean => {
  try {
    return takeInEntry(stores, entry)
  } catch (error) {
    const [why, cause] = error instanceof UnfitEntry
      ? [error.message, error.cause]
      : ["does not fit those before it", error]
    throw damaged(directory, `record ${seq} ${why}`, cause)
  }
}

/** Does with stores what an entry says was done with others that held the same. Returns whether a block was decided anew; throws where it does not fit. */
export const takeInEntry = (stores: ReplayedStores, { decided, kind, text }: Entry): boolean => {
  if (kind === "pool") return takeInPool(stores.pool, text)
  const changes = decided === undefined ? undefined : unpackChanges(decided)
  if (changes !== undefined) {
    stores.ledger.apply(() => Result.succeed({ kind: "store", changes }))
    return false
  }
  const record = readFeedLine(text)
  if (Exit.isFailure(record)) throw new UnfitEntry("cannot be read", { cause: record.cause })
  const result: Result.Result<unknown, unknown> = takeInLedger(stores, record.value)
  if (Result.isFailure(result)) {
    throw new UnfitEntry("does not follow from those before it", { cause: result.failure })
  }
  return record.value.kind === "block"
}

class UnfitEntry extends Error {}

const takeInLedger = (
  { genesis, ledger }: ReplayedStores,
  record: FeedRecord
): Result.Result<unknown, unknown> => {
  switch (record.kind) {
    case "block":
      // the proofs of its exits were computed anew when it was accepted
      return ledger.apply(decideBlock({ constants: genesis.constants, keccak256 }, record.block))
    case "rollBack":
      return ledger.rollBack(record.toBlock, () => Result.void)
    case "prices":
      return ledger.setPrices(record.prices, () => Result.void)
    case "genesis":
      return Result.void
  }
}

/** A pool in memory answers at once. */
const takeInPool = (pool: PoolStore["Service"], text: string): false => {
  const record = readPoolRecord(text)
  Effect.runSync(poolCall(pool, record))
  return false
}

const poolCall = (
  pool: PoolStore["Service"],
  record: PoolRecord
): Effect.Effect<unknown, StoreFailure> => {
  switch (record.kind) {
    case "transaction":
      return pool.addTransaction(record.transaction, record.sender, {
        pendingMax: Infinity,
        pendingPerAccountMax: Infinity
      })
    case "authorization":
      return pool.addAuthorization(record.authorization)
    case "change":
      return pool.change(record.changes, record.atMs)
    case "settle":
      return pool.settle(record.step, record.atMs)
    case "passOver":
      return pool.skip(record.notes)
  }
}
