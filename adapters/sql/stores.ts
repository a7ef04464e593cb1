import { Context, Effect, Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import {
  LedgerReader,
  LedgerTip,
  LedgerWriter,
  PoolStore,
  PoolTip,
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
import { LedgerVersions, versionsLayer } from "./notifications/mod.ts"
import { openPool } from "./pool/mod.ts"
import {
  type LedgerReaderOptions,
  makeLedgerReader,
  type OnVersion,
  preferReplica
} from "./reads/mod.ts"
import { migrate, databaseHealth } from "./schema/mod.ts"
import {
  BulkWriter,
  leaseLayer,
  type LeaseOptions,
  makeLedgerWriter,
  openLedger
} from "./writes/mod.ts"

export interface SqlStoresOptions extends DatabaseOptions, Omit<LedgerReaderOptions, "auction"> {
  /** The network, and the block before the first one that is applied. A database that holds another ledger is refused. */
  readonly genesis: GenesisFeed
  /** A copy of the database that may lag behind, to read the ledger from. */
  readonly replicaUrl?: Redacted.Redacted
  /** How the right to write the ledger is held. */
  readonly lease?: LeaseOptions
}

/** What stands behind stores in a database. */
export type SqlStores = BulkWriter | LedgerReader | LedgerWriter | PoolStore | LedgerVersions

/**
 * Both stores over one PostgreSQL database, which any number of processes may share: all of them read and take posts, one at a time
 * writes the ledger. Brings the schema up to date and opens the ledger first. Waits for a database that cannot be reached; fails where it
 * refuses us, holds another ledger, or is newer than this program.
 */
export const sqlStores = (
  options: SqlStoresOptions
): Layer.Layer<SqlStores, DatabaseError | StoreFailure> => {
  const { genesis, lease, maxFeeUSD, minFeeUSD, replicaUrl } = options
  const reading: LedgerReaderOptions = {
    auction: genesis.constants.auction,
    ...(minFeeUSD === undefined ? {} : { minFeeUSD }),
    ...(maxFeeUSD === undefined ? {} : { maxFeeUSD })
  }
  const ledger = Layer.effectContext(Effect.gen(function*() {
    const { reads, values } = yield* Database
    const { isReceiving, latest, pool, recordVersion, snapshot } = yield* LedgerVersions
    let seenVersion = 0
    const onVersion: OnVersion = replicaUrl === undefined ? recordVersion : (version) => {
      seenVersion = Math.max(seenVersion, version)
      return recordVersion(version)
    }
    const { applyAll, port: writer } = yield* makeLedgerWriter(onVersion)
    const primary = makeLedgerReader(values, reading, onVersion)
    const reader = replicaUrl === undefined
      ? primary
      : preferReplica(
        primary,
        makeLedgerReader(
          (yield* replicaReads({ ...options, url: replicaUrl })).values,
          reading,
          onVersion
        ),
        () => seenVersion
      )
    // the state shows a fee within these bounds
    const id = `${yield* ledgerId(reads)} ${minFeeUSD} ${maxFeeUSD}`
    const tip = { id, version: latest, snapshot, isRemote: true }
    return Context.make(LedgerReader, reader).pipe(
      Context.add(LedgerWriter, writer),
      Context.add(BulkWriter, { applyAll }),
      Context.add(LedgerTip, tip),
      Context.add(PoolStore, pool.recordWrites(yield* openPool)),
      Context.add(PoolTip, pool.tip(isReceiving))
    )
  }))
  // before anything asks for a table
  const opened = Layer.effectDiscard(
    Effect.andThen(Effect.andThen(migrate(), openLedger(genesis)), databaseHealth)
  )
  return Layer.provideMerge(ledger, versionsLayer()).pipe(
    Layer.provide(leaseLayer(lease)),
    Layer.provide(opened),
    Layer.provide(databaseLayer(options))
  )
}

/** A schema is made once: the time of its first migration tells it from every other one. */
const ledgerId = (sql: SqlClient.SqlClient) =>
  sql.unsafe<{ readonly id: string }>(
    "SELECT extract(epoch FROM applied_at)::text AS id FROM migration WHERE number = 1"
  ).pipe(
    Effect.map(([row]) => row!.id),
    Effect.mapError(storeFailure)
  )
