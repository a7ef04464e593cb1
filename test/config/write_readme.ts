import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { withTables } from "./_readme.ts"

/* Writes the tables of the README anew that are made from declarations: node test/config/write_readme.ts */

const path = join(import.meta.dirname, "../../README.md")
writeFileSync(path, withTables(readFileSync(path, "utf8")))
