import { assert, describe, it } from "@effect/vitest"
import {
  command,
  inDirectory,
  isForged,
  json,
  sendFromDemoWallet,
  serve,
  serveLive,
  type State,
  until,
  untilLogged
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
      await untilLogged(ingested, "The feed has ended")
      const state = await json<State>(`${ingested.url}/state`)
      await ingested.kill()
      // the whole feed again, rollbacks included: nothing is applied twice
      const resumed = await serve("--feed", feed, "--data", other)
      await untilLogged(resumed, "The feed has ended")
      assert.deepStrictEqual(await json(`${resumed.url}/state`), state)
      await resumed.kill()
    }))
})
