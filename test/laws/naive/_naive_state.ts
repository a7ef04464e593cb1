import type { Batch, NetworkState, NextForger } from "../../../core/domain/mod.ts"
import { currentSlot, firstBlock, lastBlock, lastClosedSlot, winner } from "./_naive_auction.ts"
import type { Facts } from "../facts.ts"

/** Returns the network state. */
export const naiveState = (facts: Facts): NetworkState => ({
  lastEthereumBlock: facts.head === null || facts.head.chainHead < facts.lastEthereumBlock
    ? facts.lastEthereumBlock
    : facts.head.chainHead,
  lastSynchedBlock: lastBlock(facts).number,
  lastBatch: facts.batches.at(-1) ?? null,
  currentSlot: currentSlot(facts),
  nextForgers: nextForgers(facts),
  pendingL1Transactions: facts.queued.length,
  metrics: metrics(facts),
  variables: facts.variables,
  recommendedFee: recommendedFee(facts)
})

function nextForgers(facts: Facts): ReadonlyArray<NextForger> {
  const forgers: Array<NextForger> = []
  const { bootCoordinator, bootCoordinatorUrl } = facts.variables.auction
  const last = lastBlock(facts)
  const timeOf = (block: bigint) => last.timestampMs + 15_000 * Number(block - last.number)
  const boot = {
    itemId: 0,
    bidderAddr: `0x${"0".repeat(40)}`,
    forgerAddr: bootCoordinator,
    url: bootCoordinatorUrl,
    ethereumBlockNum: 0n
  }
  const end = Math.min(lastClosedSlot(facts), currentSlot(facts) + 1024)
  for (let slotNum = currentSlot(facts); slotNum <= end; slotNum++) {
    const [fromBlock, toBlock] = [firstBlock(facts, slotNum), firstBlock(facts, slotNum + 1) - 1n]
    forgers.push({
      coordinator: winner(facts, slotNum) ?? boot,
      period: {
        slotNum,
        fromBlock,
        toBlock,
        fromTimestampMs: timeOf(fromBlock),
        toTimestampMs: timeOf(toBlock)
      }
    })
  }
  return forgers
}

const hourMs = 3_600_000

/** Returns the batches of the last `windowMs` milliseconds before the last block. */
const recent = (facts: Facts, windowMs: number): ReadonlyArray<Batch> =>
  facts.batches.filter(({ timestampMs }) => timestampMs >= lastBlock(facts).timestampMs - windowMs)

function metrics(facts: Facts): NetworkState["metrics"] {
  const batches = recent(facts, 24 * hourMs)
  const { l2, all } = transactionsOf(facts, batches)
  const n = batches.length
  const ageMs = lastBlock(facts).timestampMs - facts.genesis.block.timestampMs
  const seconds = (ageMs < 24 * hourMs ? ageMs : 24 * hourMs) / 1000
  const intervals = batches.slice(1).map(({ timestampMs }, at) =>
    timestampMs - batches[at]!.timestampMs
  )
  return {
    transactionsPerBatch: n === 0 ? 0 : all / n,
    batchFrequency: n < 2 ? 0 : sum(intervals) / intervals.length / 1000,
    transactionsPerSecond: seconds === 0 ? 0 : all / seconds,
    totalAccounts: facts.accounts.length,
    totalPublicKeys: new Set(facts.accounts.map(({ publicKey }) => publicKey)).size,
    avgTransactionFee: l2 === 0 ? 0 : feesUSD(batches) / l2,
    estimatedTimeToForgeL1: timeToForgeL1(facts, batches)
  }
}

/** Returns the average time in seconds from the block that queued a transaction to its batch. */
function timeToForgeL1(facts: Facts, batches: ReadonlyArray<Batch>): number {
  const waits = facts.transactions.flatMap(({ batchNum, l1, timestampMs }) => {
    const batch = batches.find((batch) => batch.batchNum === batchNum)
    return batch === undefined || l1?.userOrigin !== true ? [] : [batch.timestampMs - timestampMs]
  })
  return waits.length === 0 ? 0 : sum(waits) / 1000 / waits.length
}

function recommendedFee(facts: Facts): NetworkState["recommendedFee"] {
  const batches = recent(facts, hourMs)
  const paidUSD = feesUSD(batches)
  // without fees: the default of the setting
  const average = paidUSD === 0 ? 0.01 : paidUSD / transactionsOf(facts, batches).l2
  return {
    existingAccount: average,
    createAccount: 2.5 * average,
    createAccountInternal: 2 * average
  }
}

const feesUSD = (batches: ReadonlyArray<Batch>): number =>
  sum(batches.map((batch) => batch.historicTotalCollectedFeesUSD))

const sum = (values: ReadonlyArray<number>): number =>
  values.reduce((total, value) => total + value, 0)

function transactionsOf(facts: Facts, batches: ReadonlyArray<Batch>) {
  const numbers = new Set<number | null>(batches.map(({ batchNum }) => batchNum))
  const forged = facts.transactions.filter(({ batchNum }) => numbers.has(batchNum))
  return { all: forged.length, l2: forged.filter(({ l2 }) => l2 !== null).length }
}
