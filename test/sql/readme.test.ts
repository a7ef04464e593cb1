import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { read, root } from "../packaging/_project.ts"
import { freshDatabase } from "../postgres/mod.ts"

/*
 * Executes the `typescript` blocks of the README of the SQL stores, each on an empty database. A
 * line that ends in `// => text` prints this text. (`examples.test.ts` executes `ts` blocks, which
 * need no database.)
 */

const blocks = [...read("adapters/sql/README.md").matchAll(/^```typescript\n([\s\S]*?)^```$/gmu)]
  .map((match) => match[1]!)
const urlInReadme = "postgresql://user:password@localhost:5432/rollup"
const folder = join(root, "test/.examples_sql")

describe("the examples of the README over PostgreSQL print what they say", () => {
  it("are all found", () => {
    assert.isAtLeast(blocks.length, 4)
    for (const code of blocks) assert.include(code, urlInReadme)
  })

  for (const [i, code] of blocks.entries()) {
    it(`example ${i + 1}`, async () => {
      const { remove, url } = await freshDatabase()
      const file = join(folder, `example_${i}.ts`)
      mkdirSync(folder, { recursive: true })
      writeFileSync(file, `${code.replace(urlInReadme, () => url)}\nexport {}\n`)
      const { stdout } = await promisify(execFile)(process.execPath, [
        "--conditions=rollup-node-source",
        file
      ], { cwd: root })
      // other lines are log entries, such as the applied migrations
      const printed = stdout.trim().split("\n").filter((line) => !/^\[\d\d:/u.test(line))
      assert.deepStrictEqual(
        printed,
        [...code.matchAll(/\/\/ => (.*)$/gmu)].map((match) => match[1]!)
      )
      await remove()
    })
  }
})
