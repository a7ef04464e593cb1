import { Effect, Layer, Redacted } from "effect"
import { databaseLayer } from "../../adapters/sql/connection/database.ts"
import { migrate } from "../../adapters/sql/schema/migrate.ts"
import { copiedDatabase, type FreshDatabase, freshDatabase } from "../postgres/mod.ts"

/** One for all tests of a process: copying the tables is much faster than creating them. */
let original: Promise<FreshDatabase> | null = null

const newDatabase = async (): Promise<FreshDatabase> => {
  const fresh = await freshDatabase()
  await Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        Layer.build(databaseLayer({ url: Redacted.make(fresh.url) })),
        (services) => Effect.provide(migrate(), services)
      )
    )
  )
  return fresh
}

/**
 * Returns a new database with all migrations applied, for tests that are not about migrations. All
 * have the same time of creation, which a program uses as the identity of the ledger.
 */
export const migratedDatabase = async (): Promise<FreshDatabase> =>
  process.env.DATABASE_URL
    ? newDatabase()
    : copiedDatabase((await (original ??= newDatabase())).url)
