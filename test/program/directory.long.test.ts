import { assert, describe, it } from "@effect/vitest"
import {
  command,
  inDirectory,
  json,
  type Running,
  serve,
  serveLive,
  untilLogged
} from "./_program.ts"

describe("the program with a data directory", () => {
  it("exports the whole feed, which another one ingests once: nothing is applied twice", () =>
    inDirectory(async (directory) => {
      const words = ["--data", directory, "--pace", "0.5", "--transactions", "150"]
      const first = await serveLive(...words)
      assert.include(first.output(), `Data in ${directory}: empty`)
      await first.kill()
      const feed = `${directory}.ndjson`
      assert.strictEqual(command("export", "--data", directory, "--out", feed).status, 0)
      const follow = async (): Promise<Running> => {
        const running = await serve("--feed", feed, "--data", `${directory}-2`)
        await untilLogged(running, "The feed has ended")
        return running
      }
      const ingested = await follow()
      const state = await json(`${ingested.url}/state`)
      await ingested.kill()
      // the whole feed again
      assert.deepStrictEqual(await json(`${(await follow()).url}/state`), state)
    }))
})
