import { Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { databaseOf, userErrors } from "./database.ts"
import * as options from "./options.ts"

const dryRun = Flag.Boolean("dry-run").pipe(Flag.withDefault(false), Flag.withDescription("Only tell what would be applied"))

/** Brings the schema of a database up to date; `serve` and `ingest` do so by themselves. */
export const migrate = Command.make("migrate", { database: options.database, dryRun }, ({ database, dryRun }) =>
  Effect.scoped(Effect.gen(function*() {
    const url = yield* databaseOf(database)
    const sql = yield* Effect.promise(() => import("../adapters/sql/mod.ts"))
    const services = yield* Layer.build(sql.databaseLayer({ url }))
    const done = yield* Effect.provide(sql.migrate({ dryRun }), services)
    for (const { name, number } of dryRun ? done : []) yield* Effect.log(`Migration ${number} (${name}) would be applied`)
    if (done.length === 0) yield* Effect.log("The schema is up to date: there is nothing to apply")
  })).pipe(userErrors)).pipe(Command.withDescription("Bring the schema of a PostgreSQL database up to date"))
