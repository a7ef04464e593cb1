/* The OpenAPI documents of all revisions, byte for byte: see `golden.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { programVersion, revisionList } from "../../core/contract/mod.ts"
import { contractFile, contractText } from "./_golden.ts"

describe("The contract", () => {
  for (const revision of revisionList) {
    it(`of revision ${revision.name} is as its golden file says`, () => {
      const file = contractFile(revision.name)
      const expected = existsSync(file) ? readFileSync(file, "utf8").split("\n") : []
      const lines = contractText(revision).split("\n")
      for (const [at, line] of lines.entries()) assert.strictEqual(line, expected[at])
      assert.strictEqual(lines.length, expected.length)
    })
  }
})

it("the program has the version of its package, which the golden files leave out", () => {
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  ) as { readonly version: string }
  assert.strictEqual(programVersion, version)
})
