import { Context, Effect, Layer, Result } from "effect"
import type { BlockFeed } from "../../core/domain/mod.ts"
import { type Decision, type LedgerStamp, type LedgerView, LedgerWriter, type StoreFailure } from "../../core/ports/mod.ts"
import { WriterLease } from "./_lease.ts"
import { loadView } from "./_load_view.ts"
import { rollBackTo } from "./_roll_back.ts"
import { WorkingView } from "./_view.ts"
import { ViewNeeds } from "./_view_needs.ts"
import { writeRows } from "./_write_rows.ts"
import { makeWriteTransaction } from "./_write_transaction.ts"
import { Database } from "./database.ts"

/** What came of one block. */
export interface Applied {
  readonly applied: boolean
  readonly stamp: LedgerStamp
}

/** Writes many blocks at once, for loading a feed. */
export class BulkWriter extends Context.Service<BulkWriter, {
  /**
   * Applies consecutive blocks in one transaction, each decided on what the ones before it leave; much faster than one by one. Where a
   * decision refuses a block, the blocks before it are stored and the call fails with that. The blocks are held in memory, and the
   * database waits while they are decided: some thousand transactions together are a good size.
   */
  readonly applyAll: <E>(
    blocks: ReadonlyArray<BlockFeed>, decide: (block: BlockFeed) => (view: LedgerView) => Result.Result<Decision, E>
  ) => Effect.Effect<ReadonlyArray<Applied>, E | StoreFailure>
}>()("rollup/sql/BulkWriter") {}

/** The port, and the way to write many blocks. */
export interface SqlLedgerWriter {
  readonly port: LedgerWriter["Service"]
  readonly applyAll: BulkWriter["Service"]["applyAll"]
}

/** Serves the writing port from a database that is migrated and opened. */
export const makeLedgerWriter: Effect.Effect<SqlLedgerWriter, never, Database | WriterLease> = Effect.gen(function*() {
  const { writes: sql } = yield* Database
  const inTransaction = makeWriteTransaction(sql, yield* WriterLease)

  const applyAll: SqlLedgerWriter["applyAll"] = <E>(
    blocks: ReadonlyArray<BlockFeed>, decide: (block: BlockFeed) => (view: LedgerView) => Result.Result<Decision, E>
  ) =>
    inTransaction<{ readonly applied: ReadonlyArray<Applied>; readonly refused: { readonly reason: E } | null }, never>((writeId) =>
      Effect.gen(function*() {
        const view = new WorkingView(yield* loadView(sql, new ViewNeeds(blocks)))
        const applied: Array<Applied> = []
        let refused: { readonly reason: E } | null = null
        for (const block of blocks) {
          const decision = decide(block)(view)
          if (Result.isFailure(decision)) {
            refused = { reason: decision.failure }
            break
          }
          if (decision.success.kind === "store") view.apply(decision.success.changes)
          applied.push({ applied: decision.success.kind === "store", stamp: view.stamp })
        }
        const changed = applied.some((each) => each.applied)
        if (changed) yield* writeRows(sql, view, writeId)
        return { answer: { applied, refused }, changed }
      })).pipe(Effect.flatMap(({ applied, refused }) => refused === null ? Effect.succeed(applied) : Effect.fail(refused.reason)))

  return {
    applyAll,
    port: {
      apply: (block, decide) => Effect.map(applyAll([block], () => decide), ([applied]) => applied!),
      rollBack: (toBlock, check) =>
        inTransaction((writeId) => Effect.gen(function*() {
          const needs = new ViewNeeds([])
          needs.addBlock(toBlock)
          const view = new WorkingView(yield* loadView(sql, needs))
          yield* Effect.fromResult(check(view))
          return { answer: yield* rollBackTo(sql, view, { toBlock, writeId }), changed: true }
        })),
      setPrices: (prices, check) =>
        inTransaction((writeId) => Effect.gen(function*() {
          const view = new WorkingView(yield* loadView(sql, ViewNeeds.ofPrices(prices)))
          yield* Effect.fromResult(check(view))
          const [row] = yield* sql.unsafe<{ readonly place: bigint }>(nextPlaceStatement, [`${view.lastBlock.number}`])
          view.setPrices(prices, Number(row!.place))
          yield* writeRows(sql, view, writeId)
          return { answer: view.stamp, changed: true }
        }))
    }
  }
})

const nextPlaceStatement = "SELECT coalesce(max(place) + 1, 0) AS place FROM price_change WHERE ethereum_block_num = $1::numeric"

/** Both over `Database`, for the process that holds the lease. */
export const ledgerWriterLayer: Layer.Layer<LedgerWriter | BulkWriter, never, Database | WriterLease> =
  Layer.effectContext(Effect.map(makeLedgerWriter, ({ applyAll, port }) => Context.make(LedgerWriter, port).pipe(Context.add(BulkWriter, { applyAll }))))
