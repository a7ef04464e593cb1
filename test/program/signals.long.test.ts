import { afterAll, assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import {
  inDirectory,
  killAll,
  listening,
  pause,
  serve,
  start,
  until,
  untilLogged
} from "./_program.ts"

/* Signals reach every command, whatever started it. */

const root = join(import.meta.dirname, "../..")

const isServed = (url: string): Promise<boolean> =>
  fetch(`${url}/config`).then(() => true, () => false)

describe("a signal to stop", () => {
  afterAll(killAll)

  it("reaches the server that npm start runs, which gives up its port and its directory", () =>
    inDirectory(async (directory) => {
      for (let times = 0; times < 2; times++) {
        const server = start(["--port", "0", "--empty", "--data", directory], {
          command: ["npm", "start", "--"],
          cwd: root,
          isGroup: true
        })
        const { url } = await listening(server)
        assert.isTrue(await isServed(url))
        server.signal("SIGTERM")
        await server.ended
        await until(async () => !(await isServed(url)), () => `${url} is still served`)
      }
    }))

  it("that npm repeats after the terminal has sent it lets the server shut down gracefully", async () => {
    const server = await serve("--empty", "--memory")
    server.signal("SIGINT")
    await untilLogged(server, "Received SIGINT")
    server.signal("SIGINT")
    assert.deepStrictEqual(await server.ended, [0, null], server.output())
  })

  it("ends simulate, which would write for minutes", async () => {
    const words = ["simulate", "--seed", "stopped", "--transactions", "1000000", "--no-true-roots"]
    for (const [name, code] of [["SIGTERM", 143], ["SIGINT", 130]] as const) {
      const { ended, output, signal } = start(words)
      await until(() => output().length > 100_000, () => "It writes nothing")
      signal(name)
      assert.deepStrictEqual(await ended, [code, null])
    }
  })

  it("ends a command that waits for a named pipe", () =>
    inDirectory(async (directory) => {
      mkdirSync(directory)
      const pipe = join(directory, "pipe")
      execFileSync("mkfifo", [pipe])
      const service = ["--port", "0", "--admin-port", "0", "--memory"]
      for (
        const words of [
          ["verify", "--feed", pipe],
          ["simulate", "--out", pipe],
          ["serve", "--feed", pipe, ...service],
          ["serve", "--genesis", pipe, ...service]
        ]
      ) {
        const signal = words[0] === "serve" ? "SIGTERM" : "SIGINT"
        const { ended, signal: send } = start(words)
        // nothing shows from outside that it has opened the pipe
        await pause(2000)
        send(signal)
        // on a busy machine the signal can arrive before the command opens the pipe: it then exits
        // with a code, and does not need the signal to end the blocked thread
        const early = words[0] === "serve" ? 0 : 130
        const [code, endedBy] = await ended
        assert.isTrue(
          endedBy === signal || code === early,
          `${words.join(" ")}: ${code} ${endedBy}`
        )
      }
    }))
})
