import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // properties run many cases each: a busy machine is no failure
    testTimeout: 120_000,
    hookTimeout: 120_000,
    passWithNoTests: false
  }
})
