import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, sep } from "node:path"
import { createTarget, root } from "./_derived_package.ts"
import { writeClientTypes } from "./client_types/mod.ts"

/*
 * Creates the JSR package of this project in a folder, from the same sources and `package.json`:
 *
 *     node app/packaging/jsr.ts FOLDER && cd FOLDER && deno publish --allow-slow-types
 *
 * JSR publishes the sources unchanged. `--allow-slow-types` is needed since most entry points export
 * Effect services, whose types are inferred.
 */

interface Manifest {
  readonly version: string
  readonly license: string
  readonly exports: {
    readonly [entryPoint: string]: string | { readonly "rollup-node-source": string }
  }
  readonly dependencies: { readonly [name: string]: string }
}

/** The name on JSR, which requires a scope. */
const name = "@rollup-node/api"
const folders = ["core", "adapters", "app", "test/laws"]
/** Folders that are not part of the package. */
const excluded = ["app/container", "app/packaging"].map((path) => path.replaceAll("/", sep))

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest

/** Returns the content of `jsr.json`. */
const jsrConfig = () => ({
  name,
  version: manifest.version,
  license: manifest.license,
  exports: Object.fromEntries(
    Object.entries(manifest.exports).flatMap(([entryPoint, targets]) =>
      typeof targets === "string" ? [] : [[entryPoint, targets["rollup-node-source"]]]
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

const target = createTarget((folder) => existsSync(join(folder, "jsr.json")))
if (target !== undefined) {
  writeClientTypes()
  for (const folder of folders) {
    cpSync(join(root, folder), join(target, folder), {
      recursive: true,
      filter: (path) => !excluded.some((part) => path.startsWith(join(root, part)))
    })
  }
  for (const file of ["README.md", "LICENSE", "app/packaging/CHANGELOG.md"]) {
    cpSync(join(root, file), join(target, file.split("/").at(-1)!))
  }
  writeFileSync(join(target, "jsr.json"), `${JSON.stringify(jsrConfig(), null, 2)}\n`)
}
