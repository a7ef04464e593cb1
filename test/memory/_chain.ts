import { Result } from "effect"
import type { MemoryLedger } from "../../adapters/memory/mod.ts"
import type {
  Account,
  BatchChanges,
  Bid,
  BlockChanges,
  Exit,
  GenesisFeed,
  MerkleProof,
  New,
  Token,
  Transaction,
  TransactionType
} from "../../core/domain/mod.ts"
import type { LedgerView } from "../../core/ports/mod.ts"
import type { Random } from "./_random.ts"

/*
 * Blocks for tests of stores. They meet the assumptions of a store, but not all rules of the
 * protocol. They have few addresses, keys and tokens, so that each of these has a long list.
 */

export const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`
export const keyOf = (n: number): string => n.toString(16).padStart(64, "0")
export const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`

const auctionVariables = {
  bootCoordinator: addressOf(0xb001),
  bootCoordinatorUrl: "https://boot",
  slotDeadline: 20,
  closedAuctionSlots: 2,
  openAuctionSlots: 30,
  defaultSlotSetBid: [10n, 10n, 10n, 10n, 10n, 10n],
  defaultSlotSetBidSlotNum: 0,
  outbidding: 1000,
  donationAddress: addressOf(0xd0),
  allocationRatio: [4000, 4000, 2000]
}

export const genesis: GenesisFeed = {
  network: { prefix: "zk", name: "Test", chainId: 5, rollupAddress: addressOf(0xa1) },
  block: { number: 100n, hash: hashOf(100), timestampMs: 1_600_000_000_000 },
  constants: {
    rollup: {
      governanceToken: addressOf(0xa2),
      absoluteMaxL1L2BatchTimeout: 240,
      verifiers: [{ maxTx: 2048, nlevels: 32 }],
      auctionAddress: addressOf(0xa3),
      governanceAddress: addressOf(0xa4),
      safetyAddress: addressOf(0xa5),
      withdrawalDelayerAddress: addressOf(0xa6)
    },
    auction: {
      blocksPerSlot: 4,
      initialMinimalBidding: 10n,
      genesisBlockNum: 100n,
      governanceToken: addressOf(0xa2),
      rollupAddress: addressOf(0xa1),
      governanceAddress: addressOf(0xa4)
    },
    withdrawalDelayer: {
      maxWithdrawalDelay: 1_209_600,
      maxEmergencyModeTime: 15_552_000,
      rollupAddress: addressOf(0xa1)
    }
  },
  variables: {
    rollup: {
      forgeL1L2BatchTimeout: 10,
      feeAddToken: 10n,
      withdrawalDelay: 60,
      buckets: [],
      safeMode: false
    },
    auction: auctionVariables,
    withdrawalDelayer: {
      governanceAddress: addressOf(0xa4),
      emergencyCouncilAddress: addressOf(0xa7),
      keeperAddress: addressOf(0xa8),
      withdrawalDelay: 60,
      emergencyModeStartingBlock: 0n,
      emergencyModeStartingTime: 0,
      emergencyMode: false
    }
  }
}

/** Returns the changes of an empty block, 15 seconds after the last one. */
export const emptyBlock = ({ lastBlock }: LedgerView): BlockChanges => ({
  block: {
    number: lastBlock.number + 1n,
    hash: hashOf(Number(lastBlock.number) + 1),
    timestampMs: lastBlock.timestampMs + 15_000
  },
  lastEthereumBlock: lastBlock.number + 3n,
  prices: [],
  coordinators: [],
  bids: [],
  tokens: [],
  batches: [],
  queued: [],
  variables: {},
  withdrawals: []
})

export const newToken = (id: number, name = `Token ${id}`, symbol = `T${id % 3}`): New<Token> => ({
  id,
  ethereumAddress: addressOf(0x1000 + id),
  name,
  symbol,
  decimals: 18,
  ethereumBlockNum: 1n,
  priceUSD: null,
  priceTimeMs: null
})

export const newAccount = (
  index: number,
  batchNum: number,
  tokenId = 0,
  owner = index
): New<Account> => ({
  index,
  tokenId,
  batchNum,
  publicKey: keyOf(owner),
  address: addressOf(owner),
  nonce: 0n,
  balance: 0n
})

export const newBatch = (
  view: LedgerView,
  batchNum: number,
  forgeL1TransactionsNum: number | null = null
): BatchChanges["batch"] => {
  const { block } = emptyBlock(view)
  return {
    batchNum,
    ethereumBlockNum: block.number,
    ethereumBlockHash: block.hash,
    timestampMs: block.timestampMs,
    forgerAddr: addressOf(0xf0 + batchNum % 3),
    collectedFees: [],
    historicTotalCollectedFeesUSD: batchNum % 7,
    stateRoot: BigInt(batchNum),
    numAccounts: 0,
    exitRoot: 0n,
    forgeL1TransactionsNum,
    slotNum: Math.floor(batchNum / 5),
    forgedTransactions: 0,
    ethereumTxHash: batchNum % 4 === 0 ? null : hashOf(batchNum)
  }
}

let sequence = 0
/** Returns an id that is unique in the process. */
const newId = (): string => `0x02${(++sequence).toString(16).padStart(64, "0")}`

export const newTransaction = (
  from: Account | New<Account>,
  to: Account | New<Account> | null,
  batchNum: number,
  position: number,
  type: TransactionType = "Transfer"
): New<Transaction> => ({
  id: newId(),
  type,
  position,
  fromAccountIndex: from.index,
  fromAddress: from.address,
  fromPublicKey: from.publicKey,
  toAccountIndex: to?.index ?? 1,
  toAddress: to?.address ?? null,
  toPublicKey: to?.publicKey ?? null,
  tokenId: from.tokenId,
  amount: BigInt(position) + 1n,
  batchNum,
  historicUSD: null,
  timestampMs: batchNum,
  l1: null,
  l2: { fee: 1, historicFeeUSD: null, nonce: BigInt(position) }
})

export const newQueued = (queue: number, position: number, owner = 7): New<Transaction> => ({
  id: newId(),
  type: "CreateAccountDeposit",
  position,
  fromAccountIndex: null,
  fromAddress: addressOf(owner),
  fromPublicKey: keyOf(owner),
  toAccountIndex: 0,
  toAddress: null,
  toPublicKey: null,
  tokenId: 0,
  amount: 0n,
  batchNum: null,
  historicUSD: null,
  timestampMs: queue,
  l1: {
    toForgeL1TransactionsNum: queue,
    userOrigin: true,
    depositAmount: 5n,
    amountSuccess: false,
    depositAmountSuccess: false,
    historicDepositAmountUSD: null,
    ethereumBlockNum: 1n,
    ethereumTxHash: position % 3 === 0 ? null : hashOf(position),
    l1Fee: position % 3 === 1 ? null : 7n
  },
  l2: null
})

export const asForged = (
  queued: Pick<New<Transaction>, "id" | "fromPublicKey">,
  fromAccountIndex: number
): BatchChanges["forged"][number] => ({
  id: queued.id,
  fromAccountIndex,
  fromPublicKey: queued.fromPublicKey,
  toAddress: null,
  toPublicKey: null,
  historicUSD: 0.5,
  amountSuccess: true,
  depositAmountSuccess: true
})

const merkleProof: MerkleProof = {
  root: 1n,
  siblings: [],
  oldKey: 0n,
  oldValue: 0n,
  isOld0: false,
  key: 1n,
  value: 1n,
  fnc: 0
}
export const newExit = (account: New<Account>, batchNum: number): New<Exit> => ({
  batchNum,
  accountIndex: account.index,
  tokenId: account.tokenId,
  address: account.address,
  publicKey: account.publicKey,
  merkleProof,
  balance: 5n,
  instantWithdrawn: null,
  delayedWithdrawRequest: null,
  delayedWithdrawn: null
})

export const newBid = (slotNum: number, bidderAddr: string, bidValue: bigint): New<Bid> => ({
  slotNum,
  bidderAddr,
  withdrawAddr: bidderAddr,
  bidValue,
  ethereumBlockNum: 1n,
  timestampMs: 1
})

/**
 * Applies the block that `make` returns, and adds the updates of the accounts that it creates.
 * Throws if the store does.
 */
export const applyBlock = (
  ledger: MemoryLedger,
  make: (view: LedgerView) => Partial<BlockChanges>
) =>
  Result.getOrThrow(
    ledger.apply((view) => {
      const changes = { ...emptyBlock(view), ...make(view) }
      const batches = changes.batches.map((batch) => ({
        ...batch,
        accountUpdates: [...batch.accountUpdates, ...batch.accounts]
      }))
      return Result.succeed({ kind: "store", changes: { ...changes, batches } })
    })
  )

export const rollBackTo = (ledger: MemoryLedger, toBlock: bigint) =>
  Result.getOrThrow(ledger.rollBack(toBlock, () => Result.succeed(undefined), { timeMs: 0 }))

export const bidders = [0x31, 0x32, 0x33, 0x34].map(addressOf)
export const forgers = [0x41, 0x42].map(addressOf)
const words = ["Wrapped", "Dai", "aaaa", "USD", "Stable coin", ""]
const types: ReadonlyArray<TransactionType> = ["Transfer", "Transfer", "Exit"]

/** Returns a block with random changes of every kind. */
export const randomBlock = (
  view: LedgerView,
  random: Random,
  transactionsMax: number
): Partial<BlockChanges> => {
  const { lastBatchNum, lastTokenId } = view
  const tokens = random.chance(0.5)
    ? [newToken(lastTokenId + 1, `${random.of(words)} ${random.of(words)}`)]
    : []
  const coordinators = view.lastBlock.number === genesis.block.number || random.chance(0.1)
    ? bidders.filter((bidder) => view.registration(bidder) === undefined || random.chance(0.3))
      .map((bidderAddr) => ({
        bidderAddr,
        forgerAddr: random.of(forgers),
        url: "https://c",
        ethereumBlockNum: view.lastBlock.number + 1n
      }))
    : []
  const bids = Array.from(
    { length: random.below(4) },
    () =>
      newBid(random.below(40), random.of(bidders), view.lastBlock.number + BigInt(random.below(3)))
  )
  const open = view.lastOpenQueue ?? (view.lastForgedQueue ?? 0) + 1
  const unforged = view.queue(open)
  const queued = Array.from(
    { length: random.below(4) },
    (_, i): New<Transaction> => {
      const created = newQueued(open, unforged.length + i, random.below(5))
      // names accounts of which some are created later
      return random.chance(0.5) ? created : {
        ...created,
        type: "ForceTransfer",
        fromAccountIndex: random.chance(0.5) ? 256 + random.below(40) : null,
        fromPublicKey: null,
        toAccountIndex: 256 + random.below(40)
      }
    }
  )
  const account = (index: number) => view.account(index)!
  const batches: Array<BatchChanges> = []
  let lastAccount = view.lastAccountIndex
  for (let i = 0; i < random.below(3); i++) {
    const batchNum = lastBatchNum + 1 + i
    const forge = i === 0 && random.chance(0.5) ? [...unforged, ...queued] : []
    const accounts = lastAccount < 300
      ? [newAccount(++lastAccount, batchNum, random.below(lastTokenId + 1), random.below(4))]
      : []
    const storedAccounts = Array.from(
      { length: Math.min(20, view.lastAccountIndex - 255) },
      (_, k) => account(256 + k)
    )
    const transactions = storedAccounts.length === 0 ?
      [] :
      Array.from({ length: random.below(transactionsMax) }, (_, position) =>
        newTransaction(
          random.of(storedAccounts),
          random.chance(0.2) ? null : random.of(storedAccounts),
          batchNum,
          position,
          random.of(types)
        ))
    batches.push({
      batch: {
        ...newBatch(view, batchNum, forge.length > 0 ? open : null),
        forgedTransactions: forge.length + transactions.length
      },
      accounts,
      accountUpdates: storedAccounts.filter(() => random.chance(0.3)).map(({ index, nonce }) => ({
        index,
        nonce: nonce + 1n,
        balance: BigInt(random.below(1000))
      })),
      forged: forge.map((each) => asForged(each, 256)),
      transactions,
      exits: storedAccounts.filter(() => random.chance(0.7)).map((each) => newExit(each, batchNum))
    })
  }
  const withdrawals = Array.from({ length: lastBatchNum === 0 ? 0 : random.below(12) }, () => ({
    batchNum: 1 + random.below(lastBatchNum),
    accountIndex: 256 + random.below(20),
    field: random.of(["instantWithdrawn", "delayedWithdrawRequest", "delayedWithdrawn"] as const)
  })).filter(({ batchNum, accountIndex }) => view.exit(batchNum, accountIndex) !== undefined)
  const variables = random.chance(0.05)
    ? {
      auction: {
        ...view.variables.auction,
        ethereumBlockNum: view.lastBlock.number + 1n,
        closedAuctionSlots: 1 + random.below(3)
      }
    }
    : {}
  const prices = random.chance(0.3)
    ? [{ tokenId: random.below(lastTokenId + 1), priceUSD: random.below(9), timeMs: 5 }]
    : []
  return { tokens, coordinators, bids, queued, batches, withdrawals, variables, prices }
}
