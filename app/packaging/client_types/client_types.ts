import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { revisionList } from "../../../core/contract/mod.ts"
import { operationsModule } from "./_operations.ts"
import { revisionModule } from "./_revision.ts"

/*
 * Generates the declarations of the client from those of the contract: the parameters and answers
 * of each operation, by revision, as interfaces that an editor can show. They are files because the
 * contract itself imports schemas, which no browser needs.
 */

const clientFolder = join(import.meta.dirname, "../../../adapters/client/generated")
const banner = "/* Generated from the contract in core/contract: do not edit. */\n\n"

/** Returns the text of every generated file, by its path in `adapters/client/generated`. */
export const clientTypes = (): ReadonlyMap<string, string> =>
  new Map([
    ["mod.ts", operationsModule()],
    ["revisions/mod.ts", revisionsModule()],
    ...revisionList.map((revision) =>
      [`revisions/${revision.name}.ts`, revisionModule(revision)] as const
    )
  ].map(([path, text]) => [path, banner + text]))

/** Returns the module that exports the types of each revision under its name. */
const revisionsModule = (): string =>
  `${
    revisionList.flatMap(({ name }) => {
      const module = `* as ${name} from ${JSON.stringify(`./${name}.ts`)}`
      return [`import type ${module}`, `export type ${module}`]
    }).join("\n")
  }

/** The operations of each revision, as types. */
export interface Revisions {
${revisionList.map(({ name }) => `  readonly ${name}: ${name}.Operations`).join("\n")}
}
`

/**
 * Writes the generated files that differ from the contract, and removes others from their folder.
 * Repeating it changes nothing, so each command that needs the files begins with it.
 */
export const writeClientTypes = (folder = clientFolder): void => {
  const files = clientTypes()
  for (const path of globSync("**/*.ts", { cwd: folder })) {
    if (!files.has(path.replaceAll("\\", "/"))) rmSync(join(folder, path))
  }
  for (const [path, text] of files) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    if (textOf(file) !== text) writeFileSync(file, text)
  }
}

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
