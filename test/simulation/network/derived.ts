import type { BatchFeed, BlockFeed, ExitFeed } from "../../../core/domain/mod.ts"
import { rememberedKeccak256 } from "../../crypto/remembered.ts"
import { partlyStrippedBlock, rememberedExitTree, strippedBlock } from "../../derived/_stripped.ts"
import type { SeededRandom } from "../../laws/_seeded_random.ts"
import { advance } from "../../laws/naive/mod.ts"
import type { Facts } from "../../laws/mod.ts"

/** The naive model needs a proof to compute the balance of an exit, and does not verify it. */
const noProof: NonNullable<ExitFeed["merkleProof"]> = {
  root: 0n,
  siblings: [],
  oldKey: 0n,
  oldValue: 0n,
  isOld0: false,
  key: 0n,
  value: 0n,
  fnc: 0
}

/**
 * Returns a block with the effects and exits of its batches, by the naive model.
 */
export function withDerivedValues(facts: Facts, block: BlockFeed): BlockFeed {
  if (block.batches === undefined) return block
  const exits = Array.from(
    { length: facts.accounts.length + ACCOUNTS_OF_BLOCK },
    (_, position) => ({
      accountIndex: 256 + position,
      balance: 0n,
      merkleProof: noProof
    })
  )
  const draft = { ...block, batches: block.batches.map((batch) => ({ ...batch, exits })) }
  const after = advance(facts, { kind: "block", block: draft }, rememberedKeccak256)
  return {
    ...block,
    batches: block.batches.map((batch) => derived(after, batch))
  }
}

/** More accounts than a block creates. */
const ACCOUNTS_OF_BLOCK = 100

function derived(after: Facts, batch: BatchFeed): BatchFeed {
  const rows = after.exits.filter(({ batchNum }) => batchNum === batch.batchNum)
  const { proofs, root: exitRoot } = rememberedExitTree(rows)
  return {
    ...batch,
    exitRoot,
    exits: rows.map(({ accountIndex, balance }, position) => ({
      accountIndex,
      balance,
      merkleProof: proofs[position]!
    })),
    l1UserEffects: after.transactions.flatMap(({ amount, batchNum, l1 }) =>
      l1 === null || !l1.userOrigin || batchNum !== batch.batchNum ? [] : [{
        effectiveAmount: l1.amountSuccess ? amount : 0n,
        effectiveDepositAmount: l1.depositAmountSuccess ? l1.depositAmount : 0n
      }]
    )
  }
}

/** Returns the block as a writer sends it: whole, or without some of what a ledger derives. */
export function drawStripped(random: SeededRandom, block: BlockFeed): BlockFeed {
  if (block.batches === undefined || random.chance(0.4)) return block
  return random.chance(0.6) ? strippedBlock(block) : partlyStrippedBlock(block)
}
