import type {
  BlockFeed,
  Exit,
  FeedRecord,
  GenesisFeed,
  L1UserFeed,
  PriceFeed,
  Transaction,
  TransactionType
} from "../../../core/domain/mod.ts"
import { type Keccak256, l1UserTransactionId } from "../../../core/encoding/mod.ts"
import { type Draft, worth } from "./_draft.ts"
import { firstSlotOfBids } from "./_naive_auction.ts"
import { forge } from "./_naive_batch.ts"
import { type Facts, effectiveRecords } from "../facts.ts"

/*
 * Computes the content of a ledger in the simplest possible way: by the rules of the domain, on
 * plain arrays, record by record. It shares only the encodings with the code under test; these have
 * their own test vectors.
 */

/**
 * Returns the expected content of a ledger after the records. Blocks that were rolled back leave no
 * trace. Does not check the records: they must be valid.
 *
 * ```ts
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { simulate } from "rollup-node-api/simulator"
 * import { replay } from "rollup-node-api/testing"
 *
 * const simulation = simulate({ seed: 1 })
 * const records = Array.from({ length: 30 }, () => simulation.next())
 * const facts = replay(simulation.genesis, records, keccak256)
 * const [first, ...rest] = facts.accounts.map(({ index }) => index)
 * console.log(first, rest.every((index, i) => index === 257 + i)) // => 256 true
 * ```
 */
export function replay(
  genesis: GenesisFeed,
  records: Iterable<FeedRecord>,
  keccak256: Keccak256
): Facts {
  const effective = effectiveRecords(records)
  const previous = lastOf.get(genesis)
  const continues = previous !== undefined && previous.keccak256 === keccak256 &&
    previous.effective.every((record, i) => record === effective[i])
  const draft = continues ? copyOf(previous.facts) : empty(genesis)
  for (const record of continues ? effective.slice(previous.effective.length) : effective) {
    add(draft, record, keccak256)
  }
  lastOf.set(genesis, { effective, keccak256, facts: draft })
  return draft
}

/** The last result of each network; most calls continue it with more records. */
const lastOf = new WeakMap<
  GenesisFeed,
  {
    readonly effective: ReadonlyArray<FeedRecord>
    readonly keccak256: Keccak256
    readonly facts: Facts
  }
>()

/**
 * Returns the facts after one more record; does not change the given facts. A rollback is not
 * handled here.
 */
export function advance(facts: Facts, record: FeedRecord, keccak256: Keccak256): Facts {
  const draft = copyOf(facts)
  add(draft, record, keccak256)
  return draft
}

function copyOf(facts: Facts): Draft {
  const {
    accountChanges,
    accounts,
    auctionVariables,
    batches,
    bids,
    blocks,
    coordinators,
    exits,
    queued,
    tokens,
    transactions
  } = facts
  return {
    ...facts,
    accountChanges: [...accountChanges],
    accounts: [...accounts],
    auctionVariables: [...auctionVariables],
    batches: [...batches],
    bids: [...bids],
    blocks: [...blocks],
    coordinators: [...coordinators],
    exits: [...exits],
    queued: [...queued],
    tokens: [...tokens],
    transactions: [...transactions]
  }
}

function add(draft: Draft, record: FeedRecord, keccak256: Keccak256): void {
  if (record.kind === "block") addBlock(draft, record.block, keccak256)
  if (record.kind === "prices") setPrices(draft, record.prices)
  if (record.kind === "head") draft.head = record.head
}

function empty(genesis: GenesisFeed): Draft {
  const dated = { ethereumBlockNum: genesis.block.number }
  const auction = { ...genesis.variables.auction, ...dated, defaultSlotSetBidFirstSlot: 0 }
  return {
    genesis,
    blocks: [genesis.block],
    lastEthereumBlock: genesis.block.number,
    head: null,
    tokens: [{
      itemId: 0,
      id: 0,
      ethereumAddress: `0x${"0".repeat(40)}`,
      name: "Ether",
      symbol: "ETH",
      decimals: 18,
      ethereumBlockNum: 0n,
      priceUSD: null,
      priceTimeMs: null
    }],
    accounts: [],
    accountChanges: [],
    exits: [],
    transactions: [],
    queued: [],
    batches: [],
    bids: [],
    coordinators: [],
    variables: {
      rollup: {
        ...genesis.variables.rollup,
        ...dated,
        verifiers: genesis.constants.rollup.verifiers
      },
      auction,
      withdrawalDelayer: { ...genesis.variables.withdrawalDelayer, ...dated }
    },
    auctionVariables: [auction]
  }
}

function addBlock(draft: Draft, block: BlockFeed, keccak256: Keccak256): void {
  const { hash, number, timestampMs } = block
  draft.blocks.push({ number, hash, timestampMs })
  for (const blockNumber of [number, block.lastEthereumBlock ?? number]) {
    if (blockNumber > draft.lastEthereumBlock) draft.lastEthereumBlock = blockNumber
  }
  for (const token of block.tokens ?? []) {
    draft.tokens.push({
      itemId: 0,
      ...token,
      ethereumBlockNum: number,
      priceUSD: null,
      priceTimeMs: null
    })
  }
  setPrices(draft, block.prices ?? [])
  addCoordinators(draft, block)
  for (const { bidValue, bidderAddr, slotNum, withdrawAddr = bidderAddr } of block.bids ?? []) {
    draft.bids.push({
      itemId: 0,
      slotNum,
      bidderAddr,
      withdrawAddr,
      bidValue,
      ethereumBlockNum: number,
      timestampMs
    })
  }
  const queuedNow = (block.l1UserTransactions ?? []).map((feed) =>
    queuedTransaction(draft, feed, block, keccak256)
  )
  draft.queued.push(...queuedNow)
  for (const batch of block.batches ?? []) forge(draft, batch, block, keccak256)
  completeQueued(draft, new Set(queuedNow.map(({ id }) => id)))
  const delayBefore = draft.variables.withdrawalDelayer.withdrawalDelay
  changeVariables(draft, block)
  const delay = Math.min(delayBefore, draft.variables.withdrawalDelayer.withdrawalDelay)
  withdraw(draft, block, delay === 0)
}

function setPrices(draft: Draft, prices: ReadonlyArray<PriceFeed>): void {
  for (const { priceUSD, timeMs, tokenId } of prices) {
    draft.tokens = draft.tokens.map((token) =>
      token.id === tokenId
        ? { ...token, priceUSD, priceTimeMs: priceUSD === null ? null : timeMs }
        : token
    )
  }
}

/**
 * Coordinators of a block are ordered by forger address. If a bidder registers twice in it, the
 * last registration counts.
 */
function addCoordinators(draft: Draft, { coordinators = [], number }: BlockFeed): void {
  const standing = coordinators.filter(({ bidderAddr }, i) =>
    coordinators.findLastIndex((other) => other.bidderAddr === bidderAddr) === i
  )
  standing.sort((a, b) =>
    a.forgerAddr < b.forgerAddr
      ? -1
      : a.forgerAddr > b.forgerAddr
      ? 1
      : a.bidderAddr < b.bidderAddr
      ? -1
      : 1
  )
  draft.coordinators.push(
    ...standing.map((coordinator) => ({ itemId: 0, ...coordinator, ethereumBlockNum: number }))
  )
}

/**
 * Returns a transaction as the queue shows it; sender and receiver are added at the end of the
 * block.
 */
function queuedTransaction(
  draft: Draft,
  feed: L1UserFeed,
  block: BlockFeed,
  keccak256: Keccak256
): Transaction {
  const token = draft.tokens[feed.tokenId]!
  return {
    itemId: 0,
    id: l1UserTransactionId(feed, keccak256),
    type: typeOf(feed),
    position: feed.position,
    fromAccountIndex: feed.fromAccountIndex === 0 ? null : feed.fromAccountIndex,
    fromAddress: feed.fromAddress,
    fromPublicKey: feed.fromPublicKey,
    toAccountIndex: feed.toAccountIndex,
    toAddress: null,
    toPublicKey: null,
    tokenId: feed.tokenId,
    amount: feed.amount,
    batchNum: null,
    historicUSD: null,
    timestampMs: block.timestampMs,
    l1: {
      toForgeL1TransactionsNum: feed.toForgeL1TransactionsNum,
      userOrigin: true,
      depositAmount: feed.depositAmount,
      amountSuccess: false,
      depositAmountSuccess: false,
      historicDepositAmountUSD: worth(token, feed.depositAmount),
      ethereumBlockNum: block.number,
      ethereumTxHash: feed.ethereumTxHash ?? null,
      l1Fee: feed.l1Fee ?? null
    },
    l2: null
  }
}

/** Returns the type of an L1 user transaction. */
function typeOf({ depositAmount, fromAccountIndex, toAccountIndex }: L1UserFeed): TransactionType {
  if (fromAccountIndex === 0) {
    return toAccountIndex < 2
      ? "CreateAccountDeposit"
      : "CreateAccountDepositTransfer"
  }
  if (toAccountIndex === 0) return "Deposit"
  if (toAccountIndex === 1) return "ForceExit"
  return depositAmount === 0n ? "ForceTransfer" : "DepositTransfer"
}

/** Adds address and key of the accounts as they are at the end of the block. */
function completeQueued(draft: Draft, ids: ReadonlySet<string>): void {
  const complete = (transaction: Transaction): Transaction => {
    if (!ids.has(transaction.id)) return transaction
    const sender = draft.accounts.find(({ index }) => index === transaction.fromAccountIndex)
    const receiver = draft.accounts.find(({ index }) => index === transaction.toAccountIndex)
    return {
      ...transaction,
      fromPublicKey: transaction.fromPublicKey ?? sender?.publicKey ?? null,
      toAddress: transaction.toAddress ?? receiver?.address ?? null,
      toPublicKey: transaction.toPublicKey ?? receiver?.publicKey ?? null
    }
  }
  draft.queued = draft.queued.map(complete)
  draft.transactions = draft.transactions.map(complete)
}

function changeVariables(
  draft: Draft,
  {
    auctionVariables,
    bucketUpdates = [],
    number,
    rollupVariables,
    verifiers,
    withdrawalDelayerVariables
  }: BlockFeed
): void {
  const dated = { ethereumBlockNum: number }
  let { auction, rollup, withdrawalDelayer } = draft.variables
  if (rollupVariables !== undefined) {
    rollup = { ...rollupVariables, ...dated, verifiers: rollup.verifiers }
  }
  if (verifiers !== undefined) rollup = { ...rollup, verifiers }
  if (withdrawalDelayerVariables !== undefined) {
    withdrawalDelayer = { ...withdrawalDelayerVariables, ...dated }
  }
  if (auctionVariables !== undefined) {
    const changed = { ...auctionVariables, ...dated }
    auction = {
      ...changed,
      defaultSlotSetBidFirstSlot: firstSlotOfBids([changed, ...draft.auctionVariables])
    }
    draft.auctionVariables.unshift(auction)
  }
  for (const { blockStamp, bucket, withdrawals } of bucketUpdates) {
    rollup = {
      ...rollup,
      buckets: rollup.buckets.map((old, i) =>
        i === bucket ? { ...old, blockStamp, withdrawals } : old
      )
    }
  }
  draft.variables = { rollup, auction, withdrawalDelayer }
}

/** Records withdrawals of exits. */
function withdraw(
  draft: Draft,
  { delayedWithdrawals = [], number, withdrawals = [] }: BlockFeed,
  isDelayZero: boolean
): void {
  const change = (which: (exit: Exit) => boolean, to: Partial<Exit>) => {
    draft.exits = draft.exits.map((exit) => which(exit) ? { ...exit, ...to } : exit)
  }
  // before the withdrawals, unless the feed says otherwise or the delay is 0
  const after = isDelayZero ? withdrawals.length : 0
  const collect = (place: number) => {
    for (const { afterWithdrawals = after, owner, tokenId } of delayedWithdrawals) {
      if (afterWithdrawals !== place) continue
      change(
        (exit) =>
          exit.address === owner && exit.tokenId === tokenId &&
          exit.delayedWithdrawRequest !== null && exit.delayedWithdrawn === null,
        { delayedWithdrawn: number }
      )
    }
  }
  for (const [place, { accountIndex, batchNum, instant }] of withdrawals.entries()) {
    collect(place)
    change(
      (exit) => exit.batchNum === batchNum && exit.accountIndex === accountIndex,
      instant ? { instantWithdrawn: number } : { delayedWithdrawRequest: number }
    )
  }
  collect(withdrawals.length)
}
