import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Everything that a module imports by name, its own modules followed; types are erased and do not count. */
const packagesOf = (entry: string): ReadonlySet<string> => {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (
      const [, type, name] of readFileSync(file, "utf8").matchAll(
        /(?:^|\n)\s*(?:import|export)\s(type\s)?[^"';]*?from\s"([^"]+)"|import\("([^"]+)"\)/gu
      )
    ) {
      if (type !== undefined || name === undefined) continue
      if (name.startsWith(".")) visit(join(dirname(file), name))
      else packages.add(name)
    }
  }
  assert.isTrue(existsSync(join(root, entry)))
  visit(join(root, entry))
  return packages
}

describe("the doors of the HTTP interface", () => {
  it("the portable one leads to nothing of Node", () => {
    const packages = packagesOf("adapters/http/mod.ts")
    assert.include([...packages], "effect")
    assert.deepStrictEqual(
      [...packages].filter((name) => name.startsWith("node:") || name.includes("platform-node")),
      []
    )
  })

  it("the one of Node leads to its server", () => {
    assert.include(
      [...packagesOf("adapters/http/node/mod.ts")],
      "@effect/platform-node/NodeHttpServer"
    )
  })
})
