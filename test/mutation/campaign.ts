/*
 * Breaks `core` on purpose, place by place, and tells what no test noticed:
 *
 *     node test/mutation/campaign.ts core/use_cases core/encoding/fee.ts [--all-tests] [--fresh]
 *
 * Each place that is named is done by itself; none means every folder of `core`. What was found is kept in node_modules/.cache/mutation:
 * only what code or tests that changed may have changed is tried again, and what was interrupted goes on where it was, unless `--fresh` is
 * said. The tests that are nearest to a place are asked; `--all-tests` asks the others too what those left, which takes far longer.
 * The last result stands in RESULTS.md.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { parseArgs } from "node:util"
import { printReport, type Report } from "./_report.ts"
import { environment, testFilesOf } from "./_tests.ts"

const here = import.meta.dirname
const root = join(here, "../..")
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    "all-tests": { type: "boolean", default: false },
    fresh: { type: "boolean", default: false }
  }
})

const foldersIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory()
        ? [`${folder}/${entry.name}`, ...foldersIn(`${folder}/${entry.name}`)]
        : []
    )
const places = positionals.length > 0 ? positionals : foldersIn("core")

const kept = join(root, "node_modules/.cache/mutation")
mkdirSync(kept, { recursive: true })

const stryker = join(here, "node_modules/@stryker-mutator/core/bin/stryker.js")
// no lock file, as for the runtimes: the version is exact, and nothing of this is needed for anything else
if (!existsSync(stryker)) {
  spawnSync("npm", ["install", "--no-package-lock", "--ignore-scripts"], {
    cwd: here,
    stdio: "inherit"
  })
}

const folder = mkdtempSync(join(tmpdir(), "rollup-node-mutation-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
const stop = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort())

symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
for (const place of places) {
  if (!stop.signal.aborted) await tryPlace(place)
}

async function tryPlace(place: string): Promise<void> {
  copyTree()
  const incrementalFile = join(kept, `${place.replaceAll("/", "_")}.json`)
  if (values.fresh) rmSync(incrementalFile, { force: true })
  writeFileSync(
    join(folder, "stryker.config.json"),
    JSON.stringify({
      testRunner: "in-process",
      plugins: [join(folder, "test/mutation/_runner.ts")],
      coverageAnalysis: "perTest",
      checkers: [],
      concurrency: 1,
      // a folder without those in it: they are places of their own
      mutate: [
        statSync(join(root, place)).isDirectory() ? `${place}/*.ts` : place,
        "!core/**/mod.ts"
      ],
      // names are checked by their types, and nothing but people reads messages
      mutator: { excludedMutations: ["StringLiteral"] },
      // the tree is a copy that is thrown away
      inPlace: true,
      disableTypeChecks: false,
      reporters: ["progress-append-only"],
      incremental: true,
      incrementalFile,
      // a busy machine is no reason to take something for found: loops without end are ended by how often they go round
      timeoutMS: 120_000,
      timeoutFactor: 10,
      dryRunTimeoutMinutes: 60,
      // a process that saw the dry run knows what it need not load anew
      maxTestRunnerReuse: 0
    })
  )
  const env = {
    ...process.env,
    ...environment,
    TEST_FILES: JSON.stringify(testFilesOf(place, values["all-tests"]))
  }
  const running = spawn(process.execPath, [stryker, "run"], {
    cwd: folder,
    stdio: "inherit",
    env,
    detached: true
  })
  // it writes down what it has found so far
  stop.signal.addEventListener("abort", () => running.kill("SIGTERM"))
  const [code] = await once(running, "exit")
  if (code !== 0 && !stop.signal.aborted) {
    throw new Error(`Stryker ended with ${code} at ${place}, expected 0`)
  }
  if (existsSync(incrementalFile)) {
    printReport(place, JSON.parse(readFileSync(incrementalFile, "utf8")) as Report)
  }
}

/** As it is now: what was broken before is whole again. */
function copyTree(): void {
  const filter = (path: string) => !relative(root, path).includes("node_modules")
  for (
    const name of ["core", "adapters", "app", "test", "package.json", "tsconfig.json", "README.md"]
  ) {
    rmSync(join(folder, name), { recursive: true, force: true })
    cpSync(join(root, name), join(folder, name), { recursive: true, filter })
  }
}
