import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { globSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { doors, read, root } from "./_project.ts"

/*
 * Compares the exports of the import paths with their documentation comments. `examples.test.ts`
 * executes the examples in these comments.
 */

interface Declaration {
  readonly file: string
  /** The documentation comment; empty if there is none. */
  readonly comment: string
}

const declaration =
  /(?:^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^export (?:async )?(?:const|function\*?|class|\* as) (\w+)/gmu
const sources = globSync(["{core,adapters,app}/**/*.ts", "test/laws/**/*.ts"], { cwd: root })
  .map((file) => ({ file, text: read(file) }))
const importModule = (file: string): Promise<object> =>
  import(pathToFileURL(join(root, file)).href) as Promise<object>

const declarations = new Map<string, Array<Declaration>>()
for (const { file, text } of sources) {
  for (const [, comment = "", name] of text.matchAll(declaration)) {
    declarations.set(name!, [...declarations.get(name!) ?? [], { file, comment }])
  }
}

/** Returns the declaration of an exported value; several files may declare the same name. */
const declarationOf = async (name: string, value: unknown): Promise<Declaration | undefined> => {
  const candidates = declarations.get(name) ?? []
  if (candidates.length === 1) return candidates[0]
  for (const candidate of candidates) {
    const exported = Object.entries(await importModule(candidate.file))
    if (exported.some(([key, other]) => key === name && other === value)) return candidate
  }
  return undefined
}

/** Returns whether a value is a function, class, service, layer, effect or namespace. */
const hasBehaviour = (value: unknown): boolean =>
  Layer.isLayer(value) || Effect.isEffect(value) ||
  Object(value)[Symbol.toStringTag] === "Module" ||
  (typeof value === "function" && (value.prototype instanceof Error || !Schema.isSchema(value)))

describe("the exports of the package", () => {
  it("have a comment, and those with behaviour an example that uses them", async () => {
    let examples = 0
    const faults: Array<string> = []
    for (const [door, { "rollup-node-source": file }] of doors) {
      for (const [name, value] of Object.entries(await importModule(file))) {
        const comment = (await declarationOf(name, value))?.comment ?? ""
        const hasExample = new RegExp(`\`\`\`ts[^]*\\b${name}\\b`, "u").test(comment)
        if (hasExample) examples++
        if (comment.trim() === "") faults.push(`${door} ${name} has no comment`)
        else if (hasBehaviour(value) && !hasExample) {
          faults.push(`${door} ${name} has no example`)
        }
      }
    }
    assert.deepStrictEqual(faults, [])
    assert.isAbove(examples, 200)
  })
})
