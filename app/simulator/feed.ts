import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import type { Simulation } from "./simulation.ts"

/** Records until so many transactions are forged on the chain as it stands; the genesis record is not among them. */
export function* initialHistory(
  simulation: Simulation,
  transactions: number
): Generator<FeedRecord, void> {
  while (simulation.transactionCount() < transactions) yield simulation.next()
}

/** The feed as lines of NDJSON, each with its line feed, the genesis record first; endless without a number of transactions. */
export function* writeFeed(
  simulation: Simulation,
  transactions = Infinity
): Generator<string, void> {
  yield `${writeFeedLine({ kind: "genesis", genesis: simulation.genesis })}\n`
  for (const record of initialHistory(simulation, transactions)) yield `${writeFeedLine(record)}\n`
}
