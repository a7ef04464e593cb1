import { type AuctionConstants, type BlockFeed, slotNumMax, slotOfBlock } from "../../domain/mod.ts"
import type { LedgerView } from "../../ports/mod.ts"
import { type BlockViolation, makeViolation } from "../violation/mod.ts"

/**
 * Returns whether the ledger has stored the block, or a violation if it has stored another block
 * with the same number.
 */
export function checkStored(
  { hash, number }: BlockFeed,
  view: LedgerView
): "stored" | "new" | BlockViolation {
  if (number > view.lastBlock.number) return "new"
  const stored = view.block(number)
  if (stored === undefined) {
    return makeViolation(
      "block-number",
      number,
      `${view.lastBlock.number + 1n}, the one after the last block`,
      "/number"
    )
  }
  return stored.hash === hash
    ? "stored"
    : makeViolation("block-hash", hash, `${stored.hash}, the stored block ${number}`, "/hash")
}

/** Checks that a new block follows the last one and that its slot has a valid number. */
export function checkChainLink(
  { lastEthereumBlock, number, parentHash, timestampMs }: BlockFeed,
  { lastBlock }: LedgerView,
  auction: AuctionConstants
): BlockViolation | undefined {
  if (number !== lastBlock.number + 1n) {
    return makeViolation(
      "block-number",
      number,
      `${lastBlock.number + 1n}, the one after the last block`,
      "/number"
    )
  }
  const slotNum = slotOfBlock(auction, number)
  if (slotNum > slotNumMax) {
    return makeViolation("slot-number", slotNum, `at most ${slotNumMax}`, "/number")
  }
  if (parentHash !== lastBlock.hash) {
    return makeViolation(
      "parent-hash",
      parentHash,
      `${lastBlock.hash}, the stored block ${lastBlock.number}`,
      "/parentHash"
    )
  }
  if (timestampMs < lastBlock.timestampMs) {
    return makeViolation(
      "timestamp",
      timestampMs,
      `at least ${lastBlock.timestampMs}, the time of the block before`,
      "/timestampMs"
    )
  }
  if (lastEthereumBlock !== undefined && lastEthereumBlock < number) {
    return makeViolation(
      "last-ethereum-block",
      lastEthereumBlock,
      `at least ${number}, the block itself`,
      "/lastEthereumBlock"
    )
  }
  return undefined
}
