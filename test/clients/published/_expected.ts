import { rule } from "./_checks.ts"
import type { Value } from "./_library.ts"

/*
 * Computes the objects that the published clients expect from the answers of revision `later`, which
 * the folder `feed` computes from a feed.
 */

/** Returns the answer of revision `later` to a path, of a server or computed from a feed. */
export type Later = (path: string) => Promise<Value>
export const laterOf = (url: string): Later => async (path) => {
  const response = await fetch(`${url}${path}`)
  const answer = await response.json() as Value
  if (response.status !== 200) throw new Error(`later${path}: ${JSON.stringify(answer)}`)
  return answer
}

const hashOrEmpty = rule(
  "a hash of 32 bytes, or an empty string",
  (value) => /^(?:0x[0-9a-f]{64})?$/u.test(String(value))
)
const textOrNull = rule("a text or null", (value) => value === null || typeof value === "string")
const numberOrNull = rule(
  "a number or null",
  (value) => value === null || typeof value === "number"
)
const positive = rule(
  "a whole number from 1",
  (value) => Number.isInteger(value) && Number(value) > 0
)
const seconds = rule("a number of seconds", (value) => typeof value === "number" && value >= 0)

/** The last batch of transactions that are posted with one. */
export const lastBatchMax = 1_000_000

/** Fields that the pool shows as they were posted. */
const postedFields = "id type fromAccountIndex amount fee nonce signature toBjj".split(" ")

/** Returns what the pool shows of a transaction that was posted. */
export const postedTransaction = (posted: Value): Value => {
  const address = posted.toHezEthereumAddress as string | null
  return {
    ...Object.fromEntries(postedFields.map((name) => [name, posted[name]])),
    toBJJ: posted.toBjj,
    toHezEthereumAddress: rule(
      `${address}, in any case of letters`,
      (value) => String(value).toLowerCase() === String(address).toLowerCase()
    ),
    maxNumBatch: posted.maxNumBatch ?? 0,
    state: rule("a state", (value) => ["pend", "fing", "fged"].includes(String(value)))
  }
}

/** Objects that `v1` shows as `later` does. */
export const same = async (item: Value): Promise<Value> => item

export const bid = async (item: Value): Promise<Value> => {
  const { withdrawAddr, ...shown } = item
  if (withdrawAddr === undefined) throw new Error(`The bid ${item.itemId} has no withdrawAddr`)
  return shown
}

export const batchOf = (later: Later) => async (item: Value): Promise<Value> => {
  const { transactions } = await later(`/full-batches/${item.batchNum}`)
  return {
    ...item,
    ethereumTxHash: hashOrEmpty,
    forgedTransactions: (transactions as ReadonlyArray<Value>).length
  }
}

export const transaction = async ({ L1Info, ...item }: Value): Promise<Value> => ({
  ...item,
  L1Info: L1Info === null
    ? null
    : { ...L1Info as Value, ethereumTxHash: hashOrEmpty, l1Fee: textOrNull }
})

export const exitOf = (later: Later) => async (item: Value): Promise<Value> => {
  const { delayedWithdrawn, instantWithdrawn, ...shown } = item
  const { bjj, hezEthereumAddress } = await later(`/accounts/${item.accountIndex}`)
  return {
    ...shown,
    bjj,
    hezEthereumAddress,
    instantWithdraw: instantWithdrawn,
    delayedWithdraw: delayedWithdrawn
  }
}

/** A slot shows the highest bid; the bids of a slot rise. */
export const slotOf = (later: Later) => async (item: Value): Promise<Value> => {
  const { bids } = await later(`/bids?slotNum=${item.slotNum}&order=DESC&limit=1`)
  const [best] = bids as ReadonlyArray<Value>
  return { ...item, bestBid: best === undefined ? null : await bid(best) }
}

export const poolTransaction = async (item: Value): Promise<Value> => ({
  ...item,
  itemId: positive,
  // account 0 of the token if the destination is an address or a key
  toAccountIndex: item.toAccountIndex ?? String(item.fromAccountIndex).replace(/\d+$/u, "0"),
  toBJJ: item.toBjj,
  maxNumBatch: rule(`0 or ${lastBatchMax}`, (value) => value === 0 || value === lastBatchMax),
  info: textOrNull,
  errorCode: numberOrNull,
  errorType: textOrNull
})

interface State {
  readonly network: Value
  readonly metrics: Value
  readonly rollup: { readonly buckets: ReadonlyArray<Value> }
  readonly auction: Value
  readonly withdrawalDelayer: Value
  readonly recommendedFee: Value
}

export const stateOf = (later: Later) => async (item: Value): Promise<Value> => {
  const { auction, metrics, network, rollup, withdrawalDelayer, ...state } =
    item as unknown as State
  const { totalAccounts, totalBJJs, ...rates } = metrics
  const { governanceAddress, ...delayer } = withdrawalDelayer
  return {
    ...state,
    network: {
      ...network,
      lastBatch: await batchOf(later)(network.lastBatch as Value),
      pendingL1Transactions: rule("a number of transactions", Number.isInteger)
    },
    metrics: {
      ...rates,
      tokenAccounts: totalAccounts,
      wallets: totalBJJs,
      estimatedTimeToForgeL1: seconds
    },
    rollup: { ...rollup, buckets: rollup.buckets.map(bucket) },
    auction: { ...auction, defaultSlotSetBidSlotNum: rule("a slot", Number.isInteger) },
    withdrawalDelayer: { ...delayer, hermezGovernanceAddress: governanceAddress },
    node: { forgeDelay: seconds, poolLoad: await pendingCount(later) }
  }
}

/** Returns the number of pending transactions in the pool; only `v1` has its list. */
const pendingCount = async (later: Later): Promise<number> => {
  const page = await later("/v1/transactions-pool?state=pend&limit=1")
  return (page.transactions as ReadonlyArray<Value>).length + Number(page.pendingItems)
}

const bucket = ({ blockWithdrawalRate, ...shown }: Value): Value => ({
  ...shown,
  // what was left after the last change; revision later shows what is left, at most the maximum
  withdrawals: rule(
    `digits of at most ${shown.withdrawals}, or any if that is the maximum`,
    (value) =>
      /^\d+$/u.test(String(value)) &&
      (shown.withdrawals === shown.maxWithdrawals || Number(value) <= Number(shown.withdrawals))
  ),
  maxWithdrawals: String(shown.maxWithdrawals),
  blockStamp: rule("digits", (value) => /^\d+$/u.test(String(value))),
  rateBlocks: String(blockWithdrawalRate),
  // revision later does not show it; the simulated network sets 0 to 3
  rateWithdrawals: rule("a rate of the network", (value) => /^[0-3]$/u.test(String(value)))
})

interface Config {
  readonly rollup: Value & { readonly publicConstants: Value }
  readonly auction: Value
  readonly withdrawalDelayer: Value
}

export const configOf = (chainId: number) => async (item: Value): Promise<Value> => {
  const { auction, rollup, withdrawalDelayer } = item as unknown as Config
  const {
    auctionAddress,
    governanceAddress,
    governanceToken,
    withdrawalDelayerAddress,
    ...others
  } = rollup.publicConstants
  const { governanceToken: token, rollupAddress, ...auctionShown } = auction
  const { rollupAddress: delayedRollup, ...delayer } = withdrawalDelayer
  return {
    chainId,
    hermez: {
      ...rollup,
      // beyond the precision of the numbers of JavaScript
      limitDepositAmount: Number(rollup.limitDepositAmount),
      limitL2TransferAmount: Number(rollup.limitL2TransferAmount),
      publicConstants: {
        ...others,
        tokenHEZ: governanceToken,
        hermezAuctionContract: auctionAddress,
        hermezGovernanceAddress: governanceAddress,
        withdrawDelayerContract: withdrawalDelayerAddress
      }
    },
    auction: {
      ...auctionShown,
      initialMinimalBidding: Number(auction.initialMinimalBidding),
      tokenHEZ: token,
      hermezRollup: rollupAddress
    },
    withdrawalDelayer: { ...delayer, hermezRollup: delayedRollup }
  }
}

const storeHealth = { status: rule("a status", (value) => typeof value === "string") }

export const health: Value = {
  ...storeHealth,
  version: rule("a version", (value) => typeof value === "string"),
  timestamp: rule("a time", (value) => Number.isFinite(Date.parse(String(value)))),
  historyDB: storeHealth,
  l2DB: storeHealth
}
