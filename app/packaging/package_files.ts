import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { adminOpenApi } from "../../adapters/admin/mod.ts"
import { type FeedRecord, feedJsonSchema, writeFeedLine } from "../../core/mod.ts"
import { simulate } from "../simulator/mod.ts"

/*
 * Writes the files of the package that are generated: schemas, and the feed of an example network.
 *
 *     node app/packaging/package_files.ts FOLDER
 */

/** Number of blocks in the example feed. */
const exampleBlocks = 10

/** Returns the text of each generated file, by its path in the package. */
export const packageFiles = (): { readonly [path: string]: string } => {
  const { genesis, next } = simulate({
    seed: "example 2",
    users: 8,
    transactionsPerBlock: 3,
    exitShare: 0.5
  })
  const genesisRecord: FeedRecord = { kind: "genesis", genesis }
  const records: Array<FeedRecord> = [genesisRecord]
  for (let blocks = 0; blocks < exampleBlocks;) {
    const record = next()
    records.push(record)
    if (record.kind === "block") blocks++
  }
  return {
    "schemas/feed.json": indented(feedJsonSchema()),
    "schemas/admin.json": indented(adminOpenApi()),
    "examples/genesis.json": indented(JSON.parse(writeFeedLine(genesisRecord))),
    "examples/feed.ndjson": records.map((record) => `${writeFeedLine(record)}\n`).join("")
  }
}

const indented = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

if (import.meta.main) {
  const folder = process.argv[2] ?? "dist"
  for (const [path, text] of Object.entries(packageFiles())) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
