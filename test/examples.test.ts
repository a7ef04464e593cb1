import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { openNode } from "../app/embed.ts"
import { simulate } from "../app/simulator/mod.ts"
import { read, readmes } from "./packaging/_project.ts"

/*
 * Executes the examples of the READMEs and of documentation comments, through the doors of the
 * package. A line that ends in `// => text` prints this text.
 */

interface Example {
  readonly title: string
  readonly code: string
}

const root = join(import.meta.dirname, "..")
const folder = join(root, "test/.examples")

const fenced = (text: string) =>
  [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gmu)].map((match) => match[1]!)

const documents: ReadonlyArray<Example> = readmes.flatMap((file) =>
  fenced(read(file)).map((code, i) => ({ title: `${file}, example ${i + 1}`, code }))
)

const comments: ReadonlyArray<Example> = globSync([
  "core/**/*.ts",
  "adapters/**/*.ts",
  "app/**/*.ts",
  "test/laws/*.ts"
], { cwd: root }).sort().flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/^\/\*\*$([\s\S]*?)^ \*\/$/gmu)]
    .flatMap((comment) => fenced(comment[1]!.replaceAll(/^ \* ?/gmu, "")))
    .map((code, i) => ({ title: `${file}, example ${i + 1}`, code }))
)

const expected = (code: string) => [...code.matchAll(/\/\/ => (.*)$/gmu)].map((match) => match[1]!)

describe("the examples print what they say", () => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [i, { title, code }] of [...documents, ...comments].entries()) {
    it(title, async () => {
      const file = join(folder, `example_${i}.ts`)
      writeFileSync(file, `${code}\nexport {}\n`)
      const { stdout } = await promisify(execFile)(process.execPath, [
        "--conditions=rollup-node-source",
        file
      ], { cwd: root })
      assert.deepStrictEqual(stdout.trim().split("\n"), expected(code))
    })
  }
})

describe("the requests of the README", () => {
  it("are answered with 200", async () => {
    const simulation = simulate({ seed: 1 })
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
