import { Context, Deferred, Effect, Result } from "effect"
import {
  type StoreFailure,
  LedgerHistory,
  LedgerReader,
  LedgerWriter,
  mapReader,
  PoolStore,
  LatestLedgerVersion
} from "../../core/ports/mod.ts"
import type { LogEntry, RecordLog } from "./log/mod.ts"
import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import {
  memoryHistory,
  memoryReader,
  type MemoryLedger,
  ledgerWriter,
  type MemoryPoolStore,
  type RecordWrite
} from "../memory/mod.ts"
import { type PoolRecord, writePoolRecord } from "./replay/mod.ts"

/**
 * Appends an entry. Returns an effect with the result of `settle`, which the log calls when the
 * entry is durable or dropped. The fiber goes on after all entries of the commit are settled.
 */
const append = <A, E>(
  log: RecordLog,
  entry: LogEntry,
  settle: (failure: StoreFailure | undefined) => Result.Result<A, E>
): Effect.Effect<A, E> => {
  const settled = Deferred.makeUnsafe<A, E>()
  let result: Result.Result<A, E> | undefined
  log.append(entry, (failure) => void (result = settle(failure)))
  log.whenSettled(() => void Deferred.doneUnsafe(settled, Effect.fromResult(result!)))
  return Deferred.await(settled)
}

/**
 * Waits until all entries appended so far are durable; fails if they are dropped. Registers itself
 * at the call: an effect that starts later could miss the settlement.
 */
const settlement = (log: RecordLog): Effect.Effect<void, StoreFailure> => {
  if (log.isDurable) return Effect.void
  const settled = Deferred.makeUnsafe<void, StoreFailure>()
  log.whenSettled((failure) =>
    void Deferred.doneUnsafe(settled, failure === undefined ? Effect.void : Effect.fail(failure))
  )
  return Deferred.await(settled)
}

/**
 * Returns a function that computes the answer of a read, and returns it once all records appended so
 * far are durable. If the log drops them, computes the answer again. So no client sees a change that
 * a crash could undo.
 */
const readWhenDurable = (log: RecordLog) => <A>(compute: () => A) => {
  const read: Effect.Effect<A, StoreFailure> = unlessFailed(log, () => {
    const answer = compute()
    return Effect.matchEffect(settlement(log), {
      onSuccess: () => Effect.succeed(answer),
      onFailure: (failure) => failure.retry ? read : Effect.fail(failure)
    })
  })
  return read
}

/** Runs an effect, or fails if the log has failed. */
const unlessFailed = <A, E>(
  log: RecordLog,
  run: () => Effect.Effect<A, E>
): Effect.Effect<A, E | StoreFailure> =>
  Effect.suspend((): Effect.Effect<A, E | StoreFailure> =>
    log.failure === undefined ? run() : Effect.fail(log.failure)
  )

/** Returns the read ports of a ledger in memory whose writes wait for the log, so that reads need not. */
const readLedger = (ledger: MemoryLedger, log: RecordLog) => {
  const [reader, history] = [memoryReader(ledger), memoryHistory(ledger)]
  return {
    reader: mapReader((call) => unlessFailed(log, () => call(reader))),
    history: {
      block: (number) => unlessFailed(log, () => history.block(number)),
      rollBacks: (query) => unlessFailed(log, () => history.rollBacks(query)),
      finalBlock: unlessFailed(log, () => history.finalBlock)
    } satisfies LedgerHistory["Service"]
  }
}

/** Returns how the writes of a ledger in memory are made: once their records in a log are durable. */
const recordWrites =
  (ledger: MemoryLedger, log: RecordLog): RecordWrite =>
  <A, E>(record: (() => FeedRecord) | null, write: () => Result.Result<A, E>, timeMs?: number) =>
    unlessFailed(log, () => {
      if (record === null) return Effect.fromResult(write())
      const stated = record()
      const isHead = stated.kind === "head"
      // the versions of heads and rollbacks do not follow from the records before them
      const version = isHead || stated.kind === "rollBack"
        ? ledger.snapshotId().version + 1
        : undefined
      return append<A, E | StoreFailure>(
        log,
        { kind: isHead ? "head" : "ledger", text: writeFeedLine(stated), version, timeMs },
        (failure) => failure === undefined ? write() : Result.fail(failure)
      )
    }).pipe(Effect.uninterruptible)

/**
 * Returns the writes of a pool in memory, which append each write to a log if it changed the pool. A
 * write that cannot become durable is undone.
 */
const poolWrites = (pool: MemoryPoolStore, log: RecordLog) => {
  const write = <A, E>(
    effect: Effect.Effect<A, E>,
    record: PoolRecord
  ): Effect.Effect<A, E | StoreFailure> =>
    unlessFailed(log, () => {
      const [result, undo, hasChanged] = pool.undoable(() => Effect.runSync(Effect.result(effect)))
      // the answer may depend on entries that are not durable
      if (!hasChanged) return Effect.andThen(settlement(log), Effect.fromResult(result))
      const entry = { kind: "pool", text: writePoolRecord(record) } as const
      return append<A, E | StoreFailure>(log, entry, (failure) => {
        if (failure === undefined) return result
        undo()
        return Result.fail(failure)
      })
    })
  return {
    addTransaction: (transaction, owners, limits) =>
      write(
        pool.addTransaction(transaction, owners, limits),
        { kind: "transaction", transaction, owners }
      ),
    addGroup: (group, limits) => write(pool.addGroup(group, limits), { kind: "group", group }),
    replaceTransaction: (replaced, transaction, owners, limits) =>
      write(
        pool.replaceTransaction(replaced, transaction, owners, limits),
        { kind: "replacement", replaced: replaced.id, transaction, owners }
      ),
    addAuthorization: (authorization) =>
      write(pool.addAuthorization(authorization), { kind: "authorization", authorization }),
    change: (changes, atMs) => write(pool.change(changes, atMs), { kind: "change", changes, atMs }),
    reconcile: (step, atMs) => write(pool.reconcile(step, atMs), { kind: "reconcile", step, atMs }),
    skip: (notes, selected) =>
      write(pool.skip(notes, selected), { kind: "passOver", notes, selected })
  } satisfies Partial<PoolStore["Service"]>
}

/** The stores in memory, and the log of their accepted writes. */
export interface RecordedStoresOptions {
  readonly ledger: MemoryLedger
  readonly pool: MemoryPoolStore
  /** Its entries must have been applied to the stores with `applyEntry`. */
  readonly log: RecordLog
  /** Identifies the ledger in entity tags; the id of `ledger` by default. */
  readonly id?: string | undefined
}

/**
 * Returns the ports of stores in memory that append each accepted write to a log. An answer waits
 * until the log is durable. A write fails if its entry does not become durable, and the stores then
 * are as they were. Every read and write fails if the log has failed.
 */
export const recordedStores = (
  { id, ledger, log, pool }: RecordedStoresOptions
): Context.Context<LedgerHistory | LedgerReader | LedgerWriter | PoolStore> => {
  const { history, reader } = readLedger(ledger, log)
  return Context.make(LedgerReader, reader).pipe(
    Context.add(LedgerHistory, history),
    Context.add(LedgerWriter, ledgerWriter(ledger, recordWrites(ledger, log))),
    Context.add(PoolStore, { ...pool.readsBy(readWhenDurable(log)), ...poolWrites(pool, log) }),
    Context.add(LatestLedgerVersion, {
      id: id ?? ledger.id,
      version: () => log.failure === undefined ? ledger.snapshotId().version : null,
      snapshot: ledger.snapshot,
      isRemote: false
    })
  )
}
