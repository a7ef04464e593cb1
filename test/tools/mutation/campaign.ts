/*
 * Mutates `core` path by path, and reports the mutants that no test detects:
 *
 *     node test/tools/mutation/campaign.ts core/use_cases core/encoding/fee.ts [--all-tests] [--fresh]
 *
 * Each path is run alone; the default is every folder of `core`. Results are cached in
 * node_modules/.cache/mutation: only mutants affected by changed code or tests run again, and an
 * interrupted run continues, unless `--fresh` is set. The tests nearest to a path run first; with
 * `--all-tests` the others check the remaining mutants, which takes much longer. RESULTS.md has the
 * last result.
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
import { writeClientTypes } from "../../../app/packaging/client_types/mod.ts"
import { printReport, type Report } from "./_report.ts"
import { environment, testFilesOf } from "./_tests.ts"

const here = import.meta.dirname
const root = join(here, "../../..")
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
const paths = positionals.length > 0 ? positionals : foldersIn("core")

const cacheFolder = join(root, "node_modules/.cache/mutation")
mkdirSync(cacheFolder, { recursive: true })

const stryker = join(here, "node_modules/@stryker-mutator/core/bin/stryker.js")
// no lock file, as for the runtimes: the version is exact, and nothing else uses it
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

writeClientTypes()
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
for (const place of paths) {
  if (!stop.signal.aborted) await mutatePath(place)
}

async function mutatePath(place: string): Promise<void> {
  copyTree()
  const incrementalFile = join(cacheFolder, `${place.replaceAll("/", "_")}.json`)
  if (values.fresh) rmSync(incrementalFile, { force: true })
  writeFileSync(
    join(folder, "stryker.config.json"),
    JSON.stringify({
      testRunner: "in-process",
      plugins: [join(folder, "test/tools/mutation/_runner.ts")],
      coverageAnalysis: "perTest",
      checkers: [],
      concurrency: 1,
      // a folder without its sub-folders, which have runs of their own
      mutate: [
        statSync(join(root, place)).isDirectory() ? `${place}/*.ts` : place,
        "!core/**/mod.ts"
      ],
      // names are checked by their types, and messages have no effect
      mutator: { excludedMutations: ["StringLiteral"] },
      // the tree is a temporary copy
      inPlace: true,
      disableTypeChecks: false,
      reporters: ["progress-append-only"],
      incremental: true,
      incrementalFile,
      // a busy machine must not count as detection: endless loops are ended by their number of
      // iterations
      timeoutMS: 120_000,
      timeoutFactor: 10,
      dryRunTimeoutMinutes: 60,
      // the process of the dry run knows which modules need no reload
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
  // it saves its results so far
  stop.signal.addEventListener("abort", () => running.kill("SIGTERM"))
  const [code] = await once(running, "exit")
  if (code !== 0 && !stop.signal.aborted) {
    throw new Error(`Stryker ended with ${code} at ${place}, expected 0`)
  }
  if (existsSync(incrementalFile)) {
    printReport(place, JSON.parse(readFileSync(incrementalFile, "utf8")) as Report)
  }
}

/** Copies the current tree, without earlier mutants. */
function copyTree(): void {
  const filter = (path: string) => !relative(root, path).includes("node_modules")
  for (
    const name of ["core", "adapters", "app", "test", "package.json", "tsconfig.json", "README.md"]
  ) {
    rmSync(join(folder, name), { recursive: true, force: true })
    cpSync(join(root, name), join(folder, name), { recursive: true, filter })
  }
}
