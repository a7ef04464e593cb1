import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { writeClientTypes } from "./client_types/mod.ts"

/*
 * Creates the package of the typed client alone in a folder, from the same sources, with the same
 * version and without dependencies:
 *
 *     node app/packaging/client.ts FOLDER && npm publish FOLDER
 */

const root = join(import.meta.dirname, "../..")

/** Returns the content of `package.json`. */
const clientManifest = () => {
  const { name, ...manifest } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly [member: string]: unknown
  }
  const shared = ["version", "license", "author", "repository", "homepage", "bugs"]
  return {
    name: `${String(name)}-client`,
    description: "The typed client of a layer-two rollup node, for everything that has fetch",
    keywords: ["rollup", "layer-2", "http-client"],
    ...Object.fromEntries(Object.entries(manifest).filter(([member]) => shared.includes(member))),
    type: "module",
    sideEffects: false,
    exports: {
      ".": { types: "./dist/mod.d.ts", default: "./dist/mod.js" },
      "./package.json": "./package.json"
    },
    files: ["dist"]
  }
}

const target = process.argv[2]
if (target === undefined || (existsSync(target) && readdirSync(target).length > 0)) {
  console.error(
    `The folder ${
      JSON.stringify(target ?? "")
    } cannot be used: name a folder that does not exist or is empty`
  )
  process.exitCode = 2
} else {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json")
  mkdirSync(target, { recursive: true })
  writeClientTypes()
  execFileSync(process.execPath, [
    join(dirname(typescript), "bin/tsc"),
    "-p",
    join(root, "app/packaging/tsconfig.client.json"),
    "--outDir",
    resolve(target, "dist")
  ], { stdio: "inherit" })
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"))
  cpSync(join(root, "app/packaging/client.md"), join(target, "README.md"))
  writeFileSync(
    join(target, "package.json"),
    `${JSON.stringify(clientManifest(), null, 2)}\n`
  )
}
