import { Context, Effect, Fiber, Result, type Scope } from "effect"
import type { BlockFeed, HeadFeed, PriceFeed } from "../../../core/domain/mod.ts"
import {
  type Decision,
  type DeferredDecision,
  type LedgerStamp,
  type LedgerView,
  type LedgerWriter,
  type StoreFailure
} from "../../../core/ports/mod.ts"
import { Database, LastWrite } from "../connection/mod.ts"
import { type ListedEntries, SuffixCache } from "../postings/mod.ts"
import type { OnVersion } from "../reads/mod.ts"
import { WriterLease } from "./lease.ts"
import { loadOverlay } from "./_load_overlay.ts"
import { OverlayNeeds } from "./_overlay_needs.ts"
import { rollBackTo } from "./_roll_back.ts"
import { WriteOverlay } from "./_write_overlay.ts"
import { writeRows } from "./_write_rows.ts"
import { makeWriteTransaction } from "./_write_transaction.ts"

/** The result of one write. */
export interface WriteResult {
  readonly applied: boolean
  readonly stamp: LedgerStamp
}

/**
 * A block with its decision, or prices for the last block or a head with their check. All see the ledger
 * after the previous writes.
 */
export type BulkWrite<E> =
  | {
    readonly kind: "block"
    readonly block: BlockFeed
    readonly decide: (view: LedgerView) => Result.Result<Decision<E> | DeferredDecision<E>, E>
  }
  | {
    readonly kind: "prices"
    readonly prices: ReadonlyArray<PriceFeed>
    readonly check: (view: LedgerView) => Result.Result<void, E>
  }
  | {
    readonly kind: "head"
    readonly head: HeadFeed
    readonly check: (view: LedgerView) => Result.Result<void, E>
  }

/**
 * Applies many writes in one transaction, to load a feed.
 *
 * @example
 * ```ts
 * import { Effect, Redacted } from "effect"
 * import { decideBlock } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { simulate } from "rollup-node-api/simulator"
 * import { BulkWriter, sqlStores } from "rollup-node-api/sql"
 *
 * const { genesis, next } = simulate({ seed: 1, rollBackPeriodBlocks: 0 })
 * const rules = { constants: genesis.constants, keccak256 }
 * const writes = Array.from({ length: 3 }, next).flatMap((record) =>
 *   record.kind === "block"
 *     ? [{ kind: "block", block: record.block, decide: decideBlock(rules, record.block) } as const]
 *     : [])
 * const url = Redacted.make(process.env.DATABASE_URL!)
 * const load = Effect.flatMap(BulkWriter, ({ applyAll }) => applyAll(writes))
 * const results = await Effect.runPromise(Effect.provide(load, sqlStores({ genesis, url })))
 * console.log(results.map(({ stamp }) => stamp.version > 0)) // => [ true, true, true ]
 * ```
 */
export class BulkWriter extends Context.Service<BulkWriter, {
  /**
   * Applies consecutive writes in one transaction, each decided on the result of the previous
   * writes; much faster than one by one. If a decision refuses a write, the call stores the
   * previous writes and fails with the refusal. All rows are in memory, and the transaction stays
   * open during the decisions, so pass a few thousand transactions of the rollup at a time.
   *
   * @param check runs like the checks of the decisions: after all decisions, and concurrently with
   *   the inserts. If a check fails, the call fails with its error and nothing is stored
   */
  readonly applyAll: <E, C = never>(
    writes: ReadonlyArray<BulkWrite<E>>,
    check?: Effect.Effect<void, C>
  ) => Effect.Effect<ReadonlyArray<WriteResult>, E | C | StoreFailure>
}>()("rollup/sql/BulkWriter") {}

interface BulkOutcome<E> {
  readonly applied: ReadonlyArray<WriteResult>
  readonly refused: { readonly reason: E } | null
  /** Key suffixes of the new transactions. */
  readonly suffixes: ListedEntries["suffixes"]
}

/** The write port and its bulk operation. */
export interface SqlLedgerWriter {
  readonly port: LedgerWriter["Service"]
  readonly applyAll: BulkWriter["Service"]["applyAll"]
}

/**
 * Makes the write port over a database that is migrated and has an opened ledger.
 *
 * @param onVersion is called with the version of each result of the port, before it is returned
 */
export const makeLedgerWriter = Effect.fnUntraced(function*(
  onVersion: OnVersion = () => Effect.void
): Effect.fn.Return<SqlLedgerWriter, never, Database | LastWrite | WriterLease | Scope.Scope> {
  const { writes: sql } = yield* Database
  const inTransaction = makeWriteTransaction({
    sql,
    lease: yield* WriterLease,
    lastWrite: yield* LastWrite
  })
  const recent = new SuffixCache()

  const applyAll: SqlLedgerWriter["applyAll"] = <E, C = never>(
    writes: ReadonlyArray<BulkWrite<E>>,
    check?: Effect.Effect<void, C>
  ) =>
    inTransaction<BulkOutcome<E>, E | C>((writeId) =>
      Effect.gen(function*() {
        const overlay = new WriteOverlay(yield* loadOverlay(sql, needsOf(writes)))
        const applied: Array<WriteResult> = []
        const checks: Array<Effect.Effect<void, E | C>> = check === undefined ? [] : [check]
        let refused: { readonly reason: E } | null = null
        for (const write of writes) {
          const decision = yield* Effect.result(decideWrite(overlay, write))
          if (Result.isFailure(decision)) {
            refused = { reason: decision.failure }
            break
          }
          const { changed, check } = decision.success
          applied.push({ applied: changed, stamp: overlay.stamp })
          if (check !== undefined) checks.push(check)
        }
        const changed = applied.some((each) => each.applied)
        let suffixes: BulkOutcome<E>["suffixes"] = new Map()
        if (changed) {
          const running = yield* Effect.forEach(checks, (check) => Effect.forkChild(check))
          suffixes = yield* Effect.onError(
            writeRows(sql, overlay, writeId, recent),
            () => Fiber.interruptAll(running)
          )
          // commit only if all checks succeed
          for (const each of running) yield* Fiber.join(each)
        }
        return { answer: { applied, refused, suffixes }, changed }
      })
    ).pipe(Effect.flatMap(({ applied, refused, suffixes }) => {
      recent.add(suffixes)
      return refused === null ? Effect.succeed(applied) : Effect.fail(refused.reason)
    }))

  const applyOne = <E>(write: BulkWrite<E>) =>
    applyAll([write]).pipe(
      Effect.map(([result]) => result!),
      Effect.tap(({ stamp }) => onVersion(stamp.version))
    )

  return {
    applyAll,
    port: {
      apply: (block, decide) => applyOne({ kind: "block", block, decide }),
      setPrices: (prices, check) =>
        Effect.map(applyOne({ kind: "prices", prices, check }), ({ stamp }) => stamp),
      setHead: (head, check) =>
        Effect.map(applyOne({ kind: "head", head, check }), ({ stamp }) => stamp),
      rollBack: (toBlock, check) =>
        inTransaction((writeId) =>
          Effect.gen(function*() {
            const needs = new OverlayNeeds([])
            needs.addBlock(toBlock)
            const overlay = new WriteOverlay(yield* loadOverlay(sql, needs))
            yield* Effect.fromResult(check(overlay))
            return { answer: yield* rollBackTo(sql, overlay, { toBlock, writeId }), changed: true }
          })
        ).pipe(
          Effect.tap(({ stamp }) => onVersion(stamp.version))
        )
    }
  }
})

const needsOf = (writes: ReadonlyArray<BulkWrite<unknown>>): OverlayNeeds => {
  const needs = new OverlayNeeds(
    writes.flatMap((write) => write.kind === "block" ? [write.block] : [])
  )
  for (const write of writes) if (write.kind === "prices") needs.addPrices(write.prices)
  return needs
}

interface WriteDecision<E> {
  readonly changed: boolean
  readonly check?: Effect.Effect<void, E>
}

/** Decides a write on an overlay, and applies it to the overlay if it is accepted. */
const decideWrite = <E>(
  overlay: WriteOverlay,
  write: BulkWrite<E>
): Effect.Effect<WriteDecision<E>, E> => {
  if (write.kind === "prices") {
    return Effect.map(Effect.fromResult(write.check(overlay)), () => {
      overlay.setPrices(write.prices)
      return { changed: true }
    })
  }
  if (write.kind === "head") {
    return Effect.map(Effect.fromResult(write.check(overlay)), () => {
      overlay.setHead(write.head)
      return { changed: true }
    })
  }
  return Effect.fromResult(write.decide(overlay)).pipe(
    Effect.flatMap((decision) =>
      decision.kind === "deferred" ? decision.resolve : Effect.succeed(decision)
    ),
    Effect.map((decision) => {
      if (decision.kind === "alreadyStored") return { changed: false }
      const { changes, check } = decision
      overlay.apply(changes)
      return check === undefined ? { changed: true } : { changed: true, check }
    })
  )
}
