import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { journalIn } from "./machine/mod.ts"
import { type Report, simulateSeed } from "./simulation.ts"

const SEEDS = 3

/** Simulates a run over the journal of SQLite, with real signatures. */
function simulateOnDisk(seed: string): Report {
  const parent = mkdtempSync(join(tmpdir(), "simulation-"))
  let close = () => {}
  try {
    return simulateSeed(seed, {
      isSigned: true,
      directory: (name, genesis) => {
        const journal = journalIn(parent, name, genesis)
        close = journal.close
        return journal
      }
    })
  } finally {
    close()
    rmSync(parent, { recursive: true })
  }
}

describe("A service from a seed over the real journal, with real signatures", () => {
  it(`keeps every promise in ${SEEDS} runs, the same each time`, () => {
    let [acknowledged, restarts] = [0, 0]
    for (let number = 0; number < SEEDS; number++) {
      const { digest, tally, violation } = simulateOnDisk(`real ${number}`)
      assert.isUndefined(violation, `seed "real ${number}"`)
      acknowledged += tally.get("acknowledged") ?? 0
      restarts += tally.get("restart") ?? 0
      if (number === 0) assert.strictEqual(simulateOnDisk(`real ${number}`).digest, digest)
    }
    assert.isAbove(acknowledged, 10)
    assert.isAbove(restarts, 0)
  })
})
