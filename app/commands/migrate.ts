import { Effect, Layer } from "effect"
import { databaseLayer, migrate as applyMigrations } from "../../adapters/sql/mod.ts"
import { connectionOptions, type ResolvedOptions, type settings } from "../config/mod.ts"

type Settings = ResolvedOptions<typeof settings.database & typeof settings.connections> & {
  readonly dryRun: boolean
}

/** Migrates the schema of a database; `serve` and `ingest` do so at start. */
export const migrate = ({ database, dryRun, ...settings }: Settings) =>
  Effect.scoped(Effect.gen(function*() {
    const services = yield* Layer.build(
      // `checkDatabase` has refused a command without one
      databaseLayer({ url: database!, ...connectionOptions(settings) })
    )
    const done = yield* Effect.provide(applyMigrations({ dryRun }), services)
    for (const { name, number } of dryRun ? done : []) {
      yield* Effect.log(`Migration ${number} (${name}) would be applied`)
    }
    if (done.length === 0) yield* Effect.log("The schema is up to date: there is nothing to apply")
  }))
