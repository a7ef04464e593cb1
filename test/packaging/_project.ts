import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const root = join(import.meta.dirname, "../..")
export const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** The READMEs of the repository, relative to its root. */
export const readmes: ReadonlyArray<string> = globSync(
  ["README.md", "{core,adapters,app,test}/**/README.md"],
  { cwd: root, exclude: ["**/node_modules/**"] }
).sort()

interface Targets {
  readonly "rollup-node-source": string
  readonly types: string
  readonly default: string
}

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly bin: { readonly [name: string]: string }
  readonly exports: { readonly [door: string]: Targets | string }
  readonly engines: { readonly node: string }
  readonly dependencies: { readonly [name: string]: string }
  readonly devDependencies: { readonly [name: string]: string }
}

export const manifest = JSON.parse(read("package.json")) as Manifest

/** The entry points with code, by their import path. */
export const doors: ReadonlyArray<readonly [string, Targets]> = Object.entries(manifest.exports)
  .flatMap(([door, targets]) => typeof targets === "string" ? [] : [[door, targets] as const])

export interface Locked {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly resolved?: string
  readonly dependencies?: { readonly [name: string]: string }
  readonly devDependencies?: { readonly [name: string]: string }
  readonly optionalDependencies?: { readonly [name: string]: string }
}

/** The installed packages, by folder. */
export const locked =
  (JSON.parse(read("package-lock.json")) as { packages: { readonly [folder: string]: Locked } })
    .packages
