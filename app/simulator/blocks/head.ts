import type { BlockFeed, FeedRecord } from "../../../core/domain/mod.ts"

/** Blocks between two times at which the node falls behind the chain, and how far. */
const periodBlocks = 20n
const blocksBehind = 5n

/**
 * Returns the head that follows a block of a live network: from time to time, one that states that
 * the chain is some blocks ahead, as if the writer had been interrupted. The node catches up with the
 * next blocks. It follows from the number alone, so that the blocks of a seed stay the same.
 */
export const headAfter = (
  { hash, number, timestampMs }: BlockFeed
): ReadonlyArray<FeedRecord> =>
  number % periodBlocks === 10n
    ? [{ kind: "head", head: { number, hash, timestampMs, chainHead: number + blocksBehind } }]
    : []
