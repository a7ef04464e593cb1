import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreFailure } from "../../../core/ports/mod.ts"
import type { Keccak256 } from "../../../core/encoding/mod.ts"
import {
  auditLedger,
  type AuditOptions,
  type Findings,
  isPoolReconciled,
  reportDefects
} from "../../../core/use_cases/mod.ts"
import { readPlans, storeFailure } from "../connection/mod.ts"
import { poolReads } from "../pool/mod.ts"
import { makeLedgerHistory, makeLedgerReader } from "../reads/mod.ts"
import {
  type AuditSnapshot,
  type AuditStatement,
  type AuditStep,
  runStatement
} from "./_audit_snapshot.ts"
import { auditFeeTotals, batchStatements } from "./_batch_statements.ts"
import { blockStatements } from "./_block_statements.ts"
import { auditGenesis, auditMigrations, ledgerStatements } from "./_ledger.ts"
import { entryStatements } from "./_entry_statements.ts"
import { auditVariables } from "./_parameter_sets.ts"
import { auditPoolIds, poolStatements, reconciledStatements } from "./_pool_statements.ts"
import { queueStatements } from "./_queue_statements.ts"
import { registrationStatements } from "./_registration_statements.ts"

/** Options of `auditDatabase`. */
export interface DatabaseAuditOptions extends AuditOptions {
  readonly keccak256: Keccak256
}

const statementsByPart: { readonly [part: string]: ReadonlyArray<AuditStatement> } = {
  "ledger": ledgerStatements,
  "registrations": registrationStatements,
  "blocks": blockStatements,
  "batches": batchStatements,
  "queues": queueStatements,
  "lists": entryStatements,
  "pool": poolStatements
}

/** Share of the statements in the total time, for the progress. */
const statementsShare = 0.4

/** The plans of reads, see `readPlans`, which probe indexes for each page. */
const settings = Object.entries(readPlans).map(([name, value]) =>
  `set_config('${name}', '${value}', true)`
).join(", ")

/**
 * Checks all tables of a database, in the transaction of the caller: what only a rollback reads by
 * statements, everything else through the ports.
 */
export const auditTables = (
  sql: SqlClient.SqlClient,
  options: DatabaseAuditOptions,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    const snapshot = { sql, findings }
    if (!(yield* auditMigrations(snapshot))) {
      return findings.note(
        "The rest was not checked, because the schema differs from that of this program"
      )
    }
    const genesis = yield* auditGenesis(snapshot)
    if (genesis === undefined) {
      return findings.note(
        "The rest was not checked, because all other checks need the genesis record"
      )
    }
    yield* runStatements(snapshot, options)
    yield* sql.unsafe(`SELECT ${settings}`)
    const values = (text: string, parameters: ReadonlyArray<string | null>) =>
      sql.unsafe(text, parameters).values
    const ports = {
      reader: makeLedgerReader(values, { genesis }),
      history: makeLedgerHistory(values)
    }
    yield* auditLedger(ports, { genesis, keccak256: options.keccak256 }, {
      ...options,
      onProgress: ({ share = 0, ...progress }) =>
        options.onProgress({ ...progress, share: statementsShare + (1 - statementsShare) * share })
    }, findings)
    const comparePool = Effect.gen(function*() {
      const pool = poolReads(sql)
      if (!(yield* isPoolReconciled({ pool, reader: ports.reader }, findings))) return
      for (const statement of reconciledStatements) yield* runStatement(snapshot, statement)
    })
    yield* reportDefects("pool-ledger", "pool", comparePool, findings)
  }).pipe(Effect.catchTag("SqlError", (error) => Effect.fail(storeFailure(error))))

const runStatements = (
  snapshot: AuditSnapshot,
  { keccak256, onProgress }: DatabaseAuditOptions
): AuditStep =>
  Effect.gen(function*() {
    const parts = Object.entries(statementsByPart)
    for (const [i, [at, statements]] of parts.entries()) {
      for (const statement of statements) {
        yield* onProgress({ units: 0, share: statementsShare * i / parts.length, at })
        yield* runStatement(snapshot, statement)
      }
    }
    yield* auditFeeTotals(snapshot)
    yield* auditVariables(snapshot)
    yield* auditPoolIds(snapshot, keccak256)
  })
