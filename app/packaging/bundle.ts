import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type RolldownOutput, rolldown } from "rolldown"
import { root } from "./_derived_package.ts"
import { writeClientTypes } from "./client_types/mod.ts"

/*
 * Bundles the program and its dependencies into `dist/program`, which needs only Node:
 *
 *     node app/packaging/bundle.ts
 *
 * Commands, stores and documentation pages are separate files, loaded on demand. The code is not
 * minified, so that stack traces are readable.
 */

const folder = join(root, "dist/program")

writeClientTypes()
const bundle = await rolldown({
  cwd: root,
  input: {
    main: "app/main.js",
    // `startWorker` in adapters/crypto expects this name, beside the file that starts the thread
    _worker: "adapters/crypto/_worker.ts",
    // as does `openCallThread` in app/threads
    _simulation_worker: "app/threads/_simulation_worker.ts",
    _state_tree_worker: "app/threads/_state_tree_worker.ts"
  },
  platform: "node"
})
const { output } = await bundle.write({
  dir: folder,
  cleanDir: true,
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  // documentation comments of libraries are a large part of the text; the sources in the package have ours
  comments: { jsdoc: false }
})
await bundle.close()
writeFileSync(join(folder, "LICENSES.txt"), licencesOf(output))

/**
 * Returns the licence texts of the packages in the bundle, which must accompany copies of their
 * code.
 */
function licencesOf(chunks: RolldownOutput["output"]): string {
  const modules = chunks.flatMap((chunk) => chunk.type === "chunk" ? chunk.moduleIds : [])
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(id) ?? [])
  return [...new Set(folders)].sort().map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly name: string
      readonly version: string
      readonly license: string
    }
    const file = join(folder, "LICENSE")
    const text = existsSync(file) ? readFileSync(file, "utf8").trim() : manifest.license
    return `${manifest.name} ${manifest.version}\n\n${text}\n`
  }).join(`\n${"-".repeat(80)}\n\n`)
}
