import type { LedgerBlock } from "../../core/ports/mod.ts"
import type { LedgerState } from "./state/mod.ts"

/** Returns the stored block with a number; null if there is none. */
export const findBlock = ({ blocks, history }: LedgerState, number: bigint): LedgerBlock | null => {
  const position = blocks.positionOf(number)
  const stored = blocks.at(position)
  if (stored === undefined) return null
  const next = blocks.at(position + 1)
  const [from, to] = [stored.batches, next?.batches ?? history.lastBatchNum]
  return {
    block: stored.block,
    previous: blocks.at(position - 1)?.block ?? null,
    next: next?.block ?? null,
    batches: history.batches.rows.slice(from, to).map((batch) => ({
      batch,
      accountChanges: history.accountChanges(batch.batchNum)
    }))
  }
}
