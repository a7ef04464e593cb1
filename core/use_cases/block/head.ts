import { Result } from "effect"
import { type AuctionConstants, HeadFeed, slotNumMax, slotOfBlock } from "../../domain/mod.ts"
import type { PriorLedger } from "../../ports/mod.ts"
import {
  boundaryDecoder,
  type BlockViolation,
  makeViolation,
  violationsIn
} from "../violation/mod.ts"

const read = boundaryDecoder(HeadFeed)

/** Returns a copy of the head, or a violation if it does not have the shape of the feed. */
export const readHead = (input: HeadFeed): Result.Result<HeadFeed, BlockViolation> =>
  read(input, "/head")

/**
 * Returns a check of a head for `LedgerWriter.setHead`: it fails with a `BlockViolation` if the head
 * contradicts itself or the last block. The former head does not matter: a reorganisation of blocks
 * that hold nothing for the ledger can lower it.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decideHead } from "rollup-node-api"
 * import { openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const { base } = openMemoryLedger({ genesis })
 * const { block: { number, ...block }, constants } = genesis
 * const head = { ...block, number: number + 5n, chainHead: number + 2n }
 * const check = decideHead(constants.auction, head)(base)
 * if (Result.isFailure(check)) console.log(check.failure.invariant, check.failure.pointer)
 * // => chain-head /head/chainHead
 * ```
 */
export const decideHead =
  (auction: AuctionConstants, head: HeadFeed) =>
  ({ lastBlock }: PriorLedger): Result.Result<void, BlockViolation> =>
    resultOf(checkHead(auction, head, lastBlock))

function checkHead(
  auction: AuctionConstants,
  head: HeadFeed,
  last: PriorLedger["lastBlock"]
): BlockViolation | undefined {
  const { chainHead, hash, number, timestampMs } = head
  const refuse = violationsIn(head, "/head")
  if (number < last.number) {
    return refuse("head-number", "number", `at least ${last.number}, the last block of the ledger`)
  }
  if (number === last.number && hash !== last.hash) {
    return refuse("block-hash", "hash", `${last.hash}, the stored block ${number}`)
  }
  const slotNum = slotOfBlock(auction, number)
  if (slotNum > slotNumMax) {
    return makeViolation("slot-number", slotNum, `at most ${slotNumMax}`, "/head/number")
  }
  if (timestampMs < last.timestampMs) {
    const expected = `at least ${last.timestampMs}, the time of the last block of the ledger`
    return refuse("timestamp", "timestampMs", expected)
  }
  if (chainHead < number) return refuse("chain-head", "chainHead", `at least ${number}, the head`)
  return undefined
}

/** Returns the result of a check that found a violation or none. */
export const resultOf = (
  violation: BlockViolation | undefined
): Result.Result<void, BlockViolation> =>
  violation === undefined ? Result.void : Result.fail(violation)
