import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { programVersion } from "../../core/mod.ts"

it("the program has the version of its package", () => {
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  ) as { readonly version: string }
  assert.strictEqual(programVersion, version)
})
