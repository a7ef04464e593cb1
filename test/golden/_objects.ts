/*
 * One view of each kind of object with distinct values, and others with nulls: a member with the
 * value of another one changes their text. They are values in memory, the same for all revisions.
 */
import { type Revision, type Shape, type Shapes, writerOf } from "../../core/contract/mod.ts"
import type {
  Account,
  Batch,
  Bid,
  Coordinator,
  Exit,
  L1Part,
  NetworkConstants,
  PoolTransaction,
  PoolTransactionView,
  RequestedTransaction,
  SlotView,
  StateView,
  Token,
  Transaction,
  TransactionView
} from "../../core/domain/mod.ts"
import { address, context, hash, id, key, signature } from "../conformance/_values.ts"

const ether: Token = {
  itemId: 1,
  id: 2,
  ethereumAddress: address(10),
  name: 'Ether "0"',
  symbol: "E:H",
  decimals: 18,
  ethereumBlockNum: 3n,
  priceUSD: 1.5,
  priceTimeMs: 1000
}
const plain: Token = { ...ether, id: 4, symbol: "P", name: "P", priceUSD: null, priceTimeMs: null }
const coordinator: Coordinator = {
  itemId: 11,
  bidderAddr: address(12),
  forgerAddr: address(13),
  url: 'https://c.example/"',
  ethereumBlockNum: 14n
}
const moved: Coordinator = { ...coordinator, forgerAddr: address(15), url: 'https://m.example/"' }
const bid: Bid = {
  itemId: 21,
  slotNum: 22,
  bidderAddr: address(23),
  withdrawAddr: address(24),
  bidValue: 25n,
  ethereumBlockNum: 26n,
  timestampMs: 27_000
}
const slot: SlotView = {
  slotNum: 31,
  firstBlock: 32n,
  lastBlock: 33n,
  openAuction: true,
  closedAuction: false,
  bestBid: { bid, coordinator },
  winner: coordinator
}
const exit: Exit = {
  itemId: 41,
  batchNum: 42,
  accountIndex: 300,
  tokenId: 2,
  address: address(43),
  publicKey: key(1),
  balance: 44n,
  merkleProof: {
    root: 2n ** 200n,
    siblings: [45n, 0n, 46n],
    oldKey: 47n,
    oldValue: 48n,
    isOld0: true,
    key: 300n,
    value: 49n,
    fnc: 0
  },
  instantWithdrawn: 50n,
  delayedWithdrawRequest: 51n,
  delayedWithdrawn: 52n
}
const batch: Batch = {
  itemId: 61,
  batchNum: 62,
  ethereumBlockNum: 63n,
  ethereumBlockHash: hash(64),
  timestampMs: 65_001,
  forgerAddr: address(66),
  collectedFees: [[0, 67n], [4, 68n]],
  historicTotalCollectedFeesUSD: 0.25,
  stateRoot: 69n,
  numAccounts: 70,
  exitRoot: 71n,
  forgeL1TransactionsNum: 72,
  slotNum: 73,
  forgedTransactions: 74,
  ethereumTxHash: hash(75)
}
const transfer: TransactionView = {
  token: ether,
  transaction: {
    itemId: 81,
    id: id(2, 82),
    type: "Transfer",
    position: 83,
    fromAccountIndex: 301,
    fromAddress: address(84),
    fromPublicKey: key(2),
    toAccountIndex: 302,
    toAddress: address(85),
    toPublicKey: key(3),
    tokenId: 2,
    amount: 2n ** 100n,
    batchNum: 86,
    historicUSD: 8.5,
    timestampMs: 87_000,
    l1: null,
    l2: { fee: 126, historicFeeUSD: 0.5, nonce: 2n ** 63n }
  } satisfies Transaction
}
/** An L1 transaction that names accounts of other tokens: each index has the symbol of its account. */
const otherTokens: TransactionView = { ...transfer, senderToken: plain, receiverToken: ether }
const l1: L1Part = {
  toForgeL1TransactionsNum: 91,
  userOrigin: true,
  depositAmount: 92n,
  amountSuccess: true,
  depositAmountSuccess: false,
  historicDepositAmountUSD: 9.5,
  ethereumBlockNum: 93n,
  ethereumTxHash: hash(94),
  l1Fee: 95n
}
const deposit: TransactionView = {
  token: plain,
  transaction: {
    ...transfer.transaction,
    id: id(0, 94),
    type: "CreateAccountDeposit",
    fromAccountIndex: null,
    fromAddress: null,
    fromPublicKey: null,
    toAccountIndex: 0,
    toAddress: null,
    toPublicKey: null,
    batchNum: null,
    historicUSD: null,
    l2: null,
    l1
  }
}
const coordinators: L1Part = {
  ...l1,
  ethereumTxHash: null,
  l1Fee: null,
  toForgeL1TransactionsNum: null,
  userOrigin: false,
  amountSuccess: false,
  depositAmountSuccess: true,
  historicDepositAmountUSD: null
}
const byCoordinator: TransactionView = {
  ...deposit,
  transaction: { ...deposit.transaction, l1: coordinators }
}
const state: StateView = {
  lastEthereumBlock: 101n,
  lastSynchedBlock: 102n,
  lastBatch: batch,
  currentSlot: 103,
  nextForgers: [{
    coordinator,
    period: {
      slotNum: 104,
      fromBlock: 105n,
      toBlock: 106n,
      fromTimestampMs: 107_000,
      toTimestampMs: 108_000
    }
  }],
  pendingL1Transactions: 138,
  node: { forgeDelaySeconds: 0.5, poolLoad: 139 },
  metrics: {
    transactionsPerBatch: 1.25,
    batchFrequency: 2.25,
    transactionsPerSecond: 3.25,
    totalAccounts: 109,
    totalPublicKeys: 110,
    avgTransactionFee: 4.25,
    estimatedTimeToForgeL1: 6.5
  },
  variables: {
    rollup: {
      ethereumBlockNum: 111n,
      forgeL1L2BatchTimeout: 112,
      feeAddToken: 113n,
      withdrawalDelay: 114,
      safeMode: false,
      verifiers: [],
      buckets: [{
        ceilUSD: 115n,
        blockStamp: 116n,
        withdrawals: 117n,
        blockWithdrawalRate: 118n,
        maxWithdrawals: 119n
      }]
    },
    auction: {
      ethereumBlockNum: 121n,
      bootCoordinator: address(22),
      bootCoordinatorUrl: "https://boot.example",
      slotDeadline: 123,
      closedAuctionSlots: 124,
      openAuctionSlots: 125,
      defaultSlotSetBid: [1n, 2n, 3n, 4n, 5n, 6n],
      defaultSlotSetBidSlotNum: 126,
      defaultSlotSetBidFirstSlot: 0,
      outbidding: 127,
      donationAddress: address(28),
      allocationRatio: [4000, 3500, 2500]
    },
    withdrawalDelayer: {
      ethereumBlockNum: 131n,
      governanceAddress: address(32),
      emergencyCouncilAddress: address(33),
      keeperAddress: address(34),
      withdrawalDelay: 135,
      emergencyModeStartingBlock: 136n,
      emergencyModeStartingTime: 137,
      emergencyMode: true
    }
  },
  recommendedFee: { existingAccount: 5.25, createAccount: 6.25, createAccountInternal: 7.25 }
}
const constants: NetworkConstants = {
  rollup: {
    governanceToken: address(41),
    absoluteMaxL1L2BatchTimeout: 142,
    verifiers: [{ maxTx: 143, nlevels: 144 }],
    auctionAddress: address(45),
    governanceAddress: address(46),
    safetyAddress: address(47),
    withdrawalDelayerAddress: address(48)
  },
  auction: {
    blocksPerSlot: 151,
    initialMinimalBidding: 152n,
    genesisBlockNum: 153n,
    governanceToken: address(54),
    rollupAddress: address(55),
    governanceAddress: address(56)
  },
  withdrawalDelayer: {
    maxWithdrawalDelay: 161,
    maxEmergencyModeTime: 162,
    rollupAddress: address(63)
  }
}
const requested: RequestedTransaction = {
  fromAccountIndex: 400,
  toAccountIndex: 401,
  toAddress: address(71),
  toPublicKey: key(4),
  tokenId: 4,
  amount: 172n,
  fee: 173,
  nonce: 174n
}
const pooled: PoolTransaction = {
  id: id(2, 75),
  type: "TransferToBJJ",
  tokenId: 2,
  fromAccountIndex: 402,
  toAccountIndex: 403,
  toAddress: address(76),
  toPublicKey: key(5),
  amount: 177n,
  fee: 178,
  nonce: 179n,
  signature,
  request: requested,
  state: "fing",
  timestampMs: 180_000,
  batchNum: 181
}
const account: Account = {
  itemId: 191,
  index: 404,
  tokenId: 2,
  batchNum: 192,
  publicKey: key(6),
  address: address(93),
  nonce: 194n,
  balance: 195n
}

const pooledView: PoolTransactionView = {
  transaction: { ...pooled, state: "fged" },
  token: ether,
  sender: { address: address(96), publicKey: key(7) },
  requestToken: plain,
  itemId: 88,
  skipped: null,
  invalidReason: null
}

type Views = {
  readonly [name in keyof Shapes]: ReadonlyArray<Parameters<Shapes[name]["view"]>[0]>
}

/** The views by the name of their shape. */
const views: Views = {
  token: [ether, plain],
  coordinator: [coordinator, moved],
  bid: [{ bid, coordinator }, { bid, coordinator: moved }],
  account: [
    { account, token: ether },
    { account: { ...account, tokenId: 4 }, token: plain },
    // a token may have any symbol, which is part of each account index
    { account, token: { ...plain, symbol: `"` } }
  ],
  exit: [
    { exit, token: ether },
    {
      exit: {
        ...exit,
        instantWithdrawn: null,
        delayedWithdrawRequest: null,
        delayedWithdrawn: null
      },
      token: ether
    }
  ],
  batch: [batch, { ...batch, forgeL1TransactionsNum: null }],
  transaction: [
    transfer,
    otherTokens,
    { ...otherTokens, senderToken: ether, receiverToken: plain },
    deposit,
    byCoordinator
  ],
  fullBatch: [{ batch, transactions: [deposit, transfer] }],
  slot: [
    slot,
    { ...slot, openAuction: false, closedAuction: true, bestBid: null, winner: null }
  ],
  state: [state, { ...state, lastBatch: null, nextForgers: [] }],
  config: [constants],
  poolTransaction: [
    pooledView,
    // of an unregistered token only the number is known
    {
      ...pooledView,
      transaction: { ...pooled, request: { ...requested, fromAccountIndex: null } },
      requestToken: null
    },
    {
      ...pooledView,
      transaction: {
        ...pooled,
        toAccountIndex: null,
        toAddress: null,
        toPublicKey: null,
        batchNum: null,
        request: null
      },
      requestToken: null
    }
  ],
  authorization: [{
    address: address(97),
    publicKey: key(8),
    signature: `0x${"6".repeat(130)}`,
    timestampMs: 198_000
  }]
}

/** Returns the objects of a revision: the name of the shape and the text of each. */
export const writtenObjects = ({ shapes }: Revision): ReadonlyArray<readonly [string, string]> =>
  Object.entries(views).flatMap(([name, each]: [string, ReadonlyArray<unknown>]) =>
    each.map((view) =>
      [name, writerOf(shapes[name as keyof Shapes] as Shape<unknown>, context)(view)] as const
    )
  )
