import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import type { Simulation } from "./simulation.ts"

/**
 * Yields the records of a simulation, without its genesis record, until the chain has at least this
 * number of transactions.
 */
export function* initialHistory(
  simulation: Simulation,
  transactions: number
): Generator<FeedRecord, void> {
  while (simulation.transactionCount() < transactions) yield simulation.next()
}

/**
 * Yields the lines of the feed in NDJSON, each with its line feed, starting with the genesis
 * record. Ends when the chain has at least this number of transactions; by default it never ends.
 */
export function* writeFeed(
  simulation: Simulation,
  transactions = Infinity
): Generator<string, void> {
  yield `${writeFeedLine({ kind: "genesis", genesis: simulation.genesis })}\n`
  for (const record of initialHistory(simulation, transactions)) yield `${writeFeedLine(record)}\n`
}
