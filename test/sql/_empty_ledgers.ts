import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { afterAll } from "vitest"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { leaseLayer } from "../../adapters/sql/writes/lease.ts"
import { Database, databaseLayer } from "../../adapters/sql/connection/database.ts"
import type { LastWrite } from "../../adapters/sql/connection/last_write.ts"
import { makeLedgerHistory } from "../../adapters/sql/reads/ledger_history.ts"
import { makeLedgerReader } from "../../adapters/sql/reads/ledger_reader.ts"
import { makeLedgerWriter } from "../../adapters/sql/writes/ledger_writer.ts"
import { openLedger } from "../../adapters/sql/writes/open_ledger.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerReader, LedgerWriter } from "../../core/ports/mod.ts"
import { Ledger, type SlowChecks } from "../../core/use_cases/mod.ts"
import type { OpenHistory } from "../laws/mod.ts"
import { rememberedExitTrees } from "../derived/_stripped.ts"
import { migratedDatabase } from "./_migrated_database.ts"
import { ledgerTables } from "./_writer_database.ts"
import { scopedDatabase } from "../postgres/mod.ts"

/** A ledger in a database, and the services behind its ports. */
export interface SqlLedger extends OpenHistory {
  readonly writer: LedgerWriter["Service"]
  readonly database: Database["Service"]
}

interface FreeDatabase {
  readonly services: Context.Context<Database | LastWrite | Scope.Scope>
  readonly lease: Layer.Layer<Layer.Success<ReturnType<typeof leaseLayer>>>
}

/**
 * Opens empty ledgers for the cases of a test file. A closed ledger leaves its database, which is
 * then emptied: this takes a tenth of the time of a new one. Pass no checks for blocks with made-up
 * exit roots.
 */
export const emptyLedgers = Effect.gen(function*() {
  const scope = yield* Effect.scope
  const free: Array<FreeDatabase> = []

  const newDatabase = Effect.gen(function*() {
    const { url } = yield* scopedDatabase(migratedDatabase)
    const services = yield* Layer.build(
      databaseLayer({ url: Redacted.make(url), maxConnections: 4 })
    )
    const lease = leaseLayer().pipe(Layer.provide(Layer.succeedContext(services)))
    return { services: services as never, lease } as FreeDatabase
  }).pipe(Scope.provide(scope), Effect.orDie)

  return (
    genesis: GenesisFeed,
    checks: SlowChecks = { buildExitTrees: rememberedExitTrees }
  ): Effect.Effect<SqlLedger, never, Scope.Scope> =>
    Effect.gen(function*() {
      const freeDatabase = yield* Effect.acquireRelease(
        Effect.suspend(() => {
          const reusable = free.pop()
          return reusable === undefined ? newDatabase : Effect.succeed(reusable)
        }),
        (freeDatabase) => Effect.sync(() => void free.push(freeDatabase))
      )
      const database = Context.get(freeDatabase.services, Database)
      yield* database.writes.unsafe(`TRUNCATE ${ledgerTables.join(", ")}`)
      yield* Effect.provide(openLedger(genesis), freeDatabase.services)
      const services = yield* Layer.build(Layer.fresh(
        Ledger.layer(genesis, keccak256, checks).pipe(
          Layer.provideMerge(
            Layer.merge(
              Layer.succeed(LedgerReader, makeLedgerReader(database.values, { genesis })),
              Layer.effect(LedgerWriter, Effect.map(makeLedgerWriter(), ({ port }) => port)).pipe(
                Layer.provide(freeDatabase.lease)
              )
            )
          ),
          Layer.provide(Layer.succeedContext(freeDatabase.services))
        )
      ))
      return {
        reader: Context.get(services, LedgerReader),
        history: makeLedgerHistory(database.values),
        writer: Context.get(services, LedgerWriter),
        ledger: Context.get(services, Ledger),
        database
      }
    }).pipe(Effect.orDie)
})

/** The same for a test file, and the scope of the databases, which closes after the last test. */
export const emptyLedgersOfFile = () => {
  const scope = Scope.makeUnsafe()
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), 60_000)
  const opened = Effect.runSync(Effect.cached(Scope.provide(emptyLedgers, scope)))
  return {
    scope,
    open: (...parameters: Parameters<Effect.Success<typeof emptyLedgers>>) =>
      Effect.flatMap(opened, (openOn) => openOn(...parameters))
  }
}
