import type { BlockFeed, EthereumBlock } from "../../domain/mod.ts"
import type { BlockGap, PriorLedger } from "../../ports/mod.ts"
import { type BlockViolation, makeViolation, violationsIn } from "../violation/mod.ts"

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
export function checkPrevious(
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
export function unstoredNumber(
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
