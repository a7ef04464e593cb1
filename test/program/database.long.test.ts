import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { freshDatabase, startCluster } from "../postgres/mod.ts"
import {
  command,
  inDirectory,
  isForged,
  json,
  type Running,
  sendFromDemoWallet,
  serve,
  type State,
  until
} from "./_program.ts"

const flags = ["--simulate", "--pace", "0.5", "--transactions", "150"]

describe("the program with a database", () => {
  it("continues after a kill with the same network and every acknowledged transaction", () =>
    inDirectory(async () => {
      const { url: database } = await freshDatabase()
      const first = await serve("--database", database, ...flags)
      await until(
        async () => (await json<State>(`${first.url}/state`)).network.lastBatch?.batchNum > 12,
        first.output
      )
      const id = await sendFromDemoWallet(first.url)
      const block = await json<unknown>(`${first.url}/batches?maxBatchNum=3`)
      await first.kill()

      const again = await serve("--database", database, ...flags)
      assert.match(
        again.output(),
        /Data in the database: Ethereum block \d+, batch \d+, \d+ transactions/u
      )
      assert.deepStrictEqual(await json(`${again.url}/batches?maxBatchNum=3`), block)
      await until(() => isForged(again.url, id), () => `${id} is not forged`)
      await again.kill()
    }))

  it("migrates from a data directory: an exported feed is ingested once, and gives the same answers", () =>
    inDirectory(async (directory) => {
      const { url: database } = await freshDatabase()
      const feed = `${directory}.ndjson`
      assert.strictEqual(
        command(
          "simulate",
          "--seed",
          "9",
          "--transactions",
          "400",
          "--no-true-roots",
          "--out",
          feed
        ).status,
        0
      )
      assert.match(
        command("migrate", "--database", database, "--dry-run").output,
        /Migration 1 \(initial schema\) would be applied/u
      )
      const loaded = command("ingest", feed, "--database", database)
      assert.strictEqual(loaded.status, 0, loaded.output)
      assert.match(loaded.output, /Loaded \d+ blocks with \d+ transactions in/u)
      assert.match(
        command("ingest", feed, "--database", database).output,
        /Loaded 0 blocks with 0 transactions/u
      )
      assert.match(command("migrate", "--database", database).output, /up to date/u)

      const [kept, remembered] = [
        await serve("--feed", feed, "--database", database),
        await serve("--feed", feed, "--memory")
      ]
      await until(() => remembered.output().includes("The feed has ended"), remembered.output)
      for (
        const path of [
          "state",
          "accounts?limit=2049",
          "transactions-history?limit=2049",
          "exits?limit=2049",
          "batches?limit=2049",
          "slots",
          "tokens",
          "coordinators"
        ]
      ) {
        // rolled back rows have left gaps in both
        assert.deepStrictEqual(
          await json(`${kept.url}/${path}`),
          await json(`${remembered.url}/${path}`),
          path
        )
      }
      await kept.kill()
      await remembered.kill()
    }))

  it("survives a restart of the database, also as a waiting writer, which then gets its turn", () =>
    inDirectory(async () => {
      const cluster = await startCluster()
      try {
        const database = await cluster.createDatabase()
        /** Returns 0 while the database is down. */
        const blockOf = async ({ url }: Running) => {
          const answer = await fetch(`${url}/state`)
          return answer.status === 200 ? (await answer.json() as State).network.lastSynchedBlock : 0
        }
        const goesOn = async (server: Running, from: number) =>
          until(
            async () => await blockOf(server) > from + 2,
            () => writer.output() + waiting.output()
          )
        const [writer, waiting] = [
          await serve("--database", database, ...flags),
          await serve("--database", database, ...flags, "--admin-port", "off")
        ]
        await goesOn(waiting, 0)
        await cluster.kill()
        assert.strictEqual(await blockOf(writer), 0)
        await cluster.restart()
        await goesOn(waiting, 0)
        await goesOn(waiting, await blockOf(writer))

        process.kill(writer.pid, "SIGTERM")
        await until(
          () => waiting.output().includes("This process writes the ledger"),
          waiting.output
        )
        await goesOn(waiting, await blockOf(waiting))
      } finally {
        await cluster.remove()
      }
    }))

  it("reports errors of a database, a feed and their options", () =>
    inDirectory(async (directory) => {
      const { url: database } = await freshDatabase()
      const file = `${directory}.ndjson`
      writeFileSync(file, "no feed")
      for (
        const [code, words, expected] of [
          [2, ["migrate"], /No database is set: set one with --database or DATABASE_URL/u],
          [5, ["ingest", file, "--database", database], /line 1/u],
          [
            2,
            ["serve", "--database", database, "--data", directory],
            /Data can be stored in one location only, and several are set: the directory/u
          ],
          [
            2,
            ["serve", "--memory", "--workers", "2"],
            /^--workers: The value 2 requires PostgreSQL/mu
          ],
          [2, ["serve", "--memory", "--replica", database], /A replica is set and no database/u],
          [
            2,
            ["migrate", "--database", "mysql://localhost/x"],
            /--database: The value, which is not shown, is invalid: expected a URL such as postgresql:/u
          ],
          [4, ["migrate", "--database", database.replace(/[^/]+$/u, "none_such")], /none_such/u]
        ] as const
      ) {
        const { output, status } = command(...words)
        assert.strictEqual(status, code, output)
        assert.match(output, expected)
      }
    }))
})
