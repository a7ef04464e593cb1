import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { simulate } from "../../app/simulator/mod.ts"
import { showFigure } from "./_figures.ts"
import { median } from "./_load.ts"
import type { Opening } from "./_open_directory.ts"
import { inDirectory, withStores } from "./_stores.ts"
import { programNetwork } from "./sql/_sql_ledger.ts"

/** The start over a directory with the network of `npm start`, whose process was killed. */
export const benchProgramStart = (transactions: number, rounds: number): Promise<void> =>
  inDirectory(async (directory) => {
    const simulation = simulate(programNetwork)
    await withStores(
      directory,
      simulation.genesis,
      ({ ledger }) =>
        Effect.gen(function*() {
          while (simulation.transactionCount() < transactions) {
            yield* ledger.applyRecord(simulation.next())
          }
        }),
      // records are behind the last checkpoint
      {}
    )
    const script = join(import.meta.dirname, "_open_directory.ts")
    const openings = Array.from(
      { length: rounds },
      () =>
        JSON.parse(
          execFileSync(process.execPath, [script, directory], { encoding: "utf8" })
        ) as Opening
    )
    const middle = (member: keyof Opening, unit: number, digits = 2) =>
      (median(openings.map((each) => each[member])).median / unit).toFixed(digits)
    showFigure({
      name: `start over the network of npm start, ${transactions} transactions`,
      measured: `${middle("ms", 1000)} s`,
      conditions: `${middle("records", 1, 0)} records behind the checkpoint; ${
        middle("cpuMs", 1000)
      } s of CPU time of the main thread; ${
        middle("bytes", 1000 * transactions)
      } kB resident for each transaction`
    })
  })
