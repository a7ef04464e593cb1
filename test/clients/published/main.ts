import { execFile, fork } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { startCluster } from "../../postgres/cluster.ts"
import { Checks, type Outcome } from "./_checks.ts"
import { startEthereum } from "./_ethereum.ts"
import { freePort, identity, runCommand, startProgram } from "./_program.ts"
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

/** Posts with each version to a live network, and reads with each from it when it stands still. */
const checkStore = async (
  store: string,
  words: ReadonlyArray<string>
): Promise<ReadonlyArray<Row>> => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const rows: Array<Row> = []
  const jobs: Array<Job> = []
  const add = (version: string, { outcomes }: Report) =>
    rows.push(...outcomes.map((outcome) => ({ column: `${version} ${store}`, ...outcome })))

  let stop = await startProgram(port, [...words, "--pace", "0.5"])
  try {
    for (const [version, library] of versions) {
      const report = await run({ kind: "posts", folder, library, url, ethereumUrl, ...demo })
      add(version, report)
      jobs.push({
        kind: "reads",
        folder,
        library,
        url,
        facts: report.facts!,
        called: report.called
      })
    }
  } finally {
    await stop()
  }
  stop = await startProgram(port, [...words, "--pace", "0"])
  try {
    for (const [i, job] of jobs.entries()) add(versions[i]![0], await run(job))
  } finally {
    await stop()
  }
  return rows
}

const onJournal = () => checkStore("journal", ["--data", join(directory, "data")])
const onPostgres = async () => {
  const cluster = await startCluster({ durable: false })
  try {
    return await checkStore("PostgreSQL", [
      "--simulate",
      "--database",
      await cluster.createDatabase()
    ])
  } finally {
    await cluster.remove()
  }
}

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
