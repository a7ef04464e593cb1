import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg, totalmem } from "node:os"
import { join } from "node:path"
import { benchPeers } from "./sql/peers.ts"
import { type Run, takeFigures, withFigures } from "./_figures.ts"
import { benchHono } from "./http/hono.ts"
import { benchApply, benchDepth } from "./_ledgers.ts"
import { benchCompression } from "./http/compression.ts"
import { benchHttp } from "./http/http.ts"
import { benchJournal } from "./_journal.ts"
import { benchOverload } from "./http/overload.ts"
import { benchPosts } from "./http/posts.ts"
import { benchSql } from "./sql/sql.ts"
import { benchIdleMemory, benchStart } from "./_start.ts"
import { benchProgramStart } from "./_program_start.ts"
import { benchTail } from "./http/tail.ts"
import { benchVerify } from "./_verify.ts"

/*
 * npm run bench: figures as ratios in one run on one machine. Each is printed with what it does not
 * mean, and written into RESULTS.md, unless the run is a quick one.
 *
 *     npm run bench                  everything, a million transactions
 *     npm run bench -- sql           only these parts: http, compression, tail, overload, start, peers, ledger, verify, posts, journal, sql
 *     npm run bench -- --quick       smaller ledgers and fewer rounds: only to check that it runs
 *     npm run bench -- sql --rows 10000000
 */
const args = process.argv.slice(2)
const quick = args.includes("--quick")
const rowsAt = args.indexOf("--rows")
const rows = rowsAt < 0 ? quick ? 50_000 : 1_000_000 : Number(args[rowsAt + 1])
if (!(Number.isSafeInteger(rows) && rows >= 10_000)) {
  throw new RangeError(
    `--rows ${args[rowsAt + 1]}: expected a number of transactions, 10000 or more`
  )
}

const parts: { readonly [name: string]: () => Promise<void> } = {
  http: async () => {
    console.log(
      "\nHTTP: ours ÷ a peer with the same objects: bare node:http with JSON.stringify, Fastify, Hono (the peers decode and look up nothing)"
    )
    await benchHttp({ rounds: quick ? 3 : 9, durationMs: quick ? 500 : 1000 })
    await benchHono(quick ? 3 : 9)
  },
  compression: async () => {
    console.log(
      "\nCompression: bytes of compressed pages, and cached compressed pages ÷ the same pages uncompressed (the client decompresses nothing)"
    )
    await benchCompression({ rounds: quick ? 3 : 9, durationMs: quick ? 500 : 1000 })
  },
  tail: async () => {
    console.log(
      "\nTail: p99 ÷ p50 of eight kinds of pages at 70 % of capacity, two blocks a second (latency from when a request was due, at even intervals; server and client have a core each)"
    )
    await benchTail({ rounds: quick ? 1 : 6, durationMs: quick ? 1500 : 2100 })
  },
  overload: async () => {
    console.log(
      "\nOverload: pages and posts served to 4 and 16 times as many clients as at capacity, which ignore Retry-After (each sends its next request as soon as it has an answer; the first answer on a new connection may be 503)"
    )
    await benchOverload({ rounds: quick ? 1 : 3, durationMs: quick ? 2000 : 3000 })
  },
  start: async () => {
    console.log(
      "\nStart: seconds to the first answer of the program, and megabytes of an idle one (the bare peer shows the share of Node)"
    )
    await benchStart(quick ? 2 : 7)
    await benchIdleMemory()
  },
  peers: async () => {
    console.log(
      "\nDeep pages: ours ÷ Fastify and pg with COUNT(*) OVER (), and ÷ PostGraphile with totalCount, over one PostgreSQL (the peers check no parameter)"
    )
    await benchPeers({ rows, rounds: quick ? 2 : 5, durationMs: quick ? 1000 : 5000 })
  },
  ledger: async () => {
    console.log(
      "\nBlocks: transactions applied per second, checks included (without generating the blocks; no HTTP)"
    )
    const large = await benchApply(rows)
    const small = await benchApply(10_000)
    console.log(
      "\nDepth: a 20-item page of the account with the most transactions, at the start, in the middle and at the end (in process, no HTTP)"
    )
    await benchDepth([small, large])
  },
  verify: async () => {
    console.log(
      "\nSignatures: transactions verified per second, message hash included (no HTTP, no store)"
    )
    await benchVerify({ count: quick ? 100 : 300, rounds: quick ? 2 : 5 })
  },
  posts: async () => {
    console.log(
      "\nPosts: verified and stored over HTTP ÷ bare verification over as many threads (client, server and threads share the cores)"
    )
    await benchPosts({ rounds: quick ? 2 : 7, count: quick ? 100 : 400 })
  },
  journal: async () => {
    console.log(
      "\nJournal: cost of durability, and time of a start (the disk decides; reads are not affected)"
    )
    await benchJournal(rows)
    await benchProgramStart(quick ? 5000 : 100_000, quick ? 1 : 5)
  },
  sql: () => benchSql({ rows, quick })
}

const titles: { readonly [part: string]: string } = {
  http: "HTTP",
  compression: "Compression",
  tail: "Tail latency",
  overload: "Overload by clients that ignore `Retry-After`",
  start: "Start and memory",
  peers: "Deep pages of peers that count all items",
  ledger: "Ledger in memory",
  verify: "Signatures",
  posts: "Posts",
  journal: "Data directory",
  sql: "Over PostgreSQL"
}

const named = args.filter((arg, i) => !arg.startsWith("--") && (rowsAt < 0 || i !== rowsAt + 1))
const unknown = named.filter((name) => parts[name] === undefined)
if (unknown.length > 0) {
  throw new RangeError(
    `No benchmark is called ${unknown.join(", ")}: expected some of ${
      Object.keys(parts).join(", ")
    }, or none for all of them`
  )
}

const root = join(import.meta.dirname, "../..")
const git = (...words: ReadonlyArray<string>): string =>
  execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim()
const serverFiles = git("ls-files", "core", "adapters", "app").split("\n").filter((file) =>
  /\.(?:ts|js)$/u.test(file)
)
const sources = serverFiles.reduce(
  (hash, file) => hash.update(readFileSync(join(root, file))),
  createHash("sha256")
).digest("hex").slice(0, 12)
const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${
  Math.round(totalmem() / 2 ** 30)
} GiB`
const results = join(import.meta.dirname, "RESULTS.md")

const writeResults = (part: string, startedLoad: number): void => {
  const run: Run = {
    part,
    title: titles[part]!,
    where: `${new Date().toISOString().slice(0, 10)}, commit ${
      git("rev-parse", "--short", "HEAD")
    }${
      git("status", "--porcelain", "core", "adapters", "app") === "" ? "" : " with changes"
    }, \`npm run bench -- ${part}${
      rowsAt < 0 ? "" : ` --rows ${rows}`
    }\`, ${machine}; load average at the start ${startedLoad.toFixed(1)}.`,
    sources
  }
  writeFileSync(results, withFigures(readFileSync(results, "utf8"), run, takeFigures()))
}

console.log(`${new Date().toISOString().slice(0, 10)}, ${machine}`)
for (const [name, run] of Object.entries(parts)) {
  if (named.length > 0 && !named.includes(name)) continue
  const [startedLoad = 0] = loadavg()
  await run()
  if (!quick) writeResults(name, startedLoad)
}
