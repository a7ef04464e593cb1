import { rmSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { memoryPlace } from "./test/postgres/memory_place.ts"

/** What programs that tests start have compiled, for those that start after them; most of the time of a short one goes into that. In memory: a disk takes longer to make a thousand files. */
const compiled = join(memoryPlace(), `rollup-compiled-${process.pid}`)
process.once("exit", () => rmSync(compiled, { recursive: true, force: true }))

/** Each takes a large part of a minute, which their sizes do not show: one that began late would be waited for by idle cores. */
const LONGEST = [
  "simulation/simulation",
  "sql/crash",
  "pool/pool_laws",
  "sql/differential",
  "program/database",
  "sql/ledger_writer",
  "properties/laws",
  "sql/laws",
  "program/workers",
  "submission/fuzz",
  "program/directory",
  "simulator/drive",
  "wallet/from_authorization_to_withdrawal",
  "journal/crash",
  "sql/plans",
  "sql/lost_commits",
  "conformance/wire",
  "sql/differential_pool",
  "sql/faults",
  "simulator/simulation",
  "properties/laws_have_teeth",
  "journal/laws",
  "conformance/occurrence"
].map((name) => join(import.meta.dirname, "test", `${name}.test.ts`))

class LongestFirst extends BaseSequencer {
  override async sort(files: ReadonlyArray<TestSpecification>) {
    const length = ({ moduleId }: TestSpecification) => LONGEST.toReversed().indexOf(moduleId)
    return (await super.sort([...files])).sort((a, b) => length(b) - length(a))
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // starts a PostgreSQL for the test files that ask for one
    globalSetup: "test/postgres/global_setup.ts",
    env: { NODE_COMPILE_CACHE: compiled },
    // Node loads the modules of the tests as it loads those of the program: bundlers turn each use of an import into a call of a getter
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [
      // little of what a test makes lives on: with more room for what is new, collecting the rest takes a tenth less of the time
      "--max-semi-space-size=64",
      // wallets and node are one process in most tests, and networks are made from the same seeds: no hash is computed twice
      `--import=${pathToFileURL(join(import.meta.dirname, "test/crypto/_remembered_poseidon.ts"))}`
    ],
    sequence: { sequencer: LongestFirst },
    // properties run many cases each: a busy machine is no failure
    testTimeout: 120_000,
    hookTimeout: 120_000,
    passWithNoTests: false,
    // no test changes what another one sees of a module, and to load them all anew for each file takes an eighth of the time
    isolate: false,
    // many files wait for a database or for other processes most of the time
    maxWorkers: availableParallelism() + 1
  }
})
