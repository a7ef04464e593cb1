import { rmSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { memoryDirectory } from "./test/postgres/memory_directory.ts"

/**
 * Cache of compiled code for the programs that tests start: compiling takes most of the time of a
 * short program. It is in memory, since a disk takes longer to create a thousand files.
 */
const compiled = join(memoryDirectory(), `rollup-compiled-${process.pid}`)
process.once("exit", () => rmSync(compiled, { recursive: true, force: true }))

/**
 * Files that start first, the longest first: a long file that starts late leaves cores idle. Files
 * that mostly wait for timeouts stand between those that compute, so that not all workers wait.
 */
const LONGEST = [
  "program/full_heap.long.test",
  "operations/guide.long.test",
  "program/database.long.test",
  "program/workers.long.test",
  "program/stopping.long.test",
  "wallet/from_authorization_to_withdrawal.long.test",
  "simulator/drive.long.test",
  "sources/takeover.long.test",
  "sources/failover.long.test",
  "sql/connection/lost_commits.long.test",
  "program/directory.long.test",
  "audit/program.long.test",
  "program/config.long.test",
  "program/exits/early_signals.long.test",
  "program/exits/moved_directory.long.test",
  "examples.test",
  "sql/connection/versions.test",
  "journal/laws.test",
  "sql/ledger/laws.test",
  "sql/ledger/conflicts.test",
  "sql/differential/pool.test",
  "sources/simulated_source.test",
  "sql/connection/lease.test",
  "pool/pool_laws.test",
  "journal/checkpoint.test",
  "properties/laws.test",
  "sql/ledger/won_slots.test",
  "embed/failures.test",
  "sql/pool/pool.test",
  "sql/connection/faults.test",
  "example_types.test",
  "simulation/simulation.test",
  "journal/disk/moved_directory.test",
  "crypto/verifying.test",
  "sql/ledger/head.test",
  "admin/database.test",
  "sql/crash/crash.test",
  "sql/ledger/bulk_roll_backs.test",
  "properties/laws_have_teeth.test",
  "sql/postings/plans.test",
  "sql/connection/replica.test",
  "sql/differential/differential.test",
  "simulator/simulation.test",
  "packaging/client_package.test",
  "journal/crash.test",
  "sql/ledger/ledger_writer.test",
  "http/node/conversations.test",
  "embed/stores.test",
  "http/cache/conditional.test",
  "audit/database.test",
  "admin/feed.test",
  "conformance/occurrence.test"
].map((name) => join(import.meta.dirname, "test", `${name}.ts`))

/** Files that only `npm run test:long` runs: they start many processes, or wait for timeouts. */
const LONG = "test/**/*.long.test.ts"

/** Tools install dependencies of their own, some of which have tests. */
const DEPENDENCIES = "**/node_modules/**"

/** Tests of which `npm test` runs a share: their sizes come from `test/rounds.ts`. */
const RANDOM = [
  "fuzz/open_api",
  "golden/golden",
  "http/cache/conditional",
  "derived/decision",
  "http/node/conversations",
  "journal/checkpoint",
  "journal/crash",
  "journal/damage",
  "journal/disk/head",
  "journal/disk/moved_directory",
  "journal/laws",
  "memory/bulk_append",
  "memory/grouped_rows",
  "memory/pool_undo",
  "pool/pool_laws",
  "properties/feed",
  "properties/input",
  "properties/laws",
  "properties/row_filter",
  "simulation/simulation",
  "simulator/simulation",
  "sql/crash/crash",
  "sql/differential/differential",
  "sql/differential/pool",
  "sql/ledger/head",
  "sql/ledger/laws",
  "sql/ledger/ledger_writer",
  "sql/pool/pool",
  "sql/postings/plans"
].map((name) => `test/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: ReadonlyArray<TestSpecification>) {
    const length = ({ moduleId }: TestSpecification) => LONGEST.toReversed().indexOf(moduleId)
    return (await super.sort([...files])).sort((a, b) => length(b) - length(a))
  }
}

export default defineConfig({
  test: {
    projects: [
      // `npm test`
      { test: { name: "short", include: ["test/**/*.test.ts"], exclude: [LONG, DEPENDENCIES] } },
      // `npm run test:long`
      {
        test: {
          name: "long",
          include: [LONG, ...RANDOM],
          exclude: [DEPENDENCIES],
          env: { TEST_LONG: "1" }
        }
      }
    ],
    globalSetup: [
      // the types of the client match the contract
      "test/client/global_setup.ts",
      // starts a PostgreSQL for the test files that ask for one
      "test/postgres/global_setup.ts"
    ],
    env: { NODE_COMPILE_CACHE: compiled },
    // Node loads the modules, as in the program: a bundler makes each use of an import a getter call
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [
      // most objects of a test die young: a larger young generation saves a tenth of the time
      "--max-semi-space-size=64",
      // tests sign and verify in one process, with networks of the same seeds: hashes are cached
      `--import=${pathToFileURL(join(import.meta.dirname, "test/crypto/_remembered_poseidon.ts"))}`
    ],
    sequence: { sequencer: LongestFirst },
    // properties run many cases each, also on a busy machine
    testTimeout: 120_000,
    hookTimeout: 120_000,
    passWithNoTests: false,
    // the logs of programs under test are shown for tests that fail
    silent: "passed-only",
    // no test changes a module, and loading all modules for each file takes an eighth of the time
    isolate: false,
    // many files wait for a database or for other processes most of the time
    maxWorkers: availableParallelism() + 1
  }
})
