import { Effect, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { askRun } from "./_run.ts"
import { execute, urlOfDatabase } from "./_statements.ts"
import { createSchema, dropSchema } from "./_schema.ts"

/** An empty database or schema of one caller. */
export interface FreshDatabase {
  /** For `PgClient`, `DATABASE_URL` of a program, or `psql`. */
  readonly url: string
  /** Removes a database at once, with its sessions; a schema is removed at the end of the run. */
  readonly remove: () => Promise<void>
}

/**
 * Returns an empty database on the server that all test files of a run share. The server starts
 * with the first call and is removed after the run.
 *
 * If the environment has `DATABASE_URL`, returns an empty schema in that database instead. The URL
 * then ends in `options=-c search_path=<schema>`, which the server applies to each session before
 * its first statement: a name without a schema means that schema, and `public` is not searched.
 * `PgClient` passes `options` on unless it gets `startupOptions`, which replace it. Channels of
 * NOTIFY and advisory locks belong to a database: schemas share them, and `pg_catalog` lists the
 * tables of all. A run that is killed leaves its schemas, `rollup_test_…`, on that server.
 */
export const freshDatabase = async (): Promise<FreshDatabase> =>
  process.env.DATABASE_URL ? freshSchema(process.env.DATABASE_URL) : newDatabase("template1")

/** Returns a copy of a database of the shared server; it must not have open connections. */
export const copiedDatabase = (url: string): Promise<FreshDatabase> =>
  newDatabase(new URL(url).pathname.slice(1))

const newDatabase = async (template: string): Promise<FreshDatabase> => {
  const server = await (shared ??= askRun("server"))
  const name = `test_${randomBytes(8).toString("hex")}`
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`) // its checkpoint is cheap because nothing waits for the disk
  return {
    url: urlOfDatabase(server, name),
    remove: async () => void await execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
}

/**
 * Returns an empty schema in the database of a URL, as `freshDatabase` describes it. It is about
 * ten times as fast as a database: a property with many cases uses one database for all and a
 * schema for each.
 */
export const freshSchema = async (databaseUrl: string): Promise<FreshDatabase> => {
  const { name, url } = await createSchema(databaseUrl, inject("postgres").run)
  return { url, remove: async () => void await dropSchema(databaseUrl, name) }
}

/** A database that is removed with the scope. */
export const scopedDatabase = (
  create: () => Promise<FreshDatabase>
): Effect.Effect<FreshDatabase, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(create), ({ remove }) => Effect.promise(remove))

/** Requested once in a test file. */
let shared: Promise<string> | null = null
