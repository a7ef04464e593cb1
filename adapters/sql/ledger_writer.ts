import { Context, Effect, Fiber, Layer, Result, type Scope } from "effect"
import type { BlockFeed, PriceFeed } from "../../core/domain/mod.ts"
import {
  type Decision,
  type LedgerStamp,
  type LedgerView,
  LedgerWriter,
  type StoreFailure,
  WriteSession
} from "../../core/ports/mod.ts"
import { WriterLease } from "./_lease.ts"
import { loadView } from "./_load_view.ts"
import type { ListedEntries } from "./_posting_entries.ts"
import { RecentAdditions } from "./_recent_additions.ts"
import { rollBackTo } from "./_roll_back.ts"
import { WriteOverlay } from "./_view.ts"
import { ViewNeeds } from "./_view_needs.ts"
import { writeRows } from "./_write_rows.ts"
import { makeWriteTransaction } from "./_write_transaction.ts"
import { Database } from "./database.ts"

/** What came of one write. */
export interface Applied {
  readonly applied: boolean
  readonly stamp: LedgerStamp
}

/** A block, or prices that belong to the block before, with what decides on it when the writes before it have been made. */
export type BulkWrite<E> =
  | {
    readonly kind: "block"
    readonly block: BlockFeed
    readonly decide: (view: LedgerView) => Result.Result<Decision<E>, E>
  }
  | {
    readonly kind: "prices"
    readonly prices: ReadonlyArray<PriceFeed>
    readonly check: (view: LedgerView) => Result.Result<void, E>
  }

/** Makes many writes at once, for loading a feed. */
export class BulkWriter extends Context.Service<BulkWriter, {
  /**
   * Makes consecutive writes in one transaction, each decided on what the ones before it leave; much faster than one by one. Where a
   * decision refuses one, those before it are stored and the call fails with that. They are held in memory, and the database waits
   * while they are decided: some thousand transactions together are a good size.
   *
   * @param check runs beside the writing when all is decided, as the checks of the decisions do: what one of them fails with, the call
   * fails with, and nothing is stored
   */
  readonly applyAll: <E, C = never>(
    writes: ReadonlyArray<BulkWrite<E>>,
    check?: Effect.Effect<void, C>
  ) => Effect.Effect<ReadonlyArray<Applied>, E | C | StoreFailure>
}>()("rollup/sql/BulkWriter") {}

interface Written<E> {
  readonly applied: ReadonlyArray<Applied>
  readonly refused: { readonly reason: E } | null
  /** Of the new transactions. */
  readonly additions: ListedEntries["additions"]
}

/** The port, and the way to write many blocks. */
export interface SqlLedgerWriter {
  readonly port: LedgerWriter["Service"]
  readonly applyAll: BulkWriter["Service"]["applyAll"]
}

/** Serves the writing port from a database that is migrated and opened. */
export const makeLedgerWriter: Effect.Effect<
  SqlLedgerWriter,
  never,
  Database | WriterLease | Scope.Scope
> = Effect.gen(function*() {
  const { writes: sql } = yield* Database
  const inTransaction = makeWriteTransaction(sql, yield* WriterLease)
  const recent = new RecentAdditions()
  // every write begins with what the one before has left to do, also one of nothing
  const cutLists = inTransaction(() => Effect.succeed({ answer: undefined, changed: false })).pipe(
    // it goes on from nothing
    Effect.provideService(WriteSession, null),
    Effect.ignore({
      log: "Warn",
      message:
        "The lists could not be cut after a rollback, expected to do it at once: the next write will"
    })
  )
  const scope = yield* Effect.scope

  const applyAll: SqlLedgerWriter["applyAll"] = <E, C = never>(
    writes: ReadonlyArray<BulkWrite<E>>,
    check?: Effect.Effect<void, C>
  ) =>
    inTransaction<Written<E>, E | C>((writeId) =>
      Effect.gen(function*() {
        const view = new WriteOverlay(yield* loadView(sql, needsOf(writes)))
        const applied: Array<Applied> = []
        const checks: Array<Effect.Effect<void, E | C>> = check === undefined ? [] : [check]
        let refused: { readonly reason: E } | null = null
        for (const write of writes) {
          const made = make(view, write)
          if (Result.isFailure(made)) {
            refused = { reason: made.failure }
            break
          }
          const { changed, check } = made.success
          applied.push({ applied: changed, stamp: view.stamp })
          if (check !== undefined) checks.push(check)
        }
        const changed = applied.some((each) => each.applied)
        let additions: Written<E>["additions"] = new Map()
        if (changed) {
          const checked = yield* Effect.forEach(checks, (check) => Effect.forkChild(check))
          additions = yield* Effect.onError(
            writeRows(sql, view, writeId, recent),
            () => Fiber.interruptAll(checked)
          )
          // committed when all have ended well
          for (const each of checked) yield* Fiber.join(each)
        }
        return { answer: { applied, refused, additions }, changed }
      })
    ).pipe(Effect.flatMap(({ additions, applied, refused }) => {
      recent.note(additions)
      return refused === null ? Effect.succeed(applied) : Effect.fail(refused.reason)
    }))

  return {
    applyAll,
    port: {
      apply: (block, decide) =>
        Effect.map(applyAll([{ kind: "block", block, decide }]), ([applied]) => applied!),
      setPrices: (prices, check) =>
        Effect.map(applyAll([{ kind: "prices", prices, check }]), ([applied]) => applied!.stamp),
      rollBack: (toBlock, check) =>
        inTransaction((writeId) =>
          Effect.gen(function*() {
            const needs = new ViewNeeds([])
            needs.addBlock(toBlock)
            const view = new WriteOverlay(yield* loadView(sql, needs))
            yield* Effect.fromResult(check(view))
            return { answer: yield* rollBackTo(sql, view, { toBlock, writeId }), changed: true }
          })
        ).pipe(Effect.tap(Effect.forkIn(cutLists, scope)))
    }
  }
})

const needsOf = (writes: ReadonlyArray<BulkWrite<unknown>>): ViewNeeds => {
  const needs = new ViewNeeds(
    writes.flatMap((write) => write.kind === "block" ? [write.block] : [])
  )
  for (const write of writes) if (write.kind === "prices") needs.addPrices(write.prices)
  return needs
}

interface Made<E> {
  readonly changed: boolean
  readonly check?: Effect.Effect<void, E>
}

const make = <E>(view: WriteOverlay, write: BulkWrite<E>): Result.Result<Made<E>, E> => {
  if (write.kind === "prices") {
    return Result.map(write.check(view), () => {
      view.setPrices(write.prices)
      return { changed: true }
    })
  }
  return Result.map(write.decide(view), (decision) => {
    if (decision.kind === "alreadyStored") return { changed: false }
    const { changes, check } = decision
    view.apply(changes)
    return check === undefined ? { changed: true } : { changed: true, check }
  })
}

/** Both over `Database`, for the process that holds the lease. */
export const ledgerWriterLayer: Layer.Layer<
  LedgerWriter | BulkWriter,
  never,
  Database | WriterLease
> = Layer.effectContext(
  Effect.map(
    makeLedgerWriter,
    ({ applyAll, port }) =>
      Context.make(LedgerWriter, port).pipe(Context.add(BulkWriter, { applyAll }))
  )
)
