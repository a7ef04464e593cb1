import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { leaseLayer } from "../../adapters/sql/writes/lease.ts"
import { Database, databaseLayer } from "../../adapters/sql/connection/database.ts"
import type { DatabaseError } from "../../adapters/sql/connection/failure.ts"
import { makeLedgerWriter, type SqlLedgerWriter } from "../../adapters/sql/writes/ledger_writer.ts"
import { openLedger } from "../../adapters/sql/writes/open_ledger.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import type { StoreFailure } from "../../core/ports/mod.ts"
import { migratedDatabase } from "./_migrated_database.ts"
import { scopedDatabase } from "../postgres/mod.ts"

/** A migrated database for one test, and a writer over it. */
export interface WriterDatabase {
  readonly sql: SqlClient.SqlClient
  readonly values: Database["Service"]["values"]
  readonly writer: SqlLedgerWriter
  /** Opens the ledger of a network, as any process may at any time. */
  readonly open: (genesis: GenesisFeed) => Effect.Effect<void, DatabaseError | StoreFailure>
}

export const writerDatabase: Effect.Effect<WriterDatabase, never, Scope.Scope> = Effect.gen(
  function*() {
    const { url } = yield* scopedDatabase(migratedDatabase)
    const services = yield* Layer.build(
      leaseLayer().pipe(Layer.provideMerge(databaseLayer({ url: Redacted.make(url) })))
    )
    const { values, writes: sql } = Context.get(services, Database)
    return {
      sql,
      values,
      writer: yield* Effect.provide(makeLedgerWriter(), services),
      open: (genesis: GenesisFeed) => Effect.provide(openLedger(genesis), services)
    }
  }
).pipe(Effect.orDie)

/**
 * Returns the content of every table of the ledger as text, one line for each row; `without` names
 * columns to leave out.
 */
export const contents = (
  sql: SqlClient.SqlClient,
  without: { readonly [table: string]: ReadonlyArray<string> } = {}
) =>
  Effect.orDie(Effect.gen(function*() {
    const tables: { [table: string]: ReadonlyArray<string> } = {}
    for (const table of ledgerTables) {
      // as JSON only if columns are named, because that is much slower
      const columns = without[table]?.reduce((row, column) =>
        `${row} - '${column}'`, "to_jsonb(r)") ??
        "r"
      const lines = yield* sql.unsafe<{ readonly line: string }>(
        `SELECT (${columns})::text AS line FROM ${table} AS r`
      )
      // sorted here, because sorting by a locale is slow in the server
      tables[table] = lines.map(({ line }) => line).sort()
    }
    return tables
  }))

/** The tables of the ledger. */
export const ledgerTables = [
  "genesis",
  "ledger",
  "block",
  "batch",
  "rollback",
  "account",
  "transaction",
  "queued_transaction",
  "exit",
  "withdrawal",
  "token",
  "price_change",
  "coordinator",
  "registration",
  "bid",
  "parameter_set",
  "posting",
  "open_item",
  "open_count"
]
