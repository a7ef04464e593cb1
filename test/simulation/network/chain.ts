import type {
  BatchFeed,
  BlockFeed,
  L1UserFeed,
  L2Feed,
  PoolTransaction
} from "../../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../../core/encoding/mod.ts"
import type { SeededRandom } from "../../laws/_seeded_random.ts"
import { type Facts, poolNetwork } from "../../laws/mod.ts"
import { PEOPLE, personOf } from "./accounts.ts"

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
  { blocks }: Facts,
  unique: number,
  parts: Partial<BlockFeed>,
  empty = 0
): BlockFeed => {
  const { hash, number: last, timestampMs } = blocks.at(-1)!
  const number = last + 1n + BigInt(empty)
  return {
    number,
    hash: hashOf(number, unique),
    ...(empty === 0
      ? { parentHash: hash }
      : { parentHash: hashOf(number - 1n, unique), previous: { number: last, hash } }),
    timestampMs: timestampMs + 15_000,
    ...parts
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
  const withdrawn = facts.exits.filter(({ delayedWithdrawRequest, instantWithdrawn }) =>
    instantWithdrawn === null && delayedWithdrawRequest === null
  )
  if (withdrawn.length > 0 && random.chance(0.3)) {
    const { accountIndex, batchNum } = random.of(withdrawn)
    parts.withdrawals = [{ batchNum, accountIndex, instant: random.chance(0.5) }]
  }
  const requested = facts.exits.filter(({ delayedWithdrawn, delayedWithdrawRequest }) =>
    delayedWithdrawRequest !== null && delayedWithdrawn === null
  )
  if (requested.length > 0 && random.chance(0.3)) {
    const { address: owner, tokenId } = random.of(requested)
    parts.delayedWithdrawals = [{ owner, tokenId }]
  }
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
    parts.batches = [batchOf(facts.batches.length + 1, {
      forgerAddr: companyOf(1 + random.below(3)).forgerAddr,
      stateRoot: BigInt(unique),
      forgeL1TransactionsNum: forges ? lastForged + 1 : null,
      // deposits and new accounts take effect as declared
      l1UserEffects: waiting.map(({ amount, l1 }) => ({
        effectiveDepositAmount: l1!.depositAmount,
        effectiveAmount: amount
      })),
      ...(forged ?? { l2: foreign(random, facts, pending) }),
      feeAccounts: random.chance(0.3)
        ? facts.accounts.filter(({ tokenId }) => tokenId === 0).slice(0, 1).map(({ index }) =>
          index
        )
        : []
    })]
  }
  if (random.chance(0.35)) {
    parts.l1UserTransactions = l1Users(random, facts, lastForged + (forges ? 2 : 1))
  }
  const empty = random.chance(0.25) ? random.of([1, 2, 7, 1_000_000]) : 0
  return blockOn(
    facts,
    unique,
    {
      ...parts,
      timestampMs,
      ...(random.chance(0.1)
        ? { lastEthereumBlock: facts.blocks.at(-1)!.number + 3n + BigInt(empty) }
        : {})
    },
    empty
  )
}

export const priceOf = (random: SeededRandom, tokens: number, timeMs: number) => ({
  tokenId: random.below(tokens),
  priceUSD: random.chance(0.1) ? null : random.below(10_000) / 8,
  timeMs
})

const bidOf = (random: SeededRandom, facts: Facts) => {
  const slotNum = random.below(4)
  const best = facts.bids.findLast((bid) => bid.slotNum === slotNum)?.bidValue ?? 0n
  return {
    slotNum,
    bidderAddr: random.of(facts.coordinators).bidderAddr,
    bidValue: best + 1n + BigInt(random.below(1000))
  }
}

/** Returns deposits, some of which create accounts. */
function l1Users(random: SeededRandom, facts: Facts, from: number): ReadonlyArray<L1UserFeed> {
  const queue = Math.max(from, ...facts.queued.map(({ l1 }) => l1!.toForgeL1TransactionsNum!))
  const position = facts.queued.filter(({ l1 }) => l1!.toForgeL1TransactionsNum === queue).length
  return Array.from({ length: 1 + random.below(3) }, (_, more): L1UserFeed => {
    const common = {
      toForgeL1TransactionsNum: queue,
      position: position + more,
      toAccountIndex: 0,
      depositAmount: BigInt(1 + random.below(1000)) * 10n ** 9n,
      amount: 0n
    }
    if (facts.accounts.length > 0 && (facts.accounts.length > 14 || random.chance(0.5))) {
      const { address, index, tokenId } = random.of(facts.accounts)
      if (address !== INTERNAL_ADDRESS) {
        return {
          ...common,
          fromAddress: address,
          fromPublicKey: null,
          fromAccountIndex: index,
          tokenId
        }
      }
    }
    const { address, publicKey } = personOf(random.below(PEOPLE))
    return {
      ...common,
      fromAddress: address,
      fromPublicKey: publicKey,
      fromAccountIndex: 0,
      tokenId: random.below(facts.tokens.length)
    }
  })
}

/**
 * Returns the transactions of another coordinator: some are in our pool, some have other receivers
 * than the pool knows.
 */
function foreign(
  random: SeededRandom,
  facts: Facts,
  pending: ReadonlyArray<PoolTransaction>
): ReadonlyArray<L2Feed> {
  return random.some(facts.accounts, 0.25).flatMap(
    ({ balance, index, nonce, tokenId }): ReadonlyArray<L2Feed> => {
      const known = pending.find((each) =>
        each.fromAccountIndex === index && each.nonce === nonce && each.tokenId === tokenId
      )
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
