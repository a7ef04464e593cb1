import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { freshDatabase } from "../../postgres/mod.ts"
import { killAll, listening, pause, program, start, untilLogged } from "../_program.ts"

/* Signals during the start of the program. */

const preload = pathToFileURL(join(import.meta.dirname, "_signal_at_import.js")).href
const signalled = [process.execPath, "--import", preload, program]
const server = ["serve", "--port", "0", "--admin-port", "off", "--memory", "--empty"]

/**
 * A command that starts a program as process 1, as a container does, which ignores a signal without
 * a listener; if the system does not allow that, an empty one, which starts it as any other process.
 */
const asProcessOne = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
const prefix = spawnSync(asProcessOne[0]!, [...asProcessOne.slice(1), "true"]).status === 0
  ? asProcessOne
  : []

describe("a signal during the start", () => {
  afterAll(killAll)

  for (const [how, before] of [["any process", []], ["process 1", prefix]] as const) {
    it(`ends the program before it does anything, with the documented code, as ${how}`, async () => {
      for (
        const [words, code] of [
          [server, 0],
          [["simulate", "--transactions", "1000000", "--no-true-roots"], 143]
        ] as const
      ) {
        const { ended, output } = start(words, { command: [...before, ...signalled] })
        assert.deepStrictEqual(await ended, [code, null], output())
        assert.notInclude(output(), "Listening on")
      }
    })
  }

  it("ends the program at each moment, with the documented code or by the signal itself", async () => {
    const first = start(server)
    const beginMs = performance.now()
    await listening(first)
    const startMs = performance.now() - beginMs
    first.signal("SIGTERM")
    assert.deepStrictEqual(await first.ended, [0, null], first.output())
    const outcomes = new Set<string>()
    for (let moment = 0; moment <= 12; moment++) {
      const { ended, output, signal: send } = start(server)
      await pause(moment / 10 * startMs)
      send(moment % 2 === 0 ? "SIGTERM" : "SIGINT")
      const [code, signal] = await ended
      // before Node has run the first line of the program, the signal itself ends the process
      assert.isTrue(code === 0 || signal !== null, `${moment}: ${code} ${output()}`)
      outcomes.add(String(code))
    }
    assert.include(outcomes, "0")
  })

  it("that a worker receives is ignored: its supervisor decides when it ends", async () => {
    const { remove, url } = await freshDatabase()
    const words = ["serve", "--port", "0", "--admin-port", "off", "--simulate", "--empty"]
    const group = start([...words, "--workers", "2", "--database", url], {
      command: signalled,
      environment: { SIGNALLED: "worker" }
    })
    await untilLogged(group, "Worker 2 of 2")
    assert.notInclude(group.output(), "restarting")
    group.signal("SIGTERM")
    assert.deepStrictEqual(await group.ended, [0, null], group.output())
    await remove()
  })

  it("ends a supervisor before it starts a worker", async () => {
    const { remove, url } = await freshDatabase()
    const words = ["serve", "--port", "0", "--admin-port", "off", "--simulate", "--workers", "2"]
    const { ended, output } = start([...words, "--database", url], {
      command: [...prefix, ...signalled]
    })
    assert.deepStrictEqual(await ended, [0, null], output())
    assert.notInclude(output(), "is serving")
    await remove()
  })
})
