import { assert, describe, it } from "@effect/vitest"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
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

  it("logs a text as the message of a JSON line, and other values beside it", () =>
    inDirectory(async (directory) => {
      await (await serve("--empty", "--data", directory)).kill()
      mkdirSync(join(directory, "verification.json.new"))
      const { output, status } = command("verify", "--data", directory, "--log-format", "json")
      assert.strictEqual(status, 0)
      const { details, message } = JSON.parse(output.split("\n")[0]!) as Record<string, unknown>
      assert.strictEqual(message, "The result could not be stored for the admin listener")
      assert.match(JSON.stringify(details), /EISDIR/u)
    }))
})
