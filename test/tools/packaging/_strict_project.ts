import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../packaging/_project.ts"

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  module: "nodenext",
  target: "es2024",
  lib: ["ES2024", "ESNext.Disposable"],
  types: ["node"],
  skipLibCheck: true,
  noEmit: true
}

/** The documents whose examples a host copies first. */
const documents = ["README.md", "app/embed/README.md"]

/**
 * Compiles the examples of the documents in a project that has the package installed: a strict
 * project of Node without the types of browsers, and one without `skipLibCheck` that has them.
 * Returns what the compiler reports.
 */
export const strictProjectFaults = (project: string): ReadonlyArray<string> => {
  const folder = join(project, "examples")
  mkdirSync(folder)
  for (const name of ["@types/node", "undici-types"]) {
    cpSync(join(root, "node_modules", name), join(project, "node_modules", name), {
      recursive: true
    })
  }
  let examples = 0
  for (const document of documents) {
    const text = readFileSync(join(project, "node_modules/rollup-node-api", document), "utf8")
    for (const [, code] of text.matchAll(/^```ts\n([\s\S]*?)^```$/gmu)) {
      writeFileSync(join(folder, `example_${++examples}.ts`), `${code}\nexport {}\n`)
    }
  }
  const faults = [
    ...compilerFaults(folder, {}),
    // what the guide names for a project that checks the declarations of its packages
    ...compilerFaults(folder, {
      skipLibCheck: false,
      lib: [...compilerOptions.lib, "DOM"]
    })
  ]
  return examples > 5 ? faults : [`only ${examples} examples were found`, ...faults]
}

/** Returns what the compiler reports for the examples in a folder. */
const compilerFaults = (folder: string, changed: object): ReadonlyArray<string> => {
  const options = { ...compilerOptions, ...changed }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options }))
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  try {
    execFileSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" })
    return []
  } catch (error) {
    return (error as { readonly stdout: string }).stdout.trim().split("\n")
  }
}
