import { Effect, Layer, Redacted } from "effect"
import { databaseLayer } from "../../adapters/sql/connection/database.ts"
import { migrate } from "../../adapters/sql/schema/migrate.ts"
import { copiedDatabase, type FreshDatabase, freshDatabase } from "../postgres/mod.ts"

/** One for all tests of a process: to copy the tables takes a fraction of the time that making them takes. */
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
 * A fresh database in which every migration is applied, for tests that are not about migrations. The moment at which that happened is the
 * same in all of them; a program takes it for the name of the ledger.
 */
export const migratedDatabase = async (): Promise<FreshDatabase> =>
  process.env.DATABASE_URL
    ? newDatabase()
    : copiedDatabase((await (original ??= newDatabase())).url)
