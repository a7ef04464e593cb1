import { assert, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { execute } from "../postgres/_statements.ts"
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
  until,
  untilLogged
} from "./_program.ts"

const network = ["--pace", "0.5", "--transactions", "150"]
const flags = ["--simulate", ...network]

/** Where a program stores its data: its words, and what its log says when it starts again. */
const stores: { readonly [store: string]: (directory: string) => Promise<[string[], RegExp]> } = {
  "a data directory": async (directory) => [
    ["--data", directory],
    /Data in .*: Ethereum block \d+, batch \d+, \d+ transactions, read from \d+ records in/u
  ],
  "a database": async () => [
    ["--simulate", "--database", (await freshDatabase()).url],
    /Data in the database: Ethereum block \d+, batch \d+, \d+ transactions/u
  ]
}

for (const [store, open] of Object.entries(stores)) {
  describe(`the program with ${store}`, () => {
    it("continues after a kill with the same network and every acknowledged transaction", () =>
      inDirectory(async (directory) => {
        const [words, data] = await open(directory)
        const first = await serve(...words, ...network)
        const state = async () => (await json<State>(`${first.url}/state`)).network
        await until(async () => (await state()).lastBatch?.batchNum > 12, first.output)
        const id = await sendFromDemoWallet(first.url)
        const before = await state()
        const batches = await json<unknown>(`${first.url}/batches?maxBatchNum=3`)
        await first.kill()

        const again = await serve(...words, ...network)
        assert.match(again.output(), data)
        assert.deepStrictEqual(await json(`${again.url}/batches?maxBatchNum=3`), batches)
        const after = (await json<State>(`${again.url}/state`)).network
        assert.isAtLeast(after.lastSynchedBlock, before.lastSynchedBlock - 5)
        await until(() => isForged(again.url, id), () => `${id} is not forged`)
      }))
  })
}

describe("the program with a database", () => {
  it("migrates from a data directory: an exported feed is ingested once, and gives the same answers", () =>
    inDirectory(async (directory) => {
      const { url: database } = await freshDatabase()
      const feed = `${directory}.ndjson`
      const network = ["--seed", "9", "--transactions", "400", "--no-true-roots"]
      assert.strictEqual(command("simulate", ...network, "--out", feed).status, 0)
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

      const [kept, remembered] = await Promise.all([
        serve("--feed", feed, "--database", database),
        serve("--feed", feed, "--memory")
      ])
      await untilLogged(remembered, "The feed has ended")
      const lists = ["accounts", "transactions-history", "exits", "batches"]
      for (
        const path of [
          "state",
          ...lists.map((list) => `${list}?limit=2049`),
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
    }))

  it("has the authorizations of all ingested blocks if the next one is refused", () =>
    inDirectory(async (directory) => {
      const { url: database } = await freshDatabase()
      const feed = `${directory}.ndjson`
      command("simulate", "--seed", "9", "--transactions", "400", "--no-true-roots", "--out", feed)
      const text = readFileSync(feed, "utf8")
      const signed = text.matchAll(
        /"address":"(\w+)","publicKey":"\w+","tokenId":\d+,"signature":"/gu
      )
      const owners = new Set(Array.from(signed, ([, address]) => address))
      assert.isNotEmpty(owners)
      const last = text.slice(text.lastIndexOf(`{"kind":"block"`))
      // it is not the next block
      writeFileSync(feed, text + last.replace(/"number":"(\d+)"/u, `"number":"$10"`))
      assert.match(
        command("ingest", feed, "--database", database).output,
        /^Block 180000160: block number/mu
      )
      const stored = await execute(
        database,
        "SELECT count(*)::int AS count FROM pool_authorization"
      )
      assert.deepStrictEqual(stored, [{ count: owners.size }])
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
        await untilLogged(waiting, "This process writes the ledger")
        await goesOn(waiting, await blockOf(waiting))
      } finally {
        await cluster.remove()
      }
    }))
})
