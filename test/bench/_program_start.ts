import { Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { journaledStores } from "../../adapters/journal/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { showFigure } from "./_figures.ts"
import { median } from "./_load.ts"
import type { Opening } from "./_open_directory.ts"
import { programNetwork } from "./sql/_sql_ledger.ts"

/**
 * The start over a directory with the network of `npm start`, whose process was killed: records are
 * behind the last checkpoint.
 */
export const benchProgramStart = async (transactions: number, rounds: number): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), "bench-start-"))
  try {
    const simulation = simulate(programNetwork)
    const { genesis } = simulation
    const write = Effect.gen(function*() {
      const ledger = yield* Ledger
      while (simulation.transactionCount() < transactions) {
        yield* ledger.applyRecord(simulation.next())
      }
    })
    const stores = journaledStores({ directory, genesis, closingMs: 0 })
    await Effect.runPromise(
      Effect.provide(write, Layer.provide(Ledger.layer(genesis, keccak256), stores))
    )
    const openings = Array.from({ length: rounds }, () => opening(directory))
    const medianOf = (member: keyof Opening): number =>
      median(openings.map((each) => each[member])).median
    showFigure({
      name: `start over the network of npm start, ${transactions} transactions`,
      measured: `${(medianOf("ms") / 1000).toFixed(2)} s`,
      conditions: `${medianOf("records")} records behind the checkpoint; ${
        (medianOf("cpuMs") / 1000).toFixed(2)
      } s of CPU time of the main thread; ${
        (medianOf("bytes") / transactions / 1000).toFixed(2)
      } kB resident for each transaction`
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const opening = (directory: string): Opening =>
  JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, "_open_directory.ts"), directory], {
      encoding: "utf8"
    })
  ) as Opening
