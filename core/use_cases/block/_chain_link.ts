import {
  type AuctionConstants,
  type BlockFeed,
  type EthereumBlock,
  slotNumMax,
  slotOfBlock
} from "../../domain/mod.ts"
import type { BlockGap, PriorLedger } from "../../ports/mod.ts"
import { type BlockViolation, makeViolation, violationsIn } from "../violation/mod.ts"

/**
 * Returns whether the ledger has stored the block, or a violation if it has stored another block
 * with the same number.
 */
export function checkStored(
  { hash, number }: BlockFeed,
  prior: PriorLedger
): "stored" | "new" | BlockViolation {
  if (number > prior.lastBlock.number) return "new"
  const stored = prior.block(number)
  if (stored === undefined) return unstoredNumber(number, prior)
  return stored.hash === hash
    ? "stored"
    : makeViolation("block-hash", hash, `${stored.hash}, the stored block ${number}`, "/hash")
}

/** Checks that a new block follows the last one and the head, and that its slot has a valid number. */
export function checkChainLink(
  block: BlockFeed,
  prior: PriorLedger,
  auction: AuctionConstants
): BlockViolation | undefined {
  const { lastEthereumBlock, number, parentHash, timestampMs } = block
  const { lastBlock } = prior
  const refuse = violationsIn(block, "")
  const unlinked = checkAgainstHead(block, prior) ?? checkPrevious(block, prior)
  if (unlinked !== undefined) return unlinked
  const slotNum = slotOfBlock(auction, number)
  if (slotNum > slotNumMax) {
    return makeViolation("slot-number", slotNum, `at most ${slotNumMax}`, "/number")
  }
  // after a gap, the parent is an empty block that is not stored
  if (number === lastBlock.number + 1n && parentHash !== lastBlock.hash) {
    const expected = `${lastBlock.hash}, the stored block ${lastBlock.number}`
    return refuse("parent-hash", "parentHash", expected)
  }
  if (timestampMs < lastBlock.timestampMs) {
    const expected = `at least ${lastBlock.timestampMs}, the time of the previous block`
    return refuse("timestamp", "timestampMs", expected)
  }
  if (lastEthereumBlock !== undefined && lastEthereumBlock < number) {
    const expected = `at least ${number}, the block itself`
    return refuse("last-ethereum-block", "lastEthereumBlock", expected)
  }
  return undefined
}

/**
 * Checks a new block against a head above the last block, which states that no block up to it holds
 * anything for the ledger: the block must be above it, and follow it if it is the next one.
 */
function checkAgainstHead(
  block: BlockFeed,
  { head, lastBlock }: PriorLedger
): BlockViolation | undefined {
  const { number, parentHash, timestampMs } = block
  const refuse = violationsIn(block, "")
  if (head === null || head.number <= lastBlock.number) return undefined
  if (number <= head.number) {
    return refuse(
      "block-above-head",
      "number",
      `above ${head.number}, the head: it states that the blocks after ${lastBlock.number} up to it hold nothing for the ledger`
    )
  }
  if (number === head.number + 1n && parentHash !== head.hash) {
    return refuse("parent-hash", "parentHash", `${head.hash}, the head`)
  }
  if (timestampMs < head.timestampMs) {
    return refuse("timestamp", "timestampMs", `at least ${head.timestampMs}, the time of the head`)
  }
  return undefined
}

/*
 * A block may leave out the empty blocks before it. It then names its predecessor in the ledger,
 * `previous`, so that a block with content cannot be left out by mistake.
 */

/** Returns the blocks around a number, of blocks that ascend by number; see `PriorLedger.gapAt`. */
export const gapBetween = (
  blocks: ReadonlyArray<EthereumBlock>,
  number: bigint
): BlockGap | undefined => {
  const next = blocks.findIndex((block) => block.number >= number)
  const [before, after] = [blocks[next - 1], blocks[next]]
  return before === undefined || after === undefined || after.number === number
    ? undefined
    : { before, after }
}

/** Checks that a block above the last one has the next number, or names the last one. */
function checkPrevious(
  { number, previous }: BlockFeed,
  { lastBlock }: PriorLedger
): BlockViolation | undefined {
  if (previous === undefined) {
    return number === lastBlock.number + 1n ? undefined : notNext(number, lastBlock.number)
  }
  const refuse = violationsIn(previous, "/previous")
  if (previous.number !== lastBlock.number) {
    return refuse("previous-block", "number", `${lastBlock.number}, the last block of the ledger`)
  }
  const expected = `${lastBlock.hash}, the last block ${lastBlock.number} of the ledger`
  return previous.hash === lastBlock.hash ? undefined : refuse("previous-block", "hash", expected)
}

/** Returns the violation of a block that is not above the last one, and is not stored. */
function unstoredNumber(
  number: bigint,
  { gapAt, lastBlock }: Pick<PriorLedger, "gapAt" | "lastBlock">
): BlockViolation {
  const gap = gapAt(number)
  return gap === undefined
    ? notNext(number, lastBlock.number)
    : makeViolation(
      "block-gap",
      number,
      `a block outside the gap between ${gap.before.number} and ${gap.after.number}, whose blocks the feed left out as empty`,
      "/number"
    )
}

const notNext = (number: bigint, last: bigint): BlockViolation =>
  makeViolation("block-number", number, `${last + 1n}, the next block`, "/number")
