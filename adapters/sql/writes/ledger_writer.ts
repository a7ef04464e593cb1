import { Context, Effect, type Scope } from "effect"
import type { BlockReport, LedgerWriter, StoreFailure } from "../../../core/ports/mod.ts"
import { Database, LastWrite } from "../connection/mod.ts"
import type { OnVersion } from "../reads/mod.ts"
import { WriterLease } from "./lease.ts"
import { applyWrites } from "./_apply_writes.ts"
import { makeWriteTransaction } from "./_write_transaction.ts"
import type { BulkWrite, WriteResult } from "./bulk_write.ts"

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
   * previous writes and fails with the refusal. Blocks that a later rollback of the call removes are
   * decided, but not inserted. All rows are in memory, and the transaction stays open during the
   * decisions, so pass a few thousand transactions of the rollup at a time.
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
  const applyAll: SqlLedgerWriter["applyAll"] = (writes) =>
    inTransaction((writeId) => applyWrites(sql, { writes, writeId })).pipe(
      Effect.flatMap((outcomes) => {
        const results = outcomes.flatMap((outcome) => outcome.results)
        const refused = outcomes.at(-1)?.refused ?? null
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
        Effect.map(applyOne({ kind: "rollBack", toBlock, check }), ({ rolledBack }) => rolledBack!)
    }
  }
})

const blockReport = ({ placed, snapshotId }: WriteResult): BlockReport =>
  placed?.kind === "block" ? { applied: true, snapshotId, placed } : { applied: false, snapshotId }
