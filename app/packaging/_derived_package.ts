import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/*
 * A package of a part of this one, created in a folder from the same sources, with the same version
 * and without dependencies.
 */

export const root = join(import.meta.dirname, "../..")

/** What differs from the package of the whole project. */
export interface DerivedPackage {
  /** Follows the name of the project: `-client`. */
  readonly suffix: string
  /** The README, a file in this folder. */
  readonly readme: string
  readonly description: string
  readonly keywords: ReadonlyArray<string>
  /** Further members of `package.json`. */
  readonly members: object
  /** Writes the content of `dist`. */
  readonly build: (dist: string) => void
}

const shared = ["version", "license", "author", "repository", "homepage", "bugs", "engines"]

/**
 * Creates the folder that the first argument of the program names, and returns it. Reports it and
 * returns undefined if it is in use.
 */
export const createTarget = (isUsed: (folder: string) => boolean): string | undefined => {
  const target = process.argv[2]
  if (target !== undefined && !isUsed(target)) {
    mkdirSync(target, { recursive: true })
    return target
  }
  console.error(
    `The folder ${
      JSON.stringify(target ?? "")
    } cannot be used: name a folder that does not exist or is empty`
  )
  process.exitCode = 2
  return undefined
}

/** Creates a package in the folder that the first argument of the program names. */
export const writeDerivedPackage = (
  { build, description, keywords, members, readme, suffix }: DerivedPackage
): void => {
  const target = createTarget((folder) => existsSync(folder) && readdirSync(folder).length > 0)
  if (target === undefined) return
  const { name, ...manifest } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly [member: string]: unknown
  }
  build(join(target, "dist"))
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"))
  cpSync(join(import.meta.dirname, readme), join(target, "README.md"))
  const own = {
    name: `${String(name)}${suffix}`,
    description,
    keywords,
    ...Object.fromEntries(Object.entries(manifest).filter(([member]) => shared.includes(member))),
    type: "module",
    ...members,
    files: ["dist"]
  }
  writeFileSync(join(target, "package.json"), `${JSON.stringify(own, null, 2)}\n`)
}
