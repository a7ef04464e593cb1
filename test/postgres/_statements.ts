import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

/**
 * Executes statements one after the other on a new connection, outside of a transaction; returns
 * the rows of the last one.
 */
export const execute = (
  url: string,
  ...statements: ReadonlyArray<string>
): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
  Effect.gen(function*() {
    const sql = yield* PgClient.makeClient({
      url: Redacted.make(url),
      connectTimeout: "60 seconds"
    })
    let rows: ReadonlyArray<Readonly<Record<string, unknown>>> = []
    for (const statement of statements) {
      rows = yield* sql.unsafe<Readonly<Record<string, unknown>>>(statement)
    }
    return rows
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)

/** Returns a URL with the same server and credentials and another database. */
export const urlOfDatabase = (url: string, database: string): string => {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}
