/*
 * Loads the modules of this tree repeatedly in one process, while those of packages are loaded
 * once: a mutant leaves no state behind in a module, and large packages are not compiled again.
 */
import { readFileSync } from "node:fs"
import { registerHooks, type ResolveFnOutput, stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = pathToFileURL(join(import.meta.dirname, "../../..", "/")).href
const standIn = new URL("_vitest.ts", import.meta.url).href
const poseidon = new URL("../../crypto/_remembered_poseidon.ts", import.meta.url).href
/** Modules that cache hashes, which no mutant changes. */
const once = new Set([
  standIn,
  poseidon,
  new URL("../../crypto/remembered.ts", import.meta.url).href
])

const sources = new Map<string, string>()
const resolved = new Map<string, ResolveFnOutput>()
let generation = 0

/** From now on modules of the tree are loaded again. */
export const forgetModules = (): void => void generation++

/** Loads a file of the tree by its path from the root. */
export const loadFile = (path: string): Promise<unknown> =>
  import(`${root}${path}?generation=${generation}`)

/** Must be called once, before any module that is to be loaded again. */
export function loadModulesAnew(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "vitest" && context.parentURL !== standIn) {
        return { url: standIn, shortCircuit: true }
      }
      if (specifier === "./_permutation.ts" && context.parentURL !== poseidon) {
        return { url: poseidon, shortCircuit: true }
      }
      const [parent, anew] = context.parentURL?.split("?") ?? []
      if (anew === undefined) return next(specifier, context)
      const key = `${specifier} ${parent}`
      let found = resolved.get(key)
      if (found === undefined) {
        resolved.set(key, found = { ...next(specifier, context), shortCircuit: true })
      }
      return isOfTheTree(found.url)
        ? { url: `${found.url.split("?")[0]!}?${anew}`, format: "module", shortCircuit: true }
        : found
    },
    load(url, context, next) {
      if (!url.includes("?generation=") || !url.split("?")[0]!.endsWith(".ts")) {
        return next(url, context)
      }
      const path = fileURLToPath(url.split("?")[0]!)
      let source = sources.get(path)
      if (source === undefined) {
        sources.set(path, source = stripTypeScriptTypes(readFileSync(path, "utf8")))
      }
      return { format: "module", source, shortCircuit: true }
    }
  })
}

const isOfTheTree = (url: string) =>
  url.startsWith(root) && !url.includes("/node_modules/") && !once.has(url)
