import type {
  BatchFeed,
  BlockFeed,
  HeadFeed,
  L2Feed,
  PoolTransaction
} from "../../../core/domain/mod.ts"
import { EMPTY_PUBLIC_KEY, INTERNAL_ADDRESS } from "../../../core/encoding/mod.ts"
import type { SeededRandom } from "../../laws/_seeded_random.ts"
import { type Facts, poolNetwork } from "../../laws/mod.ts"
import { lastBlock } from "../../laws/naive/mod.ts"
import { withDerivedValues } from "./derived.ts"
import { drawChanges, drawWithdrawals } from "./governance.ts"
import { l1Users } from "./l1_users.ts"

const { batchOf } = poolNetwork

/** Returns a coordinator: an address to bid with, another to forge with. */
const companyOf = (number: number) => ({
  bidderAddr: `0x${String(number).repeat(40)}`,
  forgerAddr: `0x${"c".repeat(39)}${number}`,
  url: `https://c${number}.example`
})

/**
 * Returns a block on top of the last one, with a hash that is unique for the seed. `empty` is the
 * number of empty blocks between them, which the feed leaves out.
 */
export const blockOn = (
  facts: Facts,
  unique: number,
  parts: Partial<BlockFeed>,
  empty = 0
): BlockFeed => {
  const { hash, number: last, timestampMs } = facts.blocks.at(-1)!
  const number = nextNumber(facts, empty)
  return {
    number,
    hash: hashOf(number, unique),
    parentHash: empty === 0 ? lastBlock(facts).hash : hashOf(number - 1n, unique),
    ...(number === last + 1n ? {} : { previous: { number: last, hash } }),
    timestampMs: timestampMs + 15_000,
    ...parts
  }
}

/** Returns the number of the next block after some empty ones. */
const nextNumber = (facts: Facts, empty: number): bigint =>
  lastBlock(facts).number + 1n + BigInt(empty)

/** Returns a head at the last block or above it; the chain may be further. */
export function drawHead(random: SeededRandom, { blocks }: Facts, unique: number): HeadFeed {
  const { hash, number: last, timestampMs } = blocks.at(-1)!
  const number = last + (random.chance(0.5) ? 0n : BigInt(1 + random.below(30)))
  return {
    number,
    hash: number === last ? hash : hashOf(number, unique),
    timestampMs: timestampMs + (number === last ? 0 : 1 + random.below(10_000)),
    chainHead: number + BigInt(random.below(4))
  }
}

const hashOf = (number: bigint, unique: number): string =>
  `0x${number.toString(16).padStart(32, "0")}${unique.toString(16).padStart(32, "0")}`

/**
 * Returns a block with random content; its batch, if it has one, forges the given transactions or
 * those of others.
 */
export function drawBlock(
  random: SeededRandom,
  facts: Facts,
  unique: number,
  forged: Partial<BatchFeed> | undefined,
  pending: ReadonlyArray<PoolTransaction>
): BlockFeed {
  const parts: { -readonly [Part in keyof BlockFeed]?: BlockFeed[Part] } = {}
  const empty = random.chance(0.25) ? random.of([1, 2, 7, 1_000_000]) : 0
  const timestampMs = facts.blocks.at(-1)!.timestampMs + (random.chance(0.1) ? 4_000_000 : 15_000)
  const tokens = facts.tokens.length
  if (tokens < 5 && random.chance(0.1)) {
    const digits = String(tokens)
    parts.tokens = [{
      id: tokens,
      ethereumAddress: `0x${`e${digits}`.repeat(20)}`,
      name: `Token ${digits}`,
      symbol: `T${digits}`,
      decimals: 6
    }]
  }
  if (random.chance(0.15)) parts.prices = [priceOf(random, tokens, timestampMs)]
  if (random.chance(0.12)) parts.coordinators = [companyOf(1 + random.below(3))]
  if (facts.coordinators.length > 0 && random.chance(0.2)) parts.bids = [bidOf(random, facts)]
  if (random.chance(0.05)) {
    parts.bucketUpdates = facts.variables.rollup.buckets.slice(0, 1).map(() => ({
      bucket: 0,
      blockStamp: facts.blocks.at(-1)!.number,
      withdrawals: BigInt(random.below(9))
    }))
  }
  Object.assign(parts, drawChanges(random, facts, nextNumber(facts, empty)))
  Object.assign(parts, drawWithdrawals(random, facts, parts))
  const lastForged = Math.max(
    -1,
    ...facts.batches.map(({ forgeL1TransactionsNum }) => forgeL1TransactionsNum ?? -1)
  )
  // a queue may create accounts, which would shift the indexes of those in a selection
  const forges = forged === undefined && random.chance(0.3)
  const hasBatch = forged !== undefined || forges || random.chance(0.4)
  if (hasBatch) {
    const waiting = forges
      ? facts.queued.filter(({ l1 }) => l1!.toForgeL1TransactionsNum === lastForged + 1)
      : []
    const busy = new Set(waiting.map(({ fromAccountIndex }) => fromAccountIndex))
    const creations = forges && facts.accounts.length < 14 && random.chance(0.1)
      ? [{ ...emptyOwner, tokenId: random.below(facts.tokens.length) }]
      : []
    parts.batches = [batchOf(facts.batches.length + 1, {
      forgerAddr: companyOf(1 + random.below(3)).forgerAddr,
      stateRoot: BigInt(unique),
      forgeL1TransactionsNum: forges ? lastForged + 1 : null,
      l1Coordinator: creations,
      ...(forged ?? { l2: foreign(random, facts, pending, busy) }),
      feeAccounts: drawFeeAccounts(random, facts)
    })]
  }
  if (random.chance(0.35)) {
    parts.l1UserTransactions = l1Users(random, facts, lastForged + (forges ? 2 : 1))
  }
  const block = blockOn(
    facts,
    unique,
    {
      ...parts,
      timestampMs,
      ...(random.chance(0.1) ? { lastEthereumBlock: nextNumber(facts, empty) + 2n } : {})
    },
    empty
  )
  return withDerivedValues(facts, block)
}

/** The owner of an internal account without a key. */
const emptyOwner = { address: INTERNAL_ADDRESS, publicKey: EMPTY_PUBLIC_KEY, signature: null }

/** Returns fee accounts; some are repeated, and some have the token of another one. */
function drawFeeAccounts(random: SeededRandom, { accounts }: Facts): ReadonlyArray<number> {
  if (accounts.length === 0 || random.chance(0.6)) return []
  const length = random.chance(0.05) ? 64 : 1 + random.below(4)
  return Array.from({ length }, () => random.of(accounts).index)
}

export const priceOf = (random: SeededRandom, tokens: number, timeMs: number) => ({
  tokenId: random.below(tokens),
  priceUSD: random.chance(0.1) ? null : random.below(10_000) / 8,
  timeMs
})

const bidOf = (random: SeededRandom, facts: Facts) => {
  const { blocksPerSlot, genesisBlockNum } = facts.genesis.constants.auction
  const current = Number(lastBlock(facts).number - genesisBlockNum) / blocksPerSlot
  const slotNum = random.below(4) + (random.chance(0.5) ? Math.max(0, Math.floor(current)) : 0)
  const best = facts.bids.findLast((bid) => bid.slotNum === slotNum)?.bidValue ?? 0n
  return {
    slotNum,
    bidderAddr: random.of(facts.coordinators).bidderAddr,
    bidValue: best + 1n + BigInt(random.below(1000))
  }
}

/** An account that does not exist. */
const MISSING = 9999

/**
 * Returns the transactions of another coordinator: some are in our pool, some have other receivers
 * than the pool knows. The busy accounts send nothing, since the queue may take their balance.
 */
function foreign(
  random: SeededRandom,
  facts: Facts,
  pending: ReadonlyArray<PoolTransaction>,
  busy: ReadonlySet<number | null>
): ReadonlyArray<L2Feed> {
  const senders = facts.accounts.filter(({ index }) => !busy.has(index))
  return random.some(senders, 0.25).flatMap(
    ({ balance, index, nonce, tokenId }): ReadonlyArray<L2Feed> => {
      const known = pending.find((each) =>
        each.fromAccountIndex === index && each.nonce === nonce && each.tokenId === tokenId
      )
      if (known === undefined && random.chance(0.1)) {
        const toAccountIndex = random.chance(0.5) ? MISSING : random.of(facts.accounts).index
        return [{
          fromAccountIndex: index,
          toAccountIndex,
          amount: 0n,
          fee: random.below(256),
          nonce
        }]
      }
      const { amount, fee } = known !== undefined && random.chance(0.7)
        ? known
        : { amount: BigInt(1 + random.below(1000)), fee: random.below(100) }
      if (balance < amount * 3n) return []
      const receivers = facts.accounts.filter((account) => account.tokenId === tokenId).map((
        account
      ) => account.index)
      const wanted = receivers.find((receiver) => receiver === known?.toAccountIndex)
      const toAccountIndex = known?.type === "Exit"
        ? 1
        : wanted !== undefined && random.chance(0.8)
        ? wanted
        : random.chance(0.15)
        ? 1
        : random.of(receivers)
      return [{ fromAccountIndex: index, toAccountIndex, amount, fee, nonce }]
    }
  )
}
