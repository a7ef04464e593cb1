import { Context, Effect, Fiber, Result, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { BlockFeed, HeadFeed, PriceFeed } from "../../../core/domain/mod.ts"
import {
  type BlockReport,
  type Decision,
  type DeferredDecision,
  type SnapshotId,
  type LedgerView,
  type LedgerWriter,
  type StoreFailure
} from "../../../core/ports/mod.ts"
import { StagedLedger } from "../../../core/use_cases/mod.ts"
import { Database, LastWrite } from "../connection/mod.ts"
import { type ListedEntries, SuffixCache } from "../postings/mod.ts"
import type { OnVersion } from "../reads/mod.ts"
import { WriterLease } from "./lease.ts"
import { changedRows, type Placed } from "./_changed_rows.ts"
import { loadLedger } from "./_load_ledger.ts"
import { NeededRows } from "./_needed_rows.ts"
import { rollBackTo } from "./_roll_back.ts"
import { writeRows } from "./_write_rows.ts"
import { makeWriteTransaction } from "./_write_transaction.ts"

/** The result of one write: what was placed; null for a block that the ledger had already stored. */
export interface WriteResult {
  readonly applied: boolean
  readonly placed: Placed | null
  readonly snapshotId: SnapshotId
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
 * console.log(results.map(({ snapshotId }) => snapshotId.version > 0)) // => [ true, true, true ]
 * ```
 */
export class BulkWriter extends Context.Service<BulkWriter, {
  /**
   * Applies consecutive writes in one transaction, each decided on the result of the previous
   * writes; much faster than one by one. If a decision refuses a write, the call stores the
   * previous writes and fails with the refusal. All rows are in memory, and the transaction stays
   * open during the decisions, so pass a few thousand transactions of the rollup at a time.
   *
   * The checks of the decisions run after all decisions, concurrently with the inserts. If a check
   * fails, the call fails with its error and nothing is stored.
   */
  readonly applyAll: <E>(
    writes: ReadonlyArray<BulkWrite<E>>
  ) => Effect.Effect<ReadonlyArray<WriteResult>, E | StoreFailure>
}>()("rollup/sql/BulkWriter") {}

/** The write port and its bulk operation. */
export interface SqlLedgerWriter {
  readonly port: LedgerWriter["Service"]
  readonly applyAll: BulkWriter["Service"]["applyAll"]
}

/**
 * Makes the write port over a database that is migrated and has an opened ledger.
 *
 * @param onVersion is called with the version after each write, before its result is returned
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
  const applyAll: SqlLedgerWriter["applyAll"] = (writes) =>
    inTransaction((writeId) => applyInTransaction(sql, { writes, writeId, recent })).pipe(
      Effect.flatMap(({ refused, results, suffixes }) => {
        recent.add(suffixes)
        const answer = refused === null ? Effect.succeed(results) : Effect.fail(refused.reason)
        const last = results.at(-1)
        return last === undefined
          ? answer
          : Effect.andThen(onVersion(last.snapshotId.version), answer)
      })
    )
  const applyOne = <E>(write: BulkWrite<E>) => Effect.map(applyAll([write]), ([result]) => result!)
  const snapshotIdOf = <E>(write: BulkWrite<E>) =>
    Effect.map(applyOne(write), ({ snapshotId }) => snapshotId)
  return {
    applyAll,
    port: {
      apply: (block, decide) => Effect.map(applyOne({ kind: "block", block, decide }), blockReport),
      setPrices: (prices, check) => snapshotIdOf({ kind: "prices", prices, check }),
      setHead: (head, check) => snapshotIdOf({ kind: "head", head, check }),
      rollBack: (toBlock, check) =>
        inTransaction((writeId) =>
          Effect.gen(function*() {
            const needs = new NeededRows([])
            needs.addBlock(toBlock)
            const ledger = yield* loadLedger(sql, needs)
            yield* Effect.fromResult(check(ledger))
            return { answer: yield* rollBackTo(sql, ledger, { toBlock, writeId }), changed: true }
          })
        ).pipe(
          Effect.tap(({ snapshotId }) => onVersion(snapshotId.version))
        )
    }
  }
})

const blockReport = ({ placed, snapshotId }: WriteResult): BlockReport =>
  placed?.kind === "block" ? { applied: true, snapshotId, placed } : { applied: false, snapshotId }

interface BulkOutcome<E> {
  readonly results: ReadonlyArray<WriteResult>
  readonly refused: { readonly reason: E } | null
  /** Key suffixes of the new transactions. */
  readonly suffixes: ListedEntries["suffixes"]
}

/** Decides writes and inserts their rows, in the transaction of the caller. */
const applyInTransaction = Effect.fnUntraced(function*<E>(
  sql: SqlClient.SqlClient,
  { recent, writeId, writes }: {
    readonly writes: ReadonlyArray<BulkWrite<E>>
    readonly writeId: string
    readonly recent: SuffixCache
  }
) {
  const base = yield* loadLedger(sql, needsOf(writes))
  const staged = new StagedLedger(base)
  const results: Array<WriteResult> = []
  const checks: Array<Effect.Effect<void, E>> = []
  let refused: BulkOutcome<E>["refused"] = null
  for (const write of writes) {
    const staging = yield* Effect.result(stage(staged, write))
    if (Result.isFailure(staging)) {
      refused = { reason: staging.failure }
      break
    }
    const { check, placed } = staging.success
    results.push({ applied: placed !== null, placed, snapshotId: staged.snapshotId })
    if (check !== undefined) checks.push(check)
  }
  const placed = results.flatMap((result) => result.placed ?? [])
  let suffixes: BulkOutcome<E>["suffixes"] = new Map()
  if (placed.length > 0) {
    const running = yield* Effect.forEach(checks, (check) => Effect.forkChild(check))
    suffixes = yield* Effect.onError(
      writeRows(sql, changedRows(base, staged, placed), writeId, recent),
      () => Fiber.interruptAll(running)
    )
    // commit only if all checks succeed
    for (const each of running) yield* Fiber.join(each)
  }
  const answer: BulkOutcome<E> = { results, refused, suffixes }
  return { answer, changed: placed.length > 0 }
})

const needsOf = (writes: ReadonlyArray<BulkWrite<unknown>>): NeededRows => {
  const needs = new NeededRows(
    writes.flatMap((write) => write.kind === "block" ? [write.block] : [])
  )
  for (const write of writes) if (write.kind === "prices") needs.addPrices(write.prices)
  return needs
}

interface Staging<E> {
  readonly placed: Placed | null
  readonly check?: Effect.Effect<void, E> | undefined
}

/** Decides a write on a staged ledger, and places it if it is accepted. */
const stage = <E>(staged: StagedLedger, write: BulkWrite<E>): Effect.Effect<Staging<E>, E> => {
  if (write.kind === "prices") {
    return Effect.map(
      Effect.fromResult(write.check(staged.view)),
      () => ({ placed: staged.setPrices(write.prices) })
    )
  }
  if (write.kind === "head") {
    return Effect.map(
      Effect.fromResult(write.check(staged.view)),
      () => ({ placed: staged.setHead(write.head) })
    )
  }
  return Effect.fromResult(write.decide(staged.view)).pipe(
    Effect.flatMap((decision) =>
      decision.kind === "deferred" ? decision.resolve : Effect.succeed(decision)
    ),
    Effect.map((decision) =>
      decision.kind === "alreadyStored"
        ? { placed: null }
        : { placed: staged.place(decision.changes), check: decision.check }
    )
  )
}
