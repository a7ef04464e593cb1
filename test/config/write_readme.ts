import { readFileSync, writeFileSync } from "node:fs"
import { readmePath, withTables } from "./_readme.ts"

/* Writes the generated tables of app/README.md: node test/config/write_readme.ts */

writeFileSync(readmePath, withTables(readFileSync(readmePath, "utf8")))
