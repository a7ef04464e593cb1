// Runs the scenario where there is a file system: node, deno and bun take the same file.
import { readFileSync } from "node:fs"
import { argv } from "node:process"
import { scenario } from "./scenario.js"

console.log(
  await scenario(readFileSync(new URL("./feed.ndjson", import.meta.url), "utf8"), argv[2])
)
