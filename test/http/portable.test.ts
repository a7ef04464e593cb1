import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/**
 * Returns the packages that a module imports, and the modules of the project that it reaches;
 * imports of types do not count.
 */
const reachedFrom = (
  entry: string
): { readonly packages: ReadonlySet<string>; readonly files: ReadonlySet<string> } => {
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
  return { packages, files: seen }
}

const packagesOf = (entry: string): ReadonlySet<string> => reachedFrom(entry).packages

describe("the entry points of the HTTP interface", () => {
  it("the portable one reaches nothing of Node", () => {
    const packages = packagesOf("adapters/http/mod.ts")
    assert.include([...packages], "effect")
    assert.deepStrictEqual(
      [...packages].filter((name) => name.startsWith("node:") || name.includes("platform-node")),
      []
    )
  })

  it("the portable one uses no global of Node", () => {
    const using = [...reachedFrom("adapters/http/mod.ts").files].filter((file) =>
      /\b(?:Buffer|process|setImmediate|global)\b(?!["'`:])[.(]/u.test(
        readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, "")
      )
    )
    assert.deepStrictEqual(using, [])
  })

  it("the one for Node reaches its server", () => {
    assert.include(
      [...packagesOf("adapters/http/node/mod.ts")],
      "@effect/platform-node/NodeHttpServer"
    )
  })
})
