import { Effect, Exit, Result } from "effect"
import { type FeedRecord, type GenesisFeed, readFeedLine } from "../../../core/domain/mod.ts"
import type { PoolStore, StoreFailure } from "../../../core/ports/mod.ts"
import { decideOwnBlock } from "../../../core/use_cases/mod.ts"
import { keccak256 } from "../../hashing/mod.ts"
import type { MemoryLedger, MemoryPoolStore } from "../../memory/mod.ts"
import { damagedError, type Journal, type LogEntry } from "../log/mod.ts"
import { type PoolRecord, readPoolRecord } from "./pool_record.ts"
import { partsOf, readImages, type StoreImages } from "../checkpoint/mod.ts"
import { JournalError } from "../files/mod.ts"

/** The new stores that entries are applied to. */
export interface ReplayTarget {
  readonly genesis: GenesisFeed
  readonly ledger: MemoryLedger
  readonly pool: MemoryPoolStore
}

/** Called several times a second with numbers of records, those in the checkpoint included. */
export type OnProgress = (done: number, total: number) => void

/** The result of a replay. */
export interface ReplayReport {
  /** The last record that the checkpoint includes; 0 without a checkpoint. */
  readonly checkpointSeq: number
  /** Number of records behind the checkpoint. */
  readonly records: number
  readonly durationMs: number
}

/**
 * Sets the state of new stores to that of the checkpoint, and applies all records behind it: each
 * block is decided again. The stores then have the same item ids, versions and arrivals as before.
 * Yields to other fibers several times a second, and logs its progress.
 */
export const replay = (
  journal: Journal,
  target: ReplayTarget,
  onProgress: OnProgress = () => {}
): Effect.Effect<
  { readonly report: ReplayReport; readonly restored: StoreImages | undefined },
  JournalError
> =>
  Effect.gen(function*() {
    const entries = yield* tryRead(journal, () => journal.replay())
    const total = yield* tryRead(journal, () => journal.length)
    const startedMs = performance.now()
    const indexing = target.ledger.postponeIndexing()
    const checkpointSeq = journal.manifest?.seq ?? 0
    const restored = yield* restore(
      journal,
      target,
      (share) => onProgress(Math.floor(share * checkpointSeq), checkpointSeq + total)
    )
    const applyingMs = performance.now()
    let [records, nextLogMs] = [0, applyingMs + logIntervalMs]
    const applySlice = () => {
      const endMs = performance.now() + sliceMs
      for (let entry = entries.next(); entry.done !== true; entry = entries.next()) {
        if (entry.value.kind !== "head") records++
        applyRecord(journal, target, entry.value, records)
        if (performance.now() > endMs) return true
      }
      return false
    }
    while (yield* tryRead(journal, applySlice)) {
      onProgress(checkpointSeq + records, checkpointSeq + total)
      const nowMs = performance.now()
      if (nowMs > nextLogMs) {
        nextLogMs = nowMs + logIntervalMs
        const perSecond = records / (nowMs - applyingMs) * 1000
        yield* Effect.log(
          `Reading the journal: ${records} of ${total} records, ${
            Math.round(perSecond)
          } a second, ${Math.ceil((total - records) / perSecond)} s to go`
        )
      }
      yield* Effect.yieldNow
    }
    for (const _ of indexing) yield* Effect.yieldNow
    const report = { checkpointSeq, records, durationMs: performance.now() - startedMs }
    return { report, restored }
  })

/** Sets the state of new stores to that of the checkpoint. Returns it, or undefined. */
export const restore = (
  journal: Journal,
  { ledger, pool }: Pick<ReplayTarget, "ledger" | "pool">,
  onShare: (share: number) => void = () => {}
): Effect.Effect<StoreImages | undefined, JournalError> =>
  Effect.gen(function*() {
    if (journal.manifest === undefined) return undefined
    const steps = readImages(journal.parts, journal.manifest)
    const total = partsOf(journal.manifest).length
    for (let parts = 1;; parts++) {
      const step = yield* tryRead(journal, () => steps.next())
      if (step.done !== true) {
        onShare(parts / total)
        yield* Effect.yieldNow
        continue
      }
      return yield* tryRead(journal, () => {
        ledger.restore(step.value.ledger)
        pool.restore(step.value.pool)
        // the rows that the stores now have, which the next checkpoint compares with
        return { ledger: ledger.capture(), pool: pool.capture() }
      })
    }
  })

/** Short enough that the heap grows little in one slice: it is watched between two of them. */
const sliceMs = 20
const logIntervalMs = 2000

export const tryRead = <A>({ directory }: Journal, read: () => A): Effect.Effect<A, JournalError> =>
  Effect.try({
    try: read,
    catch: (error) =>
      error instanceof JournalError
        ? error
        : damagedError(directory, error instanceof Error ? error.message : String(error), error)
  })

/** As `applyEntry`, but throws a `JournalError`. */
const applyRecord = (
  { directory }: Journal,
  target: ReplayTarget,
  entry: LogEntry,
  seq: number
): void => {
  try {
    applyEntry(target, entry)
  } catch (error) {
    const [problem, cause] = error instanceof EntryError
      ? [error.message, error.cause]
      : ["does not fit those before it", error]
    throw damagedError(directory, `record ${seq} ${problem}`, cause)
  }
}

/** Applies one entry to stores that contain all entries before it. Throws if the entry does not fit. */
export const applyEntry = (
  target: ReplayTarget,
  { kind, text, timeMs = 0, version }: LogEntry
): void => {
  if (kind === "pool") {
    // a pool in memory is synchronous
    Effect.runSync(poolCall(target.pool, readPoolRecord(text)))
    return
  }
  if (kind === "head" && text === "") {
    target.ledger.restoreHead(null, target.ledger.snapshotId().version)
    return
  }
  const record = readFeedLine(text)
  if (kind === "head" && Exit.isSuccess(record) && record.value.kind === "head") {
    target.ledger.restoreHead(record.value.head, version ?? target.ledger.snapshotId().version + 1)
    return
  }
  if (Exit.isFailure(record)) throw new EntryError("cannot be read", { cause: record.cause })
  const result: Result.Result<unknown, unknown> = applyFeedRecord(target, record.value, {
    timeMs,
    version
  })
  if (Result.isFailure(result)) {
    throw new EntryError("does not follow from those before it", { cause: result.failure })
  }
}

/** An entry does not fit; the message completes "record 1 ". */
class EntryError extends Error {}

const applyFeedRecord = (
  { genesis, ledger }: ReplayTarget,
  record: FeedRecord,
  time: Pick<LogEntry, "version"> & { readonly timeMs: number }
): Result.Result<unknown, unknown> => {
  switch (record.kind) {
    case "block":
      // the exit proofs were verified when the block was accepted
      return ledger.apply(decideOwnBlock({ constants: genesis.constants, keccak256 }, record.block))
    case "rollBack":
      return ledger.rollBack(record.toBlock, () => Result.void, time)
    case "prices":
      return ledger.setPrices(record.prices, () => Result.void)
    case "head":
      return ledger.setHead(record.head, () => Result.void)
    case "genesis":
      return Result.void
  }
}

const unlimited = { pendingMax: Infinity, pendingPerAccountMax: Infinity }

const poolCall = (
  pool: PoolStore["Service"],
  record: PoolRecord
): Effect.Effect<unknown, StoreFailure> => {
  switch (record.kind) {
    case "transaction":
      return pool.addTransaction(record.transaction, record.owners, unlimited)
    case "group":
      return pool.addGroup(record.group, unlimited)
    case "replacement":
      return pool.replaceTransaction(
        { id: record.replaced, arrival: null },
        record.transaction,
        record.owners,
        unlimited
      )
    case "authorization":
      return pool.addAuthorization(record.authorization)
    case "change":
      return pool.change(record.changes, record.atMs)
    case "reconcile":
      return pool.reconcile(record.step, record.atMs)
    case "passOver":
      return pool.skip(record.notes, record.selected)
  }
}
