import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

/*
 * The examples of the README and of documentation comments run as they stand, through the doors of the package. A line
 * that ends in `// => text` says what it prints.
 */

interface Example {
  readonly title: string
  readonly code: string
}

const root = join(import.meta.dirname, "..")
const folder = join(root, "test/.examples")

const fenced = (text: string) =>
  [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gmu)].map((match) => match[1]!)

const readme: ReadonlyArray<Example> = fenced(readFileSync(join(root, "README.md"), "utf8"))
  .map((code, i) => ({ title: `README.md, example ${i + 1}`, code }))

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
  for (const [i, { title, code }] of [...readme, ...comments].entries()) {
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
