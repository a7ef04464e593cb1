import type { BlockFeed } from "../../../core/domain/mod.ts"
import type { Facts } from "../../laws/mod.ts"
import { blockStep, occursInBlock } from "../../simulator/occurrences.ts"

/** Those of a block as the naive model derives it. */
const inBlocks = [
  "leaf of 0",
  "exit without effect beside one with effect",
  "leaf of 0 withdrawn instantly",
  "leaf of 0 collected",
  "forced exit of another token",
  "forced exit by another owner",
  "forced exit of more than the balance",
  "creation with an exit of 0",
  "creation with an exit of an amount",
  "account with bit 254 of its key",
  "internal account with key 0",
  "two fee accounts of one token",
  "repeated fee account",
  "transfer of 0 to an account that does not exist",
  "transfer of 0 to an account of another token",
  "closed slots changed",
  "request and collection in one block",
  "verifiers replaced"
] as const

/** What blocks contain by the rules of the contracts; each must occur in some of the seeds. */
export const chainOccurrences = [
  ...inBlocks,
  "default minimum bids changed",
  "winner by a changed minimum",
  "block without effects",
  "block without nonces",
  "block without exits",
  "block without proofs"
] as const

/** Calls `count` for what a block has changed, and for what is left out of it as it was sent. */
export function countOccurrences(
  before: Facts,
  block: BlockFeed,
  after: Facts,
  sent: BlockFeed,
  count: (occurrence: typeof chainOccurrences[number]) => void
): void {
  const step = blockStep(before, block, after)
  for (const occurrence of inBlocks) if (occursInBlock[occurrence]!(step)) count(occurrence)
  const former = before.variables.auction.defaultSlotSetBid
  const minima = after.variables.auction.defaultSlotSetBid
  if (String(former) !== String(minima)) {
    count("default minimum bids changed")
    const initial = after.genesis.variables.auction.defaultSlotSetBid
    const isBetween = ({ bidValue, slotNum }: Facts["bids"][number]) =>
      bidValue >= minima[slotNum % 6]! && bidValue < initial[slotNum % 6]!
    if (after.bids.some(isBetween)) count("winner by a changed minimum")
  }
  const hasEffects = step.forged.some(({ l1 }) => l1?.userOrigin === true)
  for (const { batchNum, exits, l1UserEffects, l2 } of sent.batches ?? []) {
    const hasExits = after.exits.some((exit) => exit.batchNum === batchNum)
    if (hasEffects && l1UserEffects === undefined) count("block without effects")
    if (l2.some(({ nonce }) => nonce === undefined)) count("block without nonces")
    if (hasExits && exits === undefined) count("block without exits")
    if (exits?.some(({ merkleProof }) => merkleProof === undefined) === true) {
      count("block without proofs")
    }
  }
}
