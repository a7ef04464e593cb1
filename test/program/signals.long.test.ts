import { afterAll, assert, describe, it } from "@effect/vitest"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { env } from "./_env.ts"
import { inDirectory, program, until } from "./_program.ts"

/* Signals reach every command, whatever started it. */

const groups = new Set<number>()

/** Starts a program in a process group of its own. */
const start = (file: string, ...words: ReadonlyArray<string>) => {
  const child: ChildProcess = spawn(file, words, {
    cwd: join(import.meta.dirname, "../.."),
    detached: true,
    env,
    stdio: ["ignore", "pipe", "pipe"]
  })
  groups.add(child.pid!)
  let output = ""
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on("data", (text) => output += text)
  }
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>
  const listening = async (): Promise<string> => {
    const address = () => /Listening on (http:\/\/[\d.:]+)/u.exec(output)?.[1]
    await until(() => child.exitCode !== null || address() !== undefined, () => output)
    assert.isDefined(address(), output)
    return address()!
  }
  return { child, ended, listening, output: () => output }
}

const isServed = (url: string): Promise<boolean> =>
  fetch(`${url}/config`).then(() => true, () => false)

describe("a signal to stop", () => {
  afterAll(() => {
    for (const group of groups) {
      try {
        process.kill(-group, "SIGKILL")
      } catch {
        // all processes of the group have ended
      }
    }
  })

  it("reaches the server that npm start runs, which gives up its port and its directory", () =>
    inDirectory(async (directory) => {
      const words = ["start", "--", "--port", "0", "--empty", "--data", directory]
      const { child, ended, listening } = start("npm", ...words)
      const url = await listening()
      assert.isTrue(await isServed(url))
      child.kill("SIGTERM")
      await ended
      await until(async () => !(await isServed(url)), () => `${url} is still served`)
      const next = start("npm", ...words)
      await next.listening()
      next.child.kill("SIGTERM")
      await next.ended
    }))

  it("that npm repeats after the terminal has sent it lets the server shut down gracefully", async () => {
    const { child, ended, listening, output } = start(
      process.execPath,
      program,
      "serve",
      "--port",
      "0",
      "--empty",
      "--memory"
    )
    await listening()
    child.kill("SIGINT")
    await until(() => output().includes("Received SIGINT"), output)
    child.kill("SIGINT")
    assert.deepStrictEqual(await ended, [0, null], output())
  })

  it("ends simulate, which would write for minutes", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const { child, ended, output } = start(
        process.execPath,
        program,
        "simulate",
        "--seed",
        "stopped",
        "--transactions",
        "1000000",
        "--no-true-roots"
      )
      await until(() => output().length > 100_000, () => "It writes nothing")
      child.kill(signal)
      assert.deepStrictEqual(await ended, [signal === "SIGTERM" ? 143 : 130, null])
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
        const { child, ended } = start(process.execPath, program, ...words)
        // nothing shows from outside that it has opened the pipe
        await new Promise((resolve) => setTimeout(resolve, 2000))
        child.kill(signal)
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
