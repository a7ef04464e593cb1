import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { takeFigures, withFigures, withMarks } from "./_figures.ts"
import { benchJournal } from "./_journal.ts"
import { benchLedgers } from "./_ledgers.ts"
import { machine, today } from "./_servers.ts"
import { benchIdleMemory, benchStart } from "./_start.ts"
import { benchCompression } from "./http/compression.ts"
import { benchHttp } from "./http/http.ts"
import { benchOverload } from "./http/overload.ts"
import { benchPosts } from "./http/posts.ts"
import { benchTail } from "./http/tail.ts"
import { benchPeers } from "./sql/peers.ts"
import { benchSql } from "./sql/sql.ts"

/*
 * npm run bench: figures as ratios in one run on one machine. They are printed, and written into
 * RESULTS.md, which says what they do not mean, unless the run is a quick one.
 *
 *     npm run bench                  everything, a million transactions
 *     npm run bench -- sql           only these parts: see `parts`
 *     npm run bench -- --quick       smaller ledgers and fewer rounds: only to check that it runs
 *     npm run bench -- sql --rows 10000000
 *     npm run bench -- --mark        measures nothing: marks the tables in RESULTS.md that were not
 *                                    measured with the present server, and lists their parts
 */
const { positionals: named, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    rows: { type: "string" },
    mark: { type: "boolean", default: false }
  }
})
const { quick } = values
const rows = Number(values.rows ?? (quick ? 50_000 : 1_000_000))
if (!(Number.isSafeInteger(rows) && rows >= 10_000)) {
  throw new RangeError(`--rows ${values.rows}: expected a number of transactions, 10000 or more`)
}
const rates = { rounds: quick ? 3 : 9, durationMs: quick ? 500 : 1000 }

interface Part {
  readonly title: string
  readonly run: () => Promise<void>
}
const parts: { readonly [name: string]: Part } = {
  http: { title: "HTTP", run: () => benchHttp(rates) },
  compression: { title: "Compression", run: () => benchCompression(rates) },
  tail: {
    title: "Tail latency",
    run: () => benchTail({ rounds: quick ? 1 : 6, durationMs: quick ? 1500 : 2100 })
  },
  overload: {
    title: "Overload by clients that ignore `Retry-After`",
    run: () => benchOverload({ rounds: quick ? 1 : 3, durationMs: quick ? 2000 : 3000 })
  },
  start: {
    title: "Start and memory",
    run: async () => {
      await benchStart(quick ? 2 : 7)
      await benchIdleMemory()
    }
  },
  peers: {
    title: "Deep pages of peers that count all items",
    run: () => benchPeers({ rows, rounds: quick ? 2 : 5, durationMs: quick ? 1000 : 5000 })
  },
  ledger: { title: "Ledger in memory", run: () => benchLedgers(rows) },
  posts: {
    title: "Posts",
    run: () => benchPosts({ rounds: quick ? 2 : 7, count: quick ? 100 : 400 })
  },
  journal: { title: "Data directory", run: () => benchJournal(rows, quick ? 1 : 5) },
  sql: { title: "Over PostgreSQL", run: () => benchSql({ rows, quick }) }
}
const unknown = named.filter((name) => parts[name] === undefined)
if (unknown.length > 0) {
  const known = Object.keys(parts).join(", ")
  throw new RangeError(
    `No benchmark is called ${unknown.join(", ")}: expected some of ${known}, or none for all`
  )
}

const root = join(import.meta.dirname, "../..")
const git = (...words: ReadonlyArray<string>): string =>
  execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim()
const server = ["core", "adapters", "app"]
const digest = createHash("sha256")
for (const file of git("ls-files", ...server).split("\n")) {
  if (/\.(?:ts|js)$/u.test(file)) digest.update(readFileSync(join(root, file)))
}
const sources = digest.digest("hex").slice(0, 12)
const results = join(import.meta.dirname, "RESULTS.md")

if (values.mark) {
  const { earlier, text } = withMarks(readFileSync(results, "utf8"), sources)
  writeFileSync(results, text)
  console.log(`Measured with an earlier server: ${earlier.join(", ") || "no part"}`)
  process.exit()
}
console.log(`${today}, ${machine}`)
for (const [part, { run, title }] of Object.entries(parts)) {
  if (named.length > 0 && !named.includes(part)) continue
  const [startedLoad = 0] = loadavg()
  console.log(`\n${title}`)
  await run()
  const figures = takeFigures()
  if (quick) continue
  const changes = git("status", "--porcelain", ...server) === "" ? "" : " with changes"
  const command = `npm run bench -- ${part}${values.rows === undefined ? "" : ` --rows ${rows}`}`
  const where = `${today}, commit ${
    git("rev-parse", "--short", "HEAD")
  }${changes}, \`${command}\`, ${machine}; load average at the start ${startedLoad.toFixed(1)}.`
  const text = readFileSync(results, "utf8")
  writeFileSync(results, withFigures(text, { part, title, where, sources }, figures))
}
