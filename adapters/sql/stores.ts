import { Context, Effect, Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import {
  ChangeSource,
  LedgerHistory,
  LedgerReader,
  LatestLedgerVersion,
  LedgerWriter,
  PoolStore,
  LatestPoolVersion,
  StoreDescription,
  type StoreFailure
} from "../../core/ports/mod.ts"
import {
  Database,
  type DatabaseError,
  databaseLayer,
  type DatabaseOptions,
  replicaReads,
  storeFailure
} from "./connection/mod.ts"
import { changeSource } from "./change_source.ts"
import { LedgerVersions, recordPoolChange, versionsLayer } from "./notifications/mod.ts"
import { openPool } from "./pool/mod.ts"
import {
  isCopyOf,
  limitPairReads,
  type LedgerReaderOptions,
  makeLedgerHistory,
  makeLedgerReader,
  type OnVersion,
  preferReplica
} from "./reads/mod.ts"
import { databaseHealth, migrate, migrations } from "./schema/mod.ts"
import {
  BulkWriter,
  leaseLayer,
  type LeaseOptions,
  makeLedgerWriter,
  openLedger
} from "./writes/mod.ts"

/** Options of `sqlStores`. */
export interface SqlStoresOptions extends DatabaseOptions, LedgerReaderOptions {
  /** The network, and the last block before the ledger begins. It must match the database. */
  readonly genesis: GenesisFeed
  /**
   * URL of a replica, which may lag, for reads of the ledger. Its answer is used if it is at least
   * as new as every version that this process has returned or written. It must be a copy of the
   * database, which is checked before its first use.
   */
  readonly replicaUrl?: Redacted.Redacted
  /** The lease of the process that writes the ledger. */
  readonly lease?: LeaseOptions
}

/** The services of `sqlStores`. */
export type SqlStores =
  | BulkWriter
  | LedgerHistory
  | LedgerReader
  | LedgerWriter
  | PoolStore
  | LedgerVersions

/**
 * Returns the stores of ledger and pool over one PostgreSQL database. Any number of processes can
 * share it: all of them read and accept posts, and one at a time writes the ledger. Building the
 * layer updates the schema, opens the ledger, and waits up to `waitMs` for an unreachable database. It
 * fails with a `DatabaseError` if the URL is invalid, the server rejects the connection, the database
 * holds another ledger or has a newer schema, or the replica is no copy of it; and with a
 * `StoreFailure` if a statement fails.
 *
 * @example
 * ```ts
 * import { Effect, Layer, Redacted } from "effect"
 * import { simulate } from "rollup-node-api/simulator"
 * import { sqlStores } from "rollup-node-api/sql"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const stores = sqlStores({ genesis, url: Redacted.make("mysql://localhost/rollup") })
 *
 * const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(stores))))
 * console.log(error._tag, "reason" in error && error.reason) // => DatabaseError url
 * ```
 */
export const sqlStores = (
  options: SqlStoresOptions
): Layer.Layer<SqlStores, DatabaseError | StoreFailure> => {
  const { genesis, lease, maxFeeUSD, minFeeUSD, recommendedFeeUSD, replicaUrl } = options
  const ledger = Layer.effectContext(Effect.gen(function*() {
    const { reads, values } = yield* Database
    const versions = yield* LedgerVersions
    const { latest, latestPool, pool, recordVersion, snapshot } = versions
    let seenVersion = 0
    const onVersion: OnVersion = replicaUrl === undefined ? recordVersion : (version) => {
      seenVersion = Math.max(seenVersion, version)
      return recordVersion(version)
    }
    const { applyAll, port: writer } = yield* makeLedgerWriter(onVersion)
    const primary = makeLedgerReader(values, options, onVersion)
    const reader = replicaUrl === undefined
      ? primary
      : yield* Effect.flatMap(
        replicaReads({ ...options, url: replicaUrl }),
        (replica) =>
          preferReplica(primary, makeLedgerReader(replica.values, options, onVersion), {
            isCopy: isCopyOf(reads, replica.sql),
            seenVersion: () => seenVersion
          })
      )
    // the state shows a fee by these options
    const id = `${yield* ledgerId(reads)} ${minFeeUSD} ${maxFeeUSD} ${recommendedFeeUSD}`
    const latestVersion = { id, version: latest, snapshot, isRemote: true }
    return Context.make(
      LedgerReader,
      yield* limitPairReads(reader, options.pairReadsMax)
    ).pipe(
      Context.add(LedgerHistory, makeLedgerHistory(values, onVersion)),
      Context.add(LedgerWriter, writer),
      Context.add(BulkWriter, { applyAll }),
      Context.add(LatestLedgerVersion, latestVersion),
      Context.add(PoolStore, yield* openPool(recordPoolChange(pool))),
      Context.add(LatestPoolVersion, { version: latestPool }),
      Context.add(StoreDescription, yield* describe(reads)),
      Context.add(ChangeSource, changeSource(reads, primary, versions))
    )
  }))
  // before any other statement
  const opening = Layer.effectDiscard(
    Effect.andThen(Effect.andThen(migrate(), openLedger(genesis)), databaseHealth)
  )
  return Layer.provideMerge(ledger, versionsLayer()).pipe(
    Layer.provide(leaseLayer(lease)),
    Layer.provide(opening),
    Layer.provide(databaseLayer(options))
  )
}

/** Returns the version of the server, and the migration that the opening has applied last. */
const describe = (sql: SqlClient.SqlClient) => {
  const last = migrations.at(-1)!
  return sql.unsafe<{ readonly version: string }>(
    "SELECT current_setting('server_version') AS version"
  ).pipe(
    Effect.map(([row]) => ({
      version: `PostgreSQL ${row!.version}`,
      lastMigration: `${last.number} ${last.name}`
    })),
    Effect.mapError(storeFailure)
  )
}

/**
 * Returns the identity of the ledger in this database. Versions repeat with other contents after a
 * backup is restored or a replica that lags is promoted, so the id names what these change: the
 * database, its tables, and the start of its server.
 */
const ledgerId = (sql: SqlClient.SqlClient) =>
  sql.unsafe<{ readonly id: string }>(ledgerIdStatement).pipe(
    Effect.map(([row]) => row!.id),
    Effect.mapError(storeFailure)
  )
const ledgerIdStatement = `
SELECT concat_ws(' ', extract(epoch FROM applied_at), 'ledger'::regclass::oid, pg_database.oid, extract(epoch FROM pg_postmaster_start_time())) AS id
FROM migration CROSS JOIN pg_database WHERE number = 1 AND datname = current_database()`
