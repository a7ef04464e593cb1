import { withdrawalsLeft } from "../../../core/domain/mod.ts"
import type { BlockDraft, OpenExit, World } from "../world/mod.ts"

/** Returns the value in US dollars; 0 if the token has no price. */
export function worthUSD({ tokens }: World, tokenId: number, balance: bigint): number {
  const { decimals, priceUSD } = tokens[tokenId]!
  return Number(balance) / 10 ** decimals * (priceUSD ?? 0)
}

/**
 * Returns whether an instant withdrawal of an exit is allowed, and then takes it from its bucket: the
 * first one whose ceiling is at least its value. An exit without a value needs no bucket.
 */
export function takeFromBucket(
  world: World,
  draft: BlockDraft,
  { balance, tokenId }: Pick<OpenExit, "balance" | "tokenId">
): boolean {
  const valueUSD = worthUSD(world, tokenId, balance)
  if (valueUSD === 0) return true
  const { rollup } = world.variables
  const bucket = rollup.buckets.findIndex(({ ceilUSD }) => valueUSD <= Number(ceilUSD))
  const former = rollup.buckets[bucket]
  if (former === undefined) return false
  const left = withdrawalsLeft(former, world.block.number)
  if (left === 0n) return false
  const change = { blockStamp: world.block.number, withdrawals: left - 1n }
  draft.bucketUpdates = [...draft.bucketUpdates ?? [], { bucket, ...change }]
  const buckets = rollup.buckets.with(bucket, { ...former, ...change })
  world.variables = { ...world.variables, rollup: { ...rollup, buckets } }
  return true
}
