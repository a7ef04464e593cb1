import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { askRun } from "./_run.ts"
import { execute, urlOfDatabase } from "./_statements.ts"
import { createSchema, dropSchema } from "./_schema.ts"

/** An empty place of a caller's own. */
export interface FreshDatabase {
  /** For `PgClient`, `DATABASE_URL` of a program, or `psql`. */
  readonly url: string
  /** Removes it at once, with the sessions in it where it is a database; else it goes at the end of the run. */
  readonly remove: () => Promise<void>
}

/**
 * An empty database on the server that all test files of a run share; it starts with the first call and nothing is left of it
 * after the run. Where the environment has `DATABASE_URL`, an empty schema in that database instead: the URL then ends in
 * `options=-c search_path=<schema>`, which the server applies to each session before its first statement. So a name without a
 * schema, in a migration or in a query, means that schema, and `public` is not searched. `PgClient` hands `options` on as it is
 * unless it is given `startupOptions`, which replace it. Channels of NOTIFY and advisory locks belong to a database: schemas
 * share them, and `pg_catalog` lists the tables of all. A run that is killed leaves its schemas, `rollup_test_…`, on the given
 * server.
 */
export const freshDatabase = async (): Promise<FreshDatabase> =>
  process.env.DATABASE_URL ? freshSchema(process.env.DATABASE_URL) : newDatabase("template1")

/** A copy of a database of the shared server, to which nobody is connected any more. */
export const copiedDatabase = (url: string): Promise<FreshDatabase> =>
  newDatabase(new URL(url).pathname.slice(1))

const newDatabase = async (template: string): Promise<FreshDatabase> => {
  const server = await (shared ??= askRun("server"))
  const name = `test_${randomBytes(8).toString("hex")}`
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`) // its checkpoint costs little where nothing waits for the disk
  return {
    url: urlOfDatabase(server, name),
    remove: async () => void await execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
}

/**
 * An empty schema in the database of a URL, as the one above describes it. It comes some ten times as fast as a database: a
 * property with many cases takes one database for all and a schema for each.
 */
export const freshSchema = async (databaseUrl: string): Promise<FreshDatabase> => {
  const { name, url } = await createSchema(databaseUrl, inject("postgres").run)
  return { url, remove: async () => void await dropSchema(databaseUrl, name) }
}

/** Asked for once in a test file. */
let shared: Promise<string> | null = null
