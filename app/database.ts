import { Effect, Option, type Redacted } from "effect"
import { CliError } from "effect/cli"

/** The database that a command works on; without one it ends with a sentence. */
export const databaseOf = (database: Option.Option<Redacted.Redacted>) =>
  Option.match(database, {
    onSome: Effect.succeed,
    onNone: () => userError("No database is named: give one with --database or DATABASE_URL, such as postgresql://user:password@localhost:5432/rollup")
  })

/** Ends the program with a sentence for its user; stacks are for what nobody expected. */
export const userError = (userMessage: string, cause: unknown = userMessage) => Effect.fail(new CliError.UserError({ cause, userMessage }))

/** Every failure that has a message of its own ends the program with it. */
export const userErrors = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, CliError.UserError, R> =>
  Effect.catch(effect, (error) => error instanceof CliError.UserError ? Effect.fail(error) : userError(error instanceof Error ? error.message : String(error), error))
