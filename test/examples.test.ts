import { afterAll, assert, describe, it } from "@effect/vitest"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { openNode } from "../app/embed/mod.ts"
import { simulate } from "../app/simulator/mod.ts"
import type { ExampleEvent } from "./_example_runner.ts"
import { writeExamples } from "./_examples.ts"
import { read, root } from "./packaging/_project.ts"
import { freshDatabase } from "./postgres/mod.ts"

/*
 * Executes the examples of the READMEs and of documentation comments, through the doors of the
 * package. A line that ends in `// => text` prints this text. The examples run one after another in
 * one child process; an example that crashes or hangs ends this process, and the next one gets a
 * new process. Each example therefore closes what it opens, and awaits what it starts. An example
 * that needs a database finds the URL of an empty one in `DATABASE_URL`, or instead of `urlInReadme`.
 */

/** How long one example may take, on a busy machine. */
const timeoutMs = 60_000

const folder = join(root, "test/.examples")

const urlInReadme = "postgresql://user:password@localhost:5432/rollup"

const expected = (code: string) => [...code.matchAll(/\/\/ => (.*)$/gmu)].map((match) => match[1]!)

let runner: ChildProcess | undefined

const startRunner = () =>
  fork(join(root, "test/_example_runner.ts"), {
    cwd: root,
    // the examples make the same networks: their trees are hashed once
    execArgv: [
      "--conditions=rollup-node-source",
      `--import=${pathToFileURL(join(root, "test/crypto/_remembered_poseidon.ts"))}`
    ],
    silent: true
  })

/** Runs an example and returns the lines that it prints; throws if it fails, crashes or hangs. */
const run = async (file: string, databaseUrl?: string): Promise<ReadonlyArray<string>> => {
  const child = runner ??= startRunner()
  const printed: Array<string> = []
  let errors = ""
  child.stdout!.resume()
  const onErrors = (chunk: Buffer) => errors += chunk.toString()
  child.stderr!.on("data", onErrors)
  const ended = new Promise<string | undefined>((resolve) => {
    const onEvent = (event: ExampleEvent) => {
      if (event._tag === "Printed") return printed.push(...event.text.split("\n"))
      child.off("message", onEvent).off("close", onClose)
      return resolve(event.error)
    }
    const onClose = (code: number | null, signal: string | null) => {
      runner = undefined
      resolve(signal === "SIGKILL" ? `It took longer than ${timeoutMs} ms` : `Exit code ${code}`)
    }
    child.on("message", onEvent).on("close", onClose)
  })
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs)
  child.send({ module: pathToFileURL(file).href, databaseUrl })
  const error = await ended
  clearTimeout(timer)
  child.stderr!.off("data", onErrors)
  if (error === undefined) return printed
  throw new Error([error, errors, "Output:", ...printed].join("\n"))
}

describe("the examples", () => {
  for (const { code, file, title } of writeExamples(folder)) {
    it(title, async () => {
      const expectedLines = expected(code)
      assert.isNotEmpty(expectedLines)
      const hasUrl = code.includes(urlInReadme)
      const database = hasUrl || code.includes("DATABASE_URL") ? await freshDatabase() : undefined
      if (hasUrl) writeFileSync(file, `${code.replace(urlInReadme, database!.url)}\nexport {}\n`)
      assert.deepStrictEqual(await run(file, database?.url), expectedLines)
      await database?.remove()
    })
  }

  it("leave nothing open that keeps their process alive", async () => {
    if (runner === undefined) return
    const exit = once(runner, "exit")
    runner.disconnect()
    assert.deepStrictEqual(await exit, [0, null])
    runner = undefined
  })

  afterAll(() => runner?.kill())
})

describe("the requests of the README", () => {
  it("are answered with 200", async () => {
    const simulation = simulate({ seed: 1, placeholderRoots: true })
    const node = await openNode({ genesis: simulation.genesis })
    for (let i = 0; i < 40; i++) await node.applyRecord(simulation.next())
    const paths = [...read("README.md").matchAll(/^ {4}curl '?localhost:8080([^\s']+)'?$/gmu)]
      .map((match) => match[1]!)
    assert.isAbove(paths.length, 3)
    for (const path of [...paths, "/docs", "/openapi.json", "/earlier/docs"]) {
      const { status } = await node.fetch(new Request(`http://localhost:8080${path}`))
      assert.strictEqual(status, 200, path)
    }
    await node.close()
  })
})
