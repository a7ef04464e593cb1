import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { rejection } from "../_rejection.ts"
import { execute } from "./_statements.ts"
import { type Cluster, startCluster } from "./mod.ts"

/** Connects as a program without knowledge of the tests does. */
const answer = (url: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<
        { readonly n: number; readonly fsync: string }
      >`SELECT ${41}::int + 1 AS n, current_setting('fsync') AS fsync`
  )
    .pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url) })), Effect.runPromise)

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("a cluster", () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster.remove())

  it("answers a query, and waits for the disk when it commits", async () => {
    assert.deepStrictEqual(await answer(cluster.url), [{ n: 42, fsync: "on" }])
  })

  it("has all committed data and nothing else after it was killed", async () => {
    const url = await cluster.createDatabase()
    await execute(
      url,
      "CREATE TABLE kept (n int)",
      "INSERT INTO kept SELECT generate_series(1, 1000)",
      "CHECKPOINT",
      "INSERT INTO kept VALUES (1001)"
    )
    const { pid } = cluster
    const open = rejection(
      execute(
        url,
        "BEGIN",
        "INSERT INTO kept VALUES (1002)",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_sleep(1000)"
      )
    )
    while (
      (await execute(url, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"))
        .length === 0
    );
    await cluster.kill()
    assert.isFalse(isAlive(pid!))
    assert.isNull(cluster.pid)
    assert.propertyVal(await open, "_tag", "SqlError")
    await rejection(execute(url, "SELECT 1"))
    await cluster.restart()
    assert.notStrictEqual(cluster.pid, pid)
    assert.deepStrictEqual(
      await execute(url, "SELECT count(*)::int AS count, max(n) AS last FROM kept"),
      [{ count: 1001, last: 1001 }]
    )
  })

  it("restarts on the same port with the same data, also with a client connected", async () => {
    const url = await cluster.createDatabase()
    await execute(url, "CREATE TABLE kept AS SELECT 7 AS n")
    const open = rejection(execute(url, "SELECT pg_advisory_lock(2)", "SELECT pg_sleep(1000)"))
    while (
      (await execute(
        url,
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 2 AND granted"
      )).length === 0
    );
    await cluster.stop()
    assert.propertyVal(await open, "_tag", "SqlError")
    await cluster.restart()
    assert.deepStrictEqual(await execute(url, "SELECT n FROM kept"), [{ n: 7 }])
  })

  it("has databases that do not see each other", async () => {
    const [one, other] = await Promise.all([cluster.createDatabase(), cluster.createDatabase()])
    await execute(one, "CREATE TABLE mine AS SELECT 1 AS n")
    assert.nestedPropertyVal(
      await rejection(execute(other, "SELECT n FROM mine")),
      "reason._tag",
      "SqlSyntaxError"
    )
    await execute(other, "CREATE TABLE mine AS SELECT 2 AS n")
    assert.deepStrictEqual([
      await execute(one, "SELECT n FROM mine"),
      await execute(other, "SELECT n FROM mine")
    ], [[{ n: 1 }], [{ n: 2 }]])
  })

  it("sorts text by a locale, so that code that relies on the order of bytes fails", async () => {
    const rows = await execute(
      await cluster.createDatabase(),
      "SELECT x FROM (VALUES ('B'), ('a'), ('C')) AS v (x) ORDER BY x"
    )
    assert.deepStrictEqual(rows.map(({ x }) => x), ["a", "B", "C"])
  })
})

describe("the end of a cluster", () => {
  it("removes everything, whether the server was running, stopped or killed", async () => {
    await Promise.all((["restart", "stop", "kill"] as const).map(async (last) => {
      const cluster = await startCluster({ durable: false })
      const { dataDir, pid } = cluster
      assert.isTrue(existsSync(dataDir) && isAlive(pid!))
      await cluster[last]()
      await cluster.remove()
      assert.isFalse(existsSync(dirname(dataDir)))
      assert.isFalse(isAlive(pid!))
    }))
  })

  it("follows the end of the process that started it, even by SIGKILL", async () => {
    const program = `import { startCluster } from ${
      JSON.stringify(import.meta.resolve("./cluster.ts"))
    }
      const { url, dataDir } = await startCluster()
      console.log(JSON.stringify({ url, dataDir }))`
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const [line] = await once(child.stdout, "data") as [Buffer]
    const { url, dataDir } = JSON.parse(line.toString()) as {
      readonly url: string
      readonly dataDir: string
    }
    assert.deepStrictEqual(await execute(url, "SELECT 1 AS n"), [{ n: 1 }])
    child.kill("SIGKILL")
    // the watchdog is an orphan by now: there is no event to wait for
    while (existsSync(dirname(dataDir))) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.propertyVal(await rejection(execute(url, "SELECT 1")), "_tag", "SqlError")
  })
})
