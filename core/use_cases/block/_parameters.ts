import { type BlockViolation, makeViolation } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/** Stores changed variables with the number of the block. */
export function changeVariables(overlay: BlockOverlay): undefined {
  const { auctionVariables, number, rollupVariables, withdrawalDelayerVariables } = overlay.block
  const ethereumBlockNum = number
  if (rollupVariables !== undefined) {
    overlay.variables.rollup = { ...rollupVariables, ethereumBlockNum }
  }
  if (auctionVariables !== undefined) {
    overlay.variables.auction = { ...auctionVariables, ethereumBlockNum }
  }
  if (withdrawalDelayerVariables !== undefined) {
    overlay.variables.withdrawalDelayer = { ...withdrawalDelayerVariables, ethereumBlockNum }
  }
}

/**
 * Updates the withdrawal buckets. `ethereumBlockNum` stays: it is the block of the last parameter
 * change (domain §1.11), and each bucket has its own `blockStamp`.
 */
export function updateBuckets(overlay: BlockOverlay): BlockViolation | undefined {
  for (const [position, { bucket, ...change }] of (overlay.block.bucketUpdates ?? []).entries()) {
    const rollup = overlay.variables.rollup ?? overlay.view.variables.rollup
    if (bucket >= rollup.buckets.length) {
      return makeViolation(
        "bucket-exists",
        bucket,
        `the position of one of ${rollup.buckets.length} buckets`,
        `/bucketUpdates/${position}/bucket`
      )
    }
    overlay.variables.rollup = {
      ...rollup,
      buckets: rollup.buckets.map((old, index) => index === bucket ? { ...old, ...change } : old)
    }
  }
  return undefined
}
