/*
 * Mutates `core` path by path, and reports the mutants that no test detects:
 *
 *     node test/tools/mutation/campaign.ts core/use_cases core/encoding/fee.ts [--all-tests] [--fresh]
 *
 * Each path is run alone; the default is every folder of `core`. Results are cached in
 * node_modules/.cache/mutation: only mutants affected by changed code or tests run again, and an
 * interrupted run continues, unless `--fresh` is set. The tests nearest to a path run; with
 * `--all-tests` all others too, which takes much longer. RESULTS.md has the
 * last result.
 */
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { testFilesOf } from "./_tests.ts"

const here = import.meta.dirname
const root = join(here, "../../..")
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    "all-tests": { type: "boolean", default: false },
    fresh: { type: "boolean", default: false }
  }
})
const cacheFolder = join(root, "node_modules/.cache/mutation")
mkdirSync(cacheFolder, { recursive: true })
const config = join(cacheFolder, "stryker.config.json")

const stryker = join(here, "node_modules/@stryker-mutator/core/bin/stryker.js")
// no lock file, as for the runtimes: the versions are exact, and nothing else uses them
if (!existsSync(stryker)) {
  const flags = ["--no-package-lock", "--ignore-scripts", "--legacy-peer-deps"]
  spawnSync("npm", ["install", ...flags], { cwd: here, stdio: "inherit" })
}

const mutatePath = (place: string): void => {
  const incrementalFile = join(cacheFolder, `${place.replaceAll("/", "_")}.json`)
  if (values.fresh) rmSync(incrementalFile, { force: true })
  // a folder without its sub-folders, which have runs of their own
  const mutated = statSync(join(root, place)).isDirectory() ? `${place}/*.ts` : place
  writeFileSync(
    config,
    JSON.stringify({
      testRunner: "vitest",
      vitest: { configFile: "test/tools/mutation/vitest.config.ts", pool: "forks", related: false },
      coverageAnalysis: "perTest",
      concurrency: 1,
      mutate: [mutated, "!core/**/mod.ts"],
      ignorePatterns: ["dist", "coverage"],
      // Node strips no types below node_modules
      tempDirName: join(tmpdir(), "rollup-node-mutation"),
      // names are checked by their types, and messages have no effect
      mutator: { excludedMutations: ["StringLiteral"] },
      disableTypeChecks: false,
      // it would rewrite the file with the programming interface of an older compiler
      tsconfigFile: "none",
      reporters: ["progress-append-only", "clear-text"],
      clearTextReporter: { logTests: false, reportTests: false },
      incremental: true,
      incrementalFile,
      // a busy machine must not count as detection: endless loops are ended by their number of
      // iterations
      timeoutMS: 120_000,
      timeoutFactor: 10,
      dryRunTimeoutMinutes: 60
    })
  )
  const testFiles = JSON.stringify(testFilesOf(place, values["all-tests"]))
  // an interrupt of the terminal reaches it too, and it saves its results so far
  const { signal, status } = spawnSync(process.execPath, [stryker, "run", config], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TEST_FILES: testFiles }
  })
  if (status !== 0) throw new Error(`Stryker ended with ${status ?? signal} at ${place}`)
}

const folders = globSync("core/**/", { cwd: root }).filter((each) => each !== "core")
for (const place of positionals.length > 0 ? positionals : folders) mutatePath(place)
