import { execFileSync } from "node:child_process"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { root, writeDerivedPackage } from "./_derived_package.ts"

/*
 * Creates the package of the program alone in a folder: the bundle of `rollup-node`, which needs
 * only Node.
 *
 *     node app/packaging/program.ts FOLDER && npm publish FOLDER
 */
writeDerivedPackage({
  suffix: "-program",
  readme: "program.md",
  description: "The program of a layer-two rollup node's HTTP/JSON interface, without dependencies",
  keywords: ["rollup", "layer-2", "http-api"],
  members: { bin: { "rollup-node": "./dist/main.js" } },
  build: (dist) => {
    execFileSync(process.execPath, [join(root, "app/packaging/bundle.ts")], { stdio: "inherit" })
    cpSync(join(root, "dist/program"), dist, { recursive: true })
  }
})
