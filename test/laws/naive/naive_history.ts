import { Struct } from "effect"
import type { FeedRecord, GenesisFeed } from "../../../core/domain/mod.ts"
import type { LedgerBlock, LedgerRollBack } from "../../../core/ports/mod.ts"
import type { Facts } from "../facts.ts"

/** Returns a stored block with what its batches changed; null if there is none. */
export const naiveBlock = (facts: Facts, number: bigint): LedgerBlock | null => {
  const at = facts.blocks.findIndex((block) => block.number === number)
  return at < 0 ? null : {
    block: facts.blocks[at]!,
    previous: facts.blocks[at - 1] ?? null,
    next: facts.blocks[at + 1] ?? null,
    batches: facts.batches.filter(({ ethereumBlockNum }) => ethereumBlockNum === number)
      .map((batch) => ({
        batch,
        accountChanges: facts.accountChanges
          .filter(({ batchNum }) => batchNum === batch.batchNum)
          .map(Struct.omit(["batchNum"]))
      }))
  }
}

/** A rollback without what depends on the store. */
type NaiveRollBack = Omit<LedgerRollBack, "version" | "timeMs">

/** Returns the rollback that each record makes; null if it removes no block, or is another record. */
export const naiveRollBacks = (
  genesis: GenesisFeed,
  records: Iterable<FeedRecord>
): ReadonlyArray<NaiveRollBack | null> => {
  const { hash, number } = genesis.block
  const chain = [{ number, hash, batches: 0 }]
  let serial = 0
  return [...records].map((record) => {
    if (record.kind === "block" && record.block.number > chain.at(-1)!.number) {
      const { batches = [], hash, number } = record.block
      chain.push({ number, hash, batches: batches.length })
    }
    if (record.kind !== "rollBack" || record.toBlock >= chain.at(-1)!.number) return null
    const removed = chain.splice(chain.findIndex((block) => block.number > record.toBlock))
    const [last, newest] = [chain.at(-1)!, removed.at(-1)!]
    return {
      serial: ++serial,
      lastBlock: { number: last.number, hash: last.hash },
      removedBlock: { number: newest.number, hash: newest.hash },
      blocks: removed.length,
      batches: removed.reduce((sum, { batches }) => sum + batches, 0)
    }
  })
}
