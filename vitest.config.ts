import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // starts a PostgreSQL for the test files that ask for one
    globalSetup: "test/postgres/global_setup.ts",
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
