import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreFailure } from "../../../core/ports/mod.ts"
import type { Keccak256 } from "../../../core/encoding/mod.ts"
import {
  auditLedger,
  type AuditOptions,
  auditPoolPorts,
  type Findings,
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
import { auditFeeTotals, blockStatements } from "./_block_statements.ts"
import { entryStatements } from "./_entry_statements.ts"
import { auditGenesis, auditMigrations, auditVariables } from "./_ledger.ts"
import { auditPoolFees, poolStatements } from "./_pool_statements.ts"
import { rowStatements } from "./_row_statements.ts"

/** Options of `auditDatabase`. */
export interface DatabaseAuditOptions extends AuditOptions {
  readonly keccak256: Keccak256
}

const statements: ReadonlyArray<AuditStatement> = [
  ...rowStatements,
  ...blockStatements,
  ...entryStatements,
  ...poolStatements
]

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
    const pool = auditPoolPorts(
      { pool: poolReads(sql), reader: ports.reader },
      options.keccak256,
      findings
    )
    yield* reportDefects("pool-ledger", "pool", pool, findings)
  }).pipe(Effect.catchTag("SqlError", (error) => Effect.fail(storeFailure(error))))

const runStatements = (
  snapshot: AuditSnapshot,
  { onProgress }: DatabaseAuditOptions
): AuditStep =>
  Effect.gen(function*() {
    for (const [i, statement] of statements.entries()) {
      yield* onProgress({
        units: 0,
        share: statementsShare * i / statements.length,
        at: statement.check
      })
      yield* runStatement(snapshot, statement)
    }
    yield* auditFeeTotals(snapshot)
    yield* auditVariables(snapshot)
    yield* auditPoolFees(snapshot)
  })
