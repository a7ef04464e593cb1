import { Effect } from "effect"
import { showFigure } from "../_figures.ts"
import { median } from "../_load.ts"
import type { SqlLedger } from "./_sql_ledger.ts"

const transactionsMin = 1000

/**
 * Measures the milliseconds to roll this many transactions back. They are applied again in between.
 */
export const benchRollBack = async (ledger: SqlLedger, rounds: number): Promise<void> => {
  const { apply, lastBlocks, reader, rollBack } = ledger
  const total = async () =>
    (await Effect.runPromise(reader.list("transactions", { filters: {}, limit: 1 }))).counts
      .totalItems
  const before = await total()
  const times: Array<number> = []
  let [depth, removed] = [0, 0]
  for (let round = -1; round < rounds;) {
    const blocks = lastBlocks.slice(-Math.max(1, depth))
    const started = performance.now()
    await rollBack(blocks[0]!.number - 1n)
    const ms = performance.now() - started
    removed = before - await total()
    if (removed < transactionsMin) depth = Math.max(1, depth) + 1
    else if (round++ >= 0) times.push(ms)
    await apply(blocks)
    if (depth > lastBlocks.length) {
      throw new Error(
        `The last ${lastBlocks.length} blocks have ${removed} transactions, expected ${transactionsMin}; keep more of them`
      )
    }
  }
  const { median: ms, spread } = median(times)
  showFigure({
    name: `rollback of ${removed} transactions in ${depth} blocks, of ${before}`,
    bound: "< 50 ms for 1,000",
    measured: `${ms.toFixed(1)} ± ${spread.toFixed(1)} ms`,
    conditions: `${(ms / removed * 1000).toFixed(1)} ms for each 1,000; median of ${rounds}, ${
      Math.min(...times).toFixed(1)
    } to ${Math.max(...times).toFixed(1)}`
  })
}
