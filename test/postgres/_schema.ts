import { randomBytes } from "node:crypto"
import { execute } from "./_statements.ts"

const prefixOf = (run: string): string => `rollup_test_${run}_`

/** Creates an empty schema; returns a URL whose sessions see only this schema. */
export const createSchema = async (
  url: string,
  run: string
): Promise<{ readonly name: string; readonly url: string }> => {
  const name = `${prefixOf(run)}${randomBytes(8).toString("hex")}`
  await execute(url, `CREATE SCHEMA ${name}`)
  return { name, url: withSearchPath(url, name) }
}

export const dropSchema = (url: string, name: string): Promise<unknown> =>
  execute(url, `DROP SCHEMA IF EXISTS ${name} CASCADE`)

/** Drops the schemas of a run. */
export const dropSchemas = async (url: string, run: string): Promise<void> => {
  const rows = await execute(
    url,
    `SELECT nspname::text AS name FROM pg_namespace WHERE starts_with(nspname::text, '${
      prefixOf(run)
    }')`
  )
  for (const { name } of rows) await dropSchema(url, String(name))
}

/**
 * The server reads `options` when a session begins; of two settings the last one counts, so those
 * of the URL stay.
 */
const withSearchPath = (url: string, schema: string): string => {
  const chosen = new URL(url)
  const existing = chosen.searchParams.get("options")
  chosen.searchParams.delete("options")
  const options = encodeURIComponent(
    `${existing === null ? "" : `${existing} `}-c search_path=${schema}`
  )
  // not by URLSearchParams, which writes a space as "+"; libpq does not decode that
  chosen.search = `${chosen.search === "" ? "?" : `${chosen.search}&`}options=${options}`
  return chosen.href
}
