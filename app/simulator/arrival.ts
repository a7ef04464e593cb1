import { GENESIS_BLOCK } from "./blocks/mod.ts"
import type { Settings, World } from "./world/mod.ts"

/** The end of a history. */
export interface Arrival {
  /** Number of transactions on the chain at the end. */
  readonly transactions: number
  /** Time of the last block, in milliseconds since 1970; undefined for no particular time. */
  readonly endMs?: number | undefined
}

/** Average time between two blocks. */
const BLOCK_MS = 13_500
/** Forged transactions of an average block that are not L2 transfers. */
const L1_PER_BLOCK = 5

/**
 * Returns the time of the block after a state, or undefined if the history ends at no particular
 * time. The first block is as far in the past as the history will take; each block corrects the
 * estimate, so that the last one arrives.
 */
export function arrivingTime(
  { block, transactionCount }: World,
  arrival: Arrival | undefined,
  { transactionsPerBlock }: Settings
): number | undefined {
  if (arrival?.endMs === undefined) return undefined
  const { endMs, transactions } = arrival
  const perBlock = L1_PER_BLOCK + 0.7 * transactionsPerBlock
  const blocksLeft = Math.max(1, (transactions - transactionCount) / perBlock)
  if (block.number === GENESIS_BLOCK) {
    return Math.max(block.timestampMs, Math.round(endMs - (blocksLeft - 1) * BLOCK_MS))
  }
  const stepMs = Math.round((endMs - block.timestampMs) / blocksLeft)
  return block.timestampMs + Math.min(Math.max(stepMs, 0), 4 * BLOCK_MS)
}
