import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, sep } from "node:path"

/*
 * Makes the JSR package of this project in the folder that it is given, from the same sources and the same `package.json`:
 *
 *     node app/packaging/jsr.ts FOLDER && cd FOLDER && deno publish --allow-slow-types
 *
 * JSR takes the sources as they are. Most doors export Effect services, whose types are inferred: that is what it calls slow. The client has none.
 */

interface Manifest {
  readonly version: string
  readonly license: string
  readonly exports: { readonly [door: string]: string | { readonly "rollup-node-source": string } }
  readonly dependencies: { readonly [name: string]: string }
}

/** The name there: JSR wants a scope. */
const name = "@rollup-node/api"
const folders = ["core", "adapters", "app", "test/laws"]
/** What is for this repository only. */
const left = ["app/container", "app/packaging"].map((path) => path.replaceAll("/", sep))

const root = join(import.meta.dirname, "../..")
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest

/** The configuration that JSR reads. */
const jsrConfig = () => ({
  name,
  version: manifest.version,
  license: manifest.license,
  exports: Object.fromEntries(
    Object.entries(manifest.exports).flatMap(([door, targets]) =>
      typeof targets === "string" ? [] : [[door, targets["rollup-node-source"]]]
    )
  ),
  imports: Object.fromEntries(
    Object.entries(manifest.dependencies).flatMap(([dependency, range]) => [
      [dependency, `npm:${dependency}@${range}`],
      [`${dependency}/`, `npm:/${dependency}@${range}/`]
    ])
  ),
  compilerOptions: {
    lib: ["deno.window", "esnext"],
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true
  }
})

const target = process.argv[2]
if (target === undefined || existsSync(join(target, "jsr.json"))) {
  console.error(
    `The folder ${
      JSON.stringify(target ?? "")
    } cannot take the package: name one that is not there yet, or that is empty`
  )
  process.exitCode = 2
} else {
  mkdirSync(target, { recursive: true })
  for (const folder of folders) {
    cpSync(join(root, folder), join(target, folder), {
      recursive: true,
      filter: (path) => !left.some((part) => path.startsWith(join(root, part)))
    })
  }
  for (const file of ["README.md", "LICENSE", "app/packaging/CHANGELOG.md"]) {
    cpSync(join(root, file), join(target, file.split("/").at(-1)!))
  }
  writeFileSync(join(target, "jsr.json"), `${JSON.stringify(jsrConfig(), null, 2)}\n`)
}
