import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { defineConfig } from "vitest/config"

const root = join(import.meta.dirname, "../../..")

/* The tests that a campaign runs for each mutant, whose files it names in `TEST_FILES`. */
export default defineConfig({
  test: {
    root,
    include: JSON.parse(process.env.TEST_FILES!) as Array<string>,
    // a few random cases each
    env: { SEED: "1", RUNS: "4" },
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [`--import=${pathToFileURL(join(root, "test/crypto/_remembered_poseidon.ts"))}`],
    isolate: false,
    testTimeout: 60_000
  }
})
