import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import {
  command,
  inDirectory,
  isForged,
  json,
  sendFromDemoWallet,
  serve,
  serveLive,
  type State,
  until
} from "./_program.ts"

const flags = ["--pace", "0.5", "--transactions", "150"]

describe("the program with a data directory", () => {
  it("continues after a kill with the same network and every acknowledged transaction, and exports the whole feed", () =>
    inDirectory(async (directory) => {
      const first = await serveLive("--data", directory, ...flags)
      assert.include(first.output(), `Data in ${directory}: empty`)
      const id = await sendFromDemoWallet(first.url)
      const before = await json<State>(`${first.url}/state`)
      const block = await json<unknown>(`${first.url}/batches?maxBatchNum=3`)

      const second = command("serve", "--port", "0", "--data", directory)
      assert.strictEqual(second.status, 3)
      assert.match(second.output, /is in use by process \d+ on /u)
      await first.kill()

      const again = await serve("--data", directory, ...flags)
      assert.match(
        again.output(),
        /Data in .*: Ethereum block \d+, batch \d+, \d+ transactions, read from \d+ records in/u
      )
      assert.deepStrictEqual(await json(`${again.url}/batches?maxBatchNum=3`), block)
      const after = await json<State>(`${again.url}/state`)
      assert.isAtLeast(after.network.lastSynchedBlock, before.network.lastSynchedBlock - 5)
      await until(() => isForged(again.url, id), () => `${id} is not forged`)
      await again.kill()

      const feed = `${directory}.ndjson`
      assert.strictEqual(command("export", "--data", directory, "--out", feed).status, 0)
      const other = `${directory}-2`
      const ingested = await serve("--feed", feed, "--data", other)
      await until(() => ingested.output().includes("The feed has ended"), ingested.output)
      const state = await json<State>(`${ingested.url}/state`)
      await ingested.kill()
      // the whole feed again, rollbacks included: nothing is applied twice
      const resumed = await serve("--feed", feed, "--data", other)
      await until(() => resumed.output().includes("The feed has ended"), resumed.output)
      assert.deepStrictEqual(await json(`${resumed.url}/state`), state)
      await resumed.kill()
    }))

  it("ends with a sentence and exit code 4 if no database answers", () =>
    inDirectory(async (directory) => {
      writeFileSync(directory, `${[...writeFeed(simulate({ seed: 1 }), 0)].join("")}`)
      const database = ["--database", "postgresql://user@127.0.0.1:1/rollup"]
      for (
        const words of [
          ["migrate", ...database],
          ["migrate", "--dry-run", "--database-wait", "0.3", ...database],
          ["ingest", directory, ...database],
          ["verify", ...database],
          ["serve", "--port", "0", "--simulate", "--empty", "--database-wait", "0", ...database]
        ]
      ) {
        const { output, status } = command(...words)
        assert.strictEqual(status, 4, `${words.join(" ")}: ${output}`)
        assert.match(
          output,
          /PostgreSQL at 127\.0\.0\.1:1, database "rollup" cannot be used: connect ECONNREFUSED .*; start the server, correct the URL, or wait longer/u
        )
      }
    }))

  it("reports errors of its options", () =>
    inDirectory(async (directory) => {
      const file = `${directory}.txt`
      writeFileSync(file, "no feed")
      for (
        const [code, words, expected] of [
          [4, ["--data", file], /is a file; choose another one/u],
          [
            2,
            ["--memory", "--data", directory],
            /Data can be stored in one location only, and several are set: --memory/u
          ],
          [
            2,
            ["--feed", file, "--seed", "2", "--empty"],
            /Only the simulated network uses --seed and --empty/u
          ]
        ] as const
      ) {
        const { output, status } = command("serve", "--port", "0", ...words)
        assert.strictEqual(status, code, output)
        assert.match(output, expected)
      }
      const { output, status } = command("export", "--data", directory)
      assert.strictEqual(status, 4)
      assert.match(output, /holds no journal/u)
    }))
})
