import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { root, writeDerivedPackage } from "./_derived_package.ts"
import { writeClientTypes } from "./client_types/mod.ts"

/*
 * Creates the package of the typed client alone in a folder:
 *
 *     node app/packaging/client.ts FOLDER && npm publish FOLDER
 */
writeDerivedPackage({
  suffix: "-client",
  readme: "client.md",
  description: "The typed client of a layer-two rollup node, for everything that has fetch",
  keywords: ["rollup", "layer-2", "http-client"],
  members: {
    engines: undefined,
    sideEffects: false,
    exports: {
      ".": { types: "./dist/mod.d.ts", default: "./dist/mod.js" },
      "./package.json": "./package.json"
    }
  },
  build: (dist) => {
    const typescript = createRequire(import.meta.url).resolve("typescript/package.json")
    writeClientTypes()
    execFileSync(process.execPath, [
      join(dirname(typescript), "bin/tsc"),
      "-p",
      join(root, "app/packaging/tsconfig.client.json"),
      "--outDir",
      resolve(dist)
    ], { stdio: "inherit" })
  }
})
