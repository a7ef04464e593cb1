import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { rejection } from "../_rejection.ts"
import { execute } from "./_statements.ts"
import { type Cluster, startCluster } from "./mod.ts"

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

  it("waits for the disk, and has all committed data and nothing else after it was killed", async () => {
    const url = await cluster.createDatabase()
    assert.deepStrictEqual(await execute(url, "SHOW fsync"), [{ fsync: "on" }])
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
