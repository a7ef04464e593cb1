import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { execute } from "./_statements.ts"
import { type Cluster, freshDatabase, startCluster } from "./mod.ts"

const tablesOf = (url: string) =>
  execute(
    url,
    "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
  )

/**
 * Checks two databases with a table of the same name each, and what is left when the first is
 * removed.
 */
const areApart = async () => {
  const [one, other] = await Promise.all([freshDatabase(), freshDatabase()])
  assert.deepStrictEqual([await tablesOf(one.url), await tablesOf(other.url)], [[], []])
  await execute(one.url, "CREATE TABLE mine AS SELECT 1 AS n")
  assert.deepStrictEqual(await tablesOf(other.url), [])
  await execute(other.url, "CREATE TABLE mine AS SELECT 2 AS n")
  assert.deepStrictEqual([
    await execute(one.url, "SELECT n FROM mine"),
    await execute(other.url, "SELECT n FROM mine")
  ], [[{ n: 1 }], [{ n: 2 }]])
  await one.remove()
  assert.deepStrictEqual(await execute(other.url, "SELECT n FROM mine"), [{ n: 2 }])
  return { one, other }
}

describe("a fresh database on the server of the run", () => {
  it("is empty, separate from every other one, and gone when it is removed", async () => {
    vi.stubEnv("DATABASE_URL", undefined)
    const { one, other } = await areApart()
    const left = await execute(other.url, "SELECT datname::text AS name FROM pg_database")
    assert.include(left.map(({ name }) => `/${name}`), new URL(other.url).pathname)
    assert.notInclude(left.map(({ name }) => `/${name}`), new URL(one.url).pathname)
    await other.remove()
    vi.unstubAllEnvs()
  })
})

describe("a fresh database on a given server", () => {
  let ownCluster: Cluster
  let database: string
  beforeAll(async () => {
    ownCluster = await startCluster({ durable: false })
    database = await ownCluster.createDatabase()
    await execute(database, "CREATE TABLE public.theirs AS SELECT 1 AS n")
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await ownCluster.remove()
  })

  it("is a new schema in that database, and gone when it is removed", async () => {
    vi.stubEnv("DATABASE_URL", database)
    const { other } = await areApart()
    assert.strictEqual(new URL(other.url).pathname, new URL(database).pathname)
    const schemas = () =>
      execute(
        database,
        "SELECT nspname::text AS name FROM pg_namespace WHERE starts_with(nspname::text, 'rollup_test_')"
      )
    assert.strictEqual((await schemas()).length, 1)
    await other.remove()
    assert.deepStrictEqual(await schemas(), [])
    assert.deepStrictEqual(await execute(database, "SELECT n FROM theirs"), [{ n: 1 }])
  })

  it("keeps the options of the given URL", async () => {
    vi.stubEnv(
      "DATABASE_URL",
      `${database}?application_name=theirs&options=-c%20search_path%3Dpublic%20-c%20statement_timeout%3D54321`
    )
    const { url, remove } = await freshDatabase()
    const [row] = await execute(
      url,
      "SELECT current_setting('statement_timeout') AS timeout, current_setting('application_name') AS name, current_schema()::text AS schema"
    )
    assert.deepInclude(row, { timeout: "54321ms", name: "theirs" })
    assert.match(String(row!.schema), /^rollup_test_/u)
    await remove()
  })
})
