import { afterAll, assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { freshDatabase } from "../../postgres/mod.ts"
import { env } from "../_env.ts"
import { program, until } from "../_program.ts"

/* Signals during the start of the program. */

const preload = ["--import", pathToFileURL(join(import.meta.dirname, "_signal_at_import.js")).href]
const server = ["serve", "--port", "0", "--admin-port", "off", "--memory", "--empty"]

/**
 * A command that starts a program as process 1, as a container does, which ignores a signal without
 * a listener; if the system does not allow that, an empty one, which starts it as any other process.
 */
const asProcessOne = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
const prefix = spawnSync(asProcessOne[0]!, [...asProcessOne.slice(1), "true"]).status === 0
  ? asProcessOne
  : []

const started = new Set<ChildProcess>()

const start = (words: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}) => {
  const child = spawn(words[0]!, words.slice(1), {
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"]
  })
  started.add(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => output += text)
  return {
    ended: once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>,
    output: () => output,
    kill: (signal: NodeJS.Signals) => void child.kill(signal)
  }
}

describe("a signal during the start", () => {
  afterAll(() => {
    for (const child of started) child.kill("SIGKILL")
  })

  for (const [how, before] of [["any process", []], ["process 1", prefix]] as const) {
    it(`ends the program before it does anything, with the documented code, as ${how}`, async () => {
      for (
        const [words, code] of [
          [server, 0],
          [["simulate", "--transactions", "1000000", "--no-true-roots"], 143]
        ] as const
      ) {
        const { ended, output } = start([
          ...before,
          process.execPath,
          ...preload,
          program,
          ...words
        ])
        assert.deepStrictEqual(await ended, [code, null], output())
        assert.notInclude(output(), "Listening on")
      }
    })
  }

  it("ends the program at each moment, with the documented code or by the signal itself", async () => {
    const first = start([process.execPath, program, ...server])
    const beginMs = performance.now()
    await until(() => first.output().includes("Listening on"), first.output)
    const startMs = performance.now() - beginMs
    first.kill("SIGTERM")
    assert.deepStrictEqual(await first.ended, [0, null], first.output())
    const outcomes = new Set<string>()
    for (let moment = 0; moment <= 12; moment++) {
      const { ended, kill, output } = start([process.execPath, program, ...server])
      await new Promise((resolve) => setTimeout(resolve, moment / 10 * startMs))
      kill(moment % 2 === 0 ? "SIGTERM" : "SIGINT")
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
    const group = start(
      [process.execPath, ...preload, program, ...words, "--workers", "2", "--database", url],
      { SIGNALLED: "worker" }
    )
    await until(() => group.output().includes("Worker 2 of 2"), group.output)
    assert.notInclude(group.output(), "restarting")
    group.kill("SIGTERM")
    assert.deepStrictEqual(await group.ended, [0, null], group.output())
    await remove()
  })

  it("ends a supervisor before it starts a worker", async () => {
    const { remove, url } = await freshDatabase()
    const words = ["serve", "--port", "0", "--admin-port", "off", "--simulate", "--workers", "2"]
    const { ended, output } = start(
      [...prefix, process.execPath, ...preload, program, ...words, "--database", url]
    )
    assert.deepStrictEqual(await ended, [0, null], output())
    assert.notInclude(output(), "is serving")
    await remove()
  })
})
