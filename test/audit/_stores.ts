import { Context, Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { exitTree, keccak256 } from "../../adapters/crypto/mod.ts"
import {
  type BulkWrite,
  BulkWriter,
  Database,
  databaseLayer,
  sqlStores
} from "../../adapters/sql/mod.ts"
import { auditTables } from "../../adapters/sql/audit/_audit_tables.ts"
import type { BulkRecord } from "../../app/commands/ingest.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { encodeFloat40 } from "../../core/encoding/mod.ts"
import { LedgerReader, SignatureVerifier } from "../../core/ports/mod.ts"
import {
  type AuditReport,
  type BlockViolation,
  decideBlock,
  decideHead,
  decidePrices,
  decideRollBack,
  Findings,
  Ledger,
  Pool,
  pooledLedger,
  Submission
} from "../../core/use_cases/mod.ts"
import { treeHashes } from "../../app/commands/verify/verify.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import { postedTransferOf } from "../laws/pool/_pool_rows.ts"
import type { Network } from "../properties/_networks.ts"

/** Accepts all signatures. */
export const honest = Layer.succeed(SignatureVerifier, {
  transaction: () => Effect.succeed(true),
  authorization: () => Effect.succeed(true)
})

/** Returns a record with its decision or check. */
export const bulkWriteOf = (
  { block, constants }: GenesisFeed,
  record: BulkRecord
): BulkWrite<BlockViolation> => {
  switch (record.kind) {
    case "block":
      return { ...record, decide: decideBlock({ constants, keccak256 }, record.block) }
    case "prices":
      return { ...record, check: decidePrices(record.prices) }
    case "head":
      return { ...record, check: decideHead(constants.auction, record.head) }
    case "rollBack":
      return { ...record, check: decideRollBack(block.number, record.toBlock) }
  }
}

/**
 * Writes a network into an empty database: rollbacks one by one, the blocks between them together,
 * with posts and forging now and then.
 */
export const play = Effect.fnUntraced(
  function*(url: string, { genesis, records }: Network, seed: string) {
    const stores = yield* Layer.build(Layer.fresh(sqlStores({ url: Redacted.make(url), genesis })))
    const services = yield* Layer.build(
      pooledLedger(genesis, keccak256).pipe(
        Layer.provideMerge(
          Layer.merge(
            Pool.layer({ keccak256 }),
            Submission.layer({ network: genesis.network, keccak256 })
          )
        ),
        Layer.provide(Layer.merge(Layer.succeedContext(stores), honest))
      )
    )
    const [bulk, reader, ledger, pool, submission] = [
      Context.get(stores, BulkWriter),
      Context.get(stores, LedgerReader),
      Context.get(services, Ledger),
      Context.get(services, Pool),
      Context.get(services, Submission)
    ]
    const random = new SeededRandom(seed)
    let waiting: Array<BulkRecord> = []
    const flush = Effect.suspend(() => {
      const writes = waiting.map((record) => bulkWriteOf(genesis, record))
      waiting = []
      return writes.length === 0 ? Effect.void : Effect.andThen(bulk.applyAll(writes), post)
    })
    const post = Effect.gen(function*() {
      const { items } = yield* reader.list("accounts", { filters: {}, limit: 50 })
      for (let i = 0; i < 3 && items.length > 0; i++) {
        const { account } = random.of(items)
        const amount = account.balance / 1000n / 10n ** 6n * 10n ** 6n
        if (Result.isFailure(encodeFloat40(amount))) continue
        const transaction = postedTransferOf({
          type: "Exit",
          tokenId: account.tokenId,
          fromAccountIndex: account.index,
          toAccountIndex: 1,
          amount,
          fee: 100 + i,
          nonce: account.nonce
        }, keccak256)
        yield* Effect.ignore(submission.submitTransaction(transaction))
      }
      yield* pool.reconcile
      const { batchNum, transactions } = yield* pool.select({ maxTransactions: 2 })
      const ids = transactions.map(({ transaction }) => transaction.id)
      yield* pool.startForging(ids, batchNum)
      if (random.chance(0.5)) yield* pool.doneForging(ids.slice(0, 1), batchNum)
    })
    for (const record of records) {
      if (record.kind !== "genesis" && record.kind !== "rollBack") waiting.push(record)
      else {
        yield* flush
        yield* ledger.applyRecord(record)
      }
      if (waiting.length >= 60) yield* flush
    }
    yield* flush
    yield* pool.reconcile
  }
)

/** Opens the connections to a database. */
export const openDatabase = (url: string) =>
  Effect.map(Layer.build(databaseLayer({ url: Redacted.make(url) })), Context.get(Database))

export interface AuditRequest {
  readonly proofs?: boolean
  readonly stateRoot?: boolean
}

/** Returns the violations that an audit finds within the current transaction. */
export const auditIn = (
  sql: SqlClient.SqlClient,
  { proofs = false, stateRoot = false }: AuditRequest = {}
): Effect.Effect<AuditReport, unknown> =>
  Effect.gen(function*() {
    const findings = new Findings()
    yield* auditTables(sql, {
      keccak256,
      buildExitTrees: proofs ? (batches) => Effect.sync(() => batches.map(exitTree)) : null,
      tree: stateRoot ? treeHashes : null,
      onProgress: () => Effect.void
    }, findings)
    return findings.report()
  })

const undone = "undone"

/** The owner of the tables may drop constraints, but not disable triggers. */
const withoutReferences = `DO $$
  DECLARE reference record;
  BEGIN
    FOR reference IN SELECT conrelid::regclass AS place, conname AS name FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace LOOP
      EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', reference.place, reference.name);
    END LOOP;
  END
$$`

/** Returns the violations after some statements, which are rolled back afterwards. */
export const auditDamaged = (
  sql: SqlClient.SqlClient,
  statements: ReadonlyArray<string>,
  auditRequest?: AuditRequest
): Effect.Effect<AuditReport, unknown> =>
  Effect.gen(function*() {
    let report: AuditReport | undefined
    yield* sql.withTransaction(Effect.gen(function*() {
      // constraints of the tables would refuse some damages
      yield* sql.unsafe(withoutReferences)
      for (const statement of statements) yield* sql.unsafe(statement)
      report = yield* auditIn(sql, auditRequest)
      return yield* Effect.fail(undone)
    })).pipe(Effect.catchIf((error) => error === undone, () => Effect.void))
    return report!
  })
