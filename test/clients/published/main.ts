import { execFile, fork } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { startCluster } from "../../postgres/cluster.ts"
import { Checks, type Outcome } from "./_checks.ts"
import { startEthereum } from "./_ethereum.ts"
import { freePort, identity, runCommand, simulated, startProgram } from "./_program.ts"
import { runReadme } from "./_readme.ts"
import type { Job, Report } from "./client.ts"

/*
 * Installs the published client library in two versions and drives every function of its API against
 * the program, over a data directory and over PostgreSQL: `npm run clients`. Prints a table and the
 * failures, and exits with 1 if there are any. `--installed FOLDER` uses an installation, and
 * `--part keys`, `journal`, `postgresql` or `readme` checks one part only.
 */

const versions = [["1.1.9", "hermezjs-1"], ["2.0.1", "hermezjs-2"]] as const
const installTimeoutMs = 600_000
const jobTimeoutMs = 600_000

interface Row extends Outcome {
  readonly column: string
}

const { values } = parseArgs({
  options: { installed: { type: "string" }, part: { type: "string" }, seed: { type: "string" } }
})
const seed = values.seed ?? String(Date.now())

/** Installs the library as its lock file says; its packages run no scripts. */
const install = async (folder: string): Promise<void> => {
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
    cpSync(join(import.meta.dirname, "..", name), join(folder, name))
  }
  await promisify(execFile)("npm", ["ci", "--fetch-timeout=60000", "--fetch-retries=3"], {
    cwd: folder,
    timeout: installTimeoutMs
  })
}

/** Runs a job in a new process, whose working directory is that of the installation. */
const run = (job: Job): Promise<Report> =>
  new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, "client.ts"), [JSON.stringify(job)], {
      cwd: directory,
      timeout: jobTimeoutMs
    })
    child.once("message", (report) => resolve(report as Report))
    child.once("exit", (code, signal) =>
      reject(new Error(`${job.library} ${job.kind} ends with ${signal ?? code}`)))
  })

/** The rows of one store, and what each version has posted to it and called, by its library. */
interface StoreRows {
  readonly rows: ReadonlyArray<Row>
  readonly posts: ReadonlyMap<string, Report>
}

/** Runs the program, and one job with each version. */
const checkWith = async (
  store: string,
  words: ReadonlyArray<string>,
  jobOf: (library: string, url: string) => Job
): Promise<StoreRows> => {
  const stop = await startProgram(port, words)
  try {
    const posts = new Map<string, Report>()
    const rows: Array<Row> = []
    for (const [version, library] of versions) {
      const report = await run(jobOf(library, `http://localhost:${port}`))
      rows.push(
        ...report.outcomes.map((outcome) => ({ column: `${version} ${store}`, ...outcome }))
      )
      posts.set(library, report)
    }
    return { rows, posts }
  } finally {
    await stop()
  }
}

/** Posts to a live network. */
const checkPosts = (store: string, words: ReadonlyArray<string>): Promise<StoreRows> =>
  checkWith(
    store,
    [...words, ...simulated(port), "--pace", "0.5"],
    (library, url) => ({ kind: "posts", folder, library, url, ethereumUrl, ...demo })
  )

let posted: Promise<StoreRows & { readonly feed: string }> | undefined
/** Posts to a network in a data directory, once, and exports its feed. */
const postToJournal = () =>
  posted ??= (async () => {
    const result = await checkPosts("journal", ["--data", dataDirectory])
    const feed = join(directory, "feed.ndjson")
    await runCommand("export", "--data", dataDirectory, "--out", feed)
    return { ...result, feed }
  })()

/** Compares with values that are computed from the feed of the data directory. */
const onJournal = async () => {
  const { feed, posts, rows } = await postToJournal()
  const reads = await checkWith(
    "journal",
    ["--data", dataDirectory, ...simulated(port), "--pace", "0"],
    (library, url) => {
      const { called, facts } = posts.get(library)!
      return { kind: "reads", ...wholeStore, folder, library, url, feed, facts: facts!, called }
    }
  )
  return [...rows, ...reads.rows]
}

/**
 * Posts to a network in PostgreSQL and reads its pool, and reads the ledger of the feed of the data
 * directory in another database: PostgreSQL stores no feed.
 */
const onPostgres = async () => {
  const cluster = await startCluster({ durable: false })
  try {
    const live = ["--simulate", "--database", await cluster.createDatabase()]
    const loaded = await cluster.createDatabase()
    const { posts, rows } = await checkPosts("PostgreSQL", live)
    const pool = await checkWith(
      "PostgreSQL",
      [...live, ...simulated(port), "--pace", "0"],
      (library, url) => {
        const { facts } = posts.get(library)!
        return { kind: "reads", ...poolOnly, folder, library, url, facts: facts! }
      }
    )
    const { feed, posts: ofJournal } = await postToJournal()
    await runCommand("ingest", feed, "--database", loaded)
    const ledger = await checkWith(
      "PostgreSQL",
      ["--feed", feed, "--database", loaded],
      (library, url) => {
        const { facts } = ofJournal.get(library)!
        const called = [posts, pool.posts].flatMap((reports) => reports.get(library)!.called)
        return { kind: "reads", ...ledgerOnly, folder, library, url, feed, facts: facts!, called }
      }
    )
    return [...rows, ...pool.rows, ...ledger.rows]
  } finally {
    await cluster.remove()
  }
}

const wholeStore = { readsLedger: true, readsPool: true }
const poolOnly = { readsLedger: false, readsPool: true }
const ledgerOnly = { readsLedger: true, readsPool: false }

const checkKeys = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const [version, library] of versions) {
    const { outcomes } = await run({ kind: "wallets", folder, library, ethereumUrl, seed })
    rows.push(...outcomes.map((outcome) => ({ column: `${version} keys`, ...outcome })))
  }
  return rows
}

/** Returns a row for each function, with the results of each version and store. */
const tableOf = (rows: ReadonlyArray<Row>) =>
  Object.fromEntries(
    [...Map.groupBy(rows, ({ call }) => call)].map(([call, ofCall]) => [
      call,
      Object.fromEntries(
        [...Map.groupBy(ofCall, ({ column }) => column)].map(([column, outcomes]) => {
          const passed = outcomes.filter(({ failure }) => failure === null).length
          return [column, `${passed} of ${outcomes.length}`]
        })
      )
    ])
  )

/** Runs the commands of the README. */
const checkReadme = async (): Promise<ReadonlyArray<Row>> => {
  const checks = new Checks()
  await checks.run("README", "from npm i to a forged transfer", async () => {
    const output = await runReadme(join(directory, "readme"))
    if (!/^0x02[0-9a-f]{64} is in batch \d+$/mu.test(output)) throw new Error(output)
  })
  return checks.outcomes.map((outcome) => ({ column: "2.0.1 README", ...outcome }))
}

const parts = { keys: checkKeys, journal: onJournal, postgresql: onPostgres, readme: checkReadme }

const directory = mkdtempSync(join(tmpdir(), "published-clients-"))
const dataDirectory = join(directory, "data")
// the URL of the program is part of the simulated network
const port = await freePort()
const folder = values.installed ?? directory
const { close, url: ethereumUrl } = await startEthereum(1337)
let demo = { key: "", publicKey: "" }
try {
  if (values.installed === undefined) await install(folder)
  const shown = await runCommand("wallet", ...identity)
  demo = {
    key: await runCommand("wallet", "--export"),
    publicKey: /BabyJubJub key +(\S+)/u.exec(shown)![1]!
  }
  const rows: Array<Row> = []
  for (const [name, check] of Object.entries(parts)) {
    if (values.part === undefined || values.part === name) rows.push(...await check())
  }
  console.table(tableOf(rows))
  const failed = rows.filter(({ failure }) => failure !== null)
  const byCheck = Map.groupBy(failed, ({ call, fact }) => `${call}, ${fact}`)
  for (const [check, outcomes] of byCheck) {
    console.log(`FAILED ${check} (${outcomes.map(({ column }) => column).join(", ")})`)
    console.log(`  ${outcomes[0]!.failure}`)
  }
  console.log(
    `clients: ${rows.length - failed.length} passed, ${failed.length} failed (seed ${seed})`
  )
  process.exitCode = failed.length === 0 ? 0 : 1
} finally {
  close()
  rmSync(directory, { recursive: true, force: true })
}
