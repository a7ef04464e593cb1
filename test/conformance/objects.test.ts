/*
 * One handwritten view of each kind with distinct values, and its text in each revision, to the
 * last character: a member with the value of another one is a failure, and so is another order.
 */
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { exactJson } from "../../adapters/http/mod.ts"
import {
  earlier,
  later,
  type Revision,
  revisionList,
  type Shapes,
  type Shape,
  wireSchema,
  writerOf
} from "../../core/contract/mod.ts"
import type {
  Account,
  Batch,
  Bid,
  Coordinator,
  Exit,
  L1Part,
  NetworkConstants,
  PoolState,
  PoolTransaction,
  RequestedTransaction,
  SlotView,
  StateView,
  Token,
  Transaction,
  TransactionView
} from "../../core/domain/mod.ts"
import { parseExact } from "../properties/_reading.ts"
import { address, context, hash, id, key, keyText, signature } from "./_values.ts"

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
const etherText = `{"id":2,"ethereumAddress":"${
  address(10)
}","itemId":1,"name":"Ether \\"0\\"","symbol":"E:H","decimals":18,"ethereumBlockNum":3,"USD":1.5,"fiatUpdate":"1970-01-01T00:00:01.000Z"}`
const plainText = `{"id":4,"ethereumAddress":"${
  address(10)
}","itemId":1,"name":"P","symbol":"P","decimals":18,"ethereumBlockNum":3,"USD":null,"fiatUpdate":null}`

const coordinator: Coordinator = {
  itemId: 11,
  bidderAddr: address(12),
  forgerAddr: address(13),
  url: 'https://c.example/"',
  ethereumBlockNum: 14n
}
const coordinatorText = `{"itemId":11,"forgerAddr":"${address(13)}","bidderAddr":"${
  address(12)
}","URL":"https://c.example/\\"","ethereumBlock":14}`
const moved: Coordinator = { ...coordinator, forgerAddr: address(15), url: 'https://m.example/"' }
const movedText = coordinatorText.replace(address(13), address(15)).replace(
  "c.example",
  "m.example"
)
const bid: Bid = {
  itemId: 21,
  slotNum: 22,
  bidderAddr: address(23),
  withdrawAddr: address(24),
  bidValue: 25n,
  ethereumBlockNum: 26n,
  timestampMs: 27_000
}
const bidText = `{"itemId":21,"bidderAddr":"${address(23)}","forgerAddr":"${
  address(13)
}","withdrawAddr":"${
  address(24)
}","slotNum":22,"URL":"https://c.example/\\"","bidValue":"25","ethereumBlockNum":26,"timestamp":"1970-01-01T00:00:27.000Z"}`
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
const exitText = (withdrawals: string) =>
  `{"batchNum":42,"accountIndex":"zk:E:H:300","itemId":41,"merkleProof":{"root":"${
    2n ** 200n
  }","siblings":["45","0","46"],"oldKey":"47","oldValue":"48","isOld0":true,"key":"300","value":"49","fnc":0},"balance":"44",${withdrawals},"token":${etherText}}`

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
const batchText = (queue: string) =>
  `{"itemId":61,"batchNum":62,"ethereumBlockNum":63,"ethereumBlockHash":"${
    hash(64)
  }","timestamp":"1970-01-01T00:01:05.001Z","forgerAddr":"${
    address(66)
  }","collectedFees":{"0":"67","4":"68"},"historicTotalCollectedFeesUSD":0.25,"stateRoot":"69","numAccounts":70,"exitRoot":"71","forgeL1TransactionsNum":${queue},"slotNum":73}`
const v1BatchText = (queue: string) =>
  `${batchText(queue).slice(0, -1)},"forgedTransactions":74,"ethereumTxHash":"${hash(75)}"}`

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
const transferText = `{"L1orL2":"L2","id":"${
  id(2, 82)
}","itemId":81,"type":"Transfer","position":83,"fromAccountIndex":"zk:E:H:301","fromZkEthereumAddress":"zk:${
  address(84)
}","fromBJJ":"${keyText(2)}","toAccountIndex":"zk:E:H:302","toZkEthereumAddress":"zk:${
  address(85)
}","toBJJ":"${keyText(3)}","amount":"${
  2n ** 100n
}","batchNum":86,"historicUSD":8.5,"timestamp":"1970-01-01T00:01:27.000Z","token":${etherText},"L1Info":null,"L2Info":{"fee":126,"historicFeeUSD":0.5,"nonce":${
  2n ** 63n
}}}`
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
const depositText = (info: string) =>
  `{"L1orL2":"L1","id":"${
    id(0, 94)
  }","itemId":81,"type":"CreateAccountDeposit","position":83,"fromAccountIndex":null,"fromZkEthereumAddress":null,"fromBJJ":null,"toAccountIndex":"zk:P:0","toZkEthereumAddress":null,"toBJJ":null,"amount":"${
    2n ** 100n
  }","batchNum":null,"historicUSD":null,"timestamp":"1970-01-01T00:01:27.000Z","token":${plainText},"L1Info":${info},"L2Info":null}`

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
const metricsText =
  `{"transactionsPerBatch":1.25,"batchFrequency":2.25,"transactionsPerSecond":3.25,"totalAccounts":109,"totalBJJs":110,"avgTransactionFee":4.25}`
const periodText =
  `"fromBlock":105,"toBlock":106,"fromTimestamp":"1970-01-01T00:01:47.000Z","toTimestamp":"1970-01-01T00:01:48.000Z"`
const feeText = `{"existingAccount":5.25,"createAccount":6.25,"createAccountInternal":7.25}`
const auctionText =
  `"slotDeadline":123,"closedAuctionSlots":124,"openAuctionSlots":125,"defaultSlotSetBid":["1","2","3","4","5","6"],"outbidding":127,"donationAddress":"${
    address(28)
  }","allocationRatio":[4000,3500,2500]`

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
const configText = (governance: string, limit: string) =>
  `{"rollup":{"publicConstants":{"governanceToken":"${
    address(41)
  }","absoluteMaxL1L2BatchTimeout":142,"verifiers":[{"maxTx":143,"nlevels":144}],"auctionAddress":"${
    address(45)
  }",${governance}},"maxFeeIdxCoordinator":64,"reservedIdx":255,"exitIdx":1,"${limit}":"340282366920938463463374607431768211456","limitL2TransferAmount":"6277101735386680763835789423207666416102355444464034512896","limitTokens":4294967296,"l1CoordinatorTotalBytes":101,"l1UserTotalBytes":78,"maxL1UserTx":128,"maxL1Tx":256,"inputSHAConstantBytes":18546,"numBuckets":5,"maxWithdrawalDelay":1209600,"exchangeMultiplier":100000000000000},"auction":{"blocksPerSlot":151,"initialMinimalBidding":"152","genesisBlockNum":153,"governanceToken":"${
    address(54)
  }","rollupAddress":"${address(55)}","governanceAddress":"${
    address(56)
  }"},"withdrawalDelayer":{"maxWithdrawalDelay":161,"maxEmergencyModeTime":162,"rollupAddress":"${
    address(63)
  }"}}`

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
const pooledText = (
  of: {
    readonly from: string
    readonly to: string
    readonly state: PoolState
    readonly batchNum: string
    readonly request: string
  }
) =>
  `{"id":"${
    id(2, 75)
  }","type":"TransferToBJJ","fromAccountIndex":"zk:E:H:402",${of.from},${of.to},"amount":"177","fee":178,"nonce":179,"state":"${of.state}","signature":"${signature}","timestamp":"1970-01-01T00:03:00.000Z","batchNum":${of.batchNum},${of.request},"token":${etherText}}`
const noRequest = [
  "FromAccountIndex",
  "ToAccountIndex",
  "ToZkEthereumAddress",
  "ToBJJ",
  "TokenId",
  "Amount",
  "Fee",
  "Nonce"
].map((name) => `"request${name}":null`).join(",")

type Written = {
  readonly [name in keyof Shapes]: ReadonlyArray<
    readonly [view: Parameters<Shapes[name]["view"]>[0], text: string]
  >
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
const accountText = (index: string, token: string) =>
  `{"itemId":191,"accountIndex":"${index}","nonce":194,"balance":"195","bjj":"${
    keyText(6)
  }","zkEthereumAddress":"zk:${address(93)}","token":${token}}`

/** Objects that both revisions write in the same way. */
const common = {
  token: [[ether, etherText], [plain, plainText]],
  coordinator: [[coordinator, coordinatorText], [moved, movedText]],
  bid: [[{ bid, coordinator }, bidText], [
    { bid, coordinator: moved },
    bidText.replace(address(13), address(15)).replace("c.example", "m.example")
  ]],
  account: [[{ account, token: ether }, accountText("zk:E:H:404", etherText)], [{
    account: { ...account, tokenId: 4 },
    token: plain
  }, accountText("zk:P:404", plainText)], [
    // a token may have any symbol, which is part of each account index
    { account, token: { ...plain, symbol: `"` } },
    accountText(`zk:\\":404`, plainText.replace(`"symbol":"P"`, `"symbol":"\\""`))
  ]],
  exit: [
    [
      { exit, token: ether },
      exitText(`"instantWithdrawn":50,"delayedWithdrawRequest":51,"delayedWithdrawn":52`)
    ],
    [
      {
        exit: {
          ...exit,
          instantWithdrawn: null,
          delayedWithdrawRequest: null,
          delayedWithdrawn: null
        },
        token: ether
      },
      exitText(`"instantWithdrawn":null,"delayedWithdrawRequest":null,"delayedWithdrawn":null`)
    ]
  ],
  batch: [[batch, batchText("72")], [
    { ...batch, forgeL1TransactionsNum: null },
    batchText("null")
  ]],
  poolTransaction: [
    [
      {
        transaction: { ...pooled, state: "fged" },
        token: ether,
        sender: { address: address(96), publicKey: key(7) },
        requestToken: plain,
        itemId: 88,
        skipped: null,
        invalidReason: null
      },
      pooledText({
        from: `"fromZkEthereumAddress":"zk:${address(96)}","fromBJJ":"${keyText(7)}"`,
        to: `"toAccountIndex":"zk:E:H:403","toZkEthereumAddress":"zk:${address(76)}","toBjj":"${
          keyText(5)
        }"`,
        state: "fged",
        batchNum: "181",
        request:
          `"requestFromAccountIndex":"zk:P:400","requestToAccountIndex":"zk:P:401","requestToZkEthereumAddress":"zk:${
            address(71)
          }","requestToBJJ":"${
            keyText(4)
          }","requestTokenId":4,"requestAmount":"172","requestFee":173,"requestNonce":174`
      })
    ],
    // of an unregistered token only the number is known
    [
      {
        transaction: { ...pooled, request: { ...requested, fromAccountIndex: null } },
        token: ether,
        sender: { address: address(96), publicKey: key(7) },
        requestToken: null,
        itemId: 88,
        skipped: null,
        invalidReason: null
      },
      pooledText({
        from: `"fromZkEthereumAddress":"zk:${address(96)}","fromBJJ":"${keyText(7)}"`,
        to: `"toAccountIndex":"zk:E:H:403","toZkEthereumAddress":"zk:${address(76)}","toBjj":"${
          keyText(5)
        }"`,
        state: "fing",
        batchNum: "null",
        request:
          `"requestFromAccountIndex":null,"requestToAccountIndex":"zk::401","requestToZkEthereumAddress":"zk:${
            address(71)
          }","requestToBJJ":"${
            keyText(4)
          }","requestTokenId":4,"requestAmount":"172","requestFee":173,"requestNonce":174`
      })
    ],
    [
      {
        transaction: {
          ...pooled,
          toAccountIndex: null,
          toAddress: null,
          toPublicKey: null,
          batchNum: null,
          request: null
        },
        token: ether,
        sender: { address: address(96), publicKey: key(7) },
        requestToken: null,
        itemId: 88,
        skipped: null,
        invalidReason: null
      },
      pooledText({
        from: `"fromZkEthereumAddress":"zk:${address(96)}","fromBJJ":"${keyText(7)}"`,
        to: `"toAccountIndex":null,"toZkEthereumAddress":null,"toBjj":null`,
        state: "fing",
        batchNum: "null",
        request: noRequest
      })
    ]
  ],
  authorization: [[
    {
      address: address(97),
      publicKey: key(8),
      signature: `0x${"6".repeat(130)}`,
      timestampMs: 198_000
    },
    `{"timestamp":"1970-01-01T00:03:18.000Z","zkEthereumAddress":"zk:${address(97)}","bjj":"${
      keyText(8)
    }","signature":"0x${"6".repeat(130)}"}`
  ]]
} satisfies Partial<Written>

const laterDeposit = depositText(
  `{"toForgeL1TransactionsNum":91,"userOrigin":true,"depositAmount":"92","amountSuccess":true,"depositAmountSuccess":false,"historicDepositAmountUSD":9.5,"ethereumBlockNum":93}`
)
const earlierDeposit = depositText(
  `{"toForgeL1TransactionsNum":91,"userOrigin":true,"loadAmount":"92","historicLoadAmountUSD":9.5,"ethereumBlockNum":93}`
)
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
const emptyState = { ...state, lastBatch: null, nextForgers: [] }

const laterState = (lastBatch: string, nextForgers: string) =>
  `{"network":{"lastEthereumBlock":101,"lastSynchedBlock":102,"lastBatch":${lastBatch},"currentSlot":103,"nextForgers":[${nextForgers}]},"metrics":${metricsText},"rollup":{"ethereumBlockNum":111,"forgeL1L2BatchTimeout":112,"feeAddToken":"113","withdrawalDelay":114,"buckets":[{"ceilUSD":"115","withdrawals":117,"blockWithdrawalRate":118,"maxWithdrawals":119}]},"auction":{"ethereumBlockNum":121,"bootCoordinator":"${
    address(22)
  }","bootCoordinatorUrl":"https://boot.example",${auctionText}},"withdrawalDelayer":{"ethereumBlockNum":131,"governanceAddress":"${
    address(32)
  }","emergencyCouncilAddress":"${
    address(33)
  }","withdrawalDelay":135,"emergencyModeStartingBlock":136,"emergencyMode":true},"recommendedFee":${feeText}}`
const earlierState = (lastBatch: string, nextForgers: string, pagination: string) =>
  `{"network":{"lastBlock":102,"lastBatch":${lastBatch},"currentSlot":103,"nextForgers":{"nextForgers":[${nextForgers}],"pagination":${pagination}}},"metrics":${metricsText},"rollup":{"forgeL1L2BatchTimeout":112,"feeAddToken":"113","withdrawalDelay":114,"buckets":[{"ceilUSD":"115","withdrawals":117,"blockWithdrawalRate":118,"maxWithdrawals":119,"blockStamp":116}]},"auction":{"bootCoordinator":"${
    address(22)
  }",${auctionText}},"withdrawalDelayer":{"withdrawalDelay":135,"emergencyMode":true,"rollupAddress":"0x${
    "99".repeat(20)
  }","governanceDAOAddress":"${address(32)}","whiteHackGroupAddress":"${
    address(33)
  }","keeperAddress":"${address(34)}","emergencyModeStartingTime":137},"recommendedFee":${feeText}}`

/** Returns the text with replaced parts; each must occur in it. */
const changed = (text: string, parts: { readonly [part: string]: string }): string =>
  Object.entries(parts).reduce((text, [part, instead]) => {
    assert.include(text, part)
    return text.replaceAll(part, instead)
  }, text)

const laterConfig = configText(
  `"governanceAddress":"${address(46)}","withdrawalDelayerAddress":"${address(48)}"`,
  "limitDepositAmount"
)
const withdrawAddrText = `"withdrawAddr":"${address(24)}",`
const v1State = (lastBatch: string, nextForgers: string) =>
  `${
    changed(laterState(lastBatch, nextForgers), {
      totalAccounts: "tokenAccounts",
      totalBJJs: "wallets",
      '},"metrics"': ',"pendingL1Transactions":138},"metrics"',
      '"avgTransactionFee":4.25': '"avgTransactionFee":4.25,"estimatedTimeToForgeL1":6.5',
      '"withdrawals":117,"blockWithdrawalRate":118,"maxWithdrawals":119':
        '"withdrawals":"117","maxWithdrawals":"119","blockStamp":"116","rateBlocks":"118","rateWithdrawals":"1"',
      '"allocationRatio":[4000,3500,2500]':
        '"allocationRatio":[4000,3500,2500],"defaultSlotSetBidSlotNum":126',
      '"governanceAddress"': '"hermezGovernanceAddress"'
    }).slice(0, -1)
  },"node":{"forgeDelay":0.5,"poolLoad":139}}`

/** Returns the text of an L1 transaction of `later` in `v1`; a coordinator's has no hash and fee. */
const v1L1Text = (text: string) =>
  text.replace(
    /"ethereumBlockNum":93\}/u,
    text.includes('"userOrigin":true')
      ? `"ethereumBlockNum":93,"ethereumTxHash":"${hash(94)}","l1Fee":"95"}`
      : `"ethereumBlockNum":93,"ethereumTxHash":"0x${"0".repeat(64)}","l1Fee":null}`
  )

/** The objects of revision `v1` that are not those of `later`. */
const v1Written = {
  batch: common.batch.map(([view, text]) =>
    [view, `${text.slice(0, -1)},"forgedTransactions":74,"ethereumTxHash":"${hash(75)}"}`] as const
  ),
  fullBatch: [[
    { batch, transactions: [deposit, transfer] },
    `{"batch":${v1BatchText("72")},"transactions":[${v1L1Text(laterDeposit)},${transferText}]}`
  ]],
  bid: common.bid.map(([view, text]) => [view, changed(text, { [withdrawAddrText]: "" })] as const),
  exit: common.exit.map(([view, text]) =>
    [
      view,
      `${
        changed(text, {
          '"instantWithdrawn"': '"instantWithdraw"',
          '"delayedWithdrawn"': '"delayedWithdraw"'
        }).slice(0, -1)
      },"bjj":"${keyText(1)}","zkEthereumAddress":"zk:${address(43)}"}`
    ] as const
  ),
  state: [
    [
      state,
      v1State(
        v1BatchText("72"),
        `{"coordinator":${coordinatorText},"period":{"slotNum":104,${periodText}}}`
      )
    ],
    [emptyState, v1State("null", "")]
  ],
  config: [[
    constants,
    `${
      changed(laterConfig, {
        '{"rollup":{': '{"hermez":{',
        governanceToken: "tokenHEZ",
        auctionAddress: "hermezAuctionContract",
        withdrawalDelayerAddress: "withdrawDelayerContract",
        [`"governanceAddress":"${address(46)}"`]: `"hermezGovernanceAddress":"${address(46)}"`,
        rollupAddress: "hermezRollup",
        '"340282366920938463463374607431768211456"': "340282366920938463463374607431768211456",
        '"6277101735386680763835789423207666416102355444464034512896"':
          "6277101735386680763835789423207666416102355444464034512896",
        '"initialMinimalBidding":"152"': '"initialMinimalBidding":152'
      }).slice(0, -1)
    },"chainId":${context.network.chainId}}`
  ]],
  poolTransaction: common.poolTransaction.map(([view, text]) =>
    [
      view,
      `${
        text.slice(0, -1).replace(
          '"toAccountIndex":null',
          `"toAccountIndex":"zk:${ether.symbol}:0"`
        ).replace('"batchNum":null', `"batchNum":${view.transaction.batchNum}`)
      },"itemId":88,"info":null,"errorCode":null,"errorType":null,"toBJJ":${
        view.transaction.toPublicKey === null ? "null" : `"${keyText(5)}"`
      },"maxNumBatch":0,"requestOffset":0}`
    ] as const
  )
} satisfies Partial<Written>

const written: { [revision: string]: Written } = {
  later: {
    ...common,
    transaction: [
      [transfer, transferText],
      [otherTokens, transferText.replace("zk:E:H:301", `zk:${plain.symbol}:301`)],
      [
        { ...otherTokens, senderToken: ether, receiverToken: plain },
        transferText.replace("zk:E:H:302", `zk:${plain.symbol}:302`)
      ],
      [deposit, laterDeposit],
      [
        byCoordinator,
        depositText(
          `{"toForgeL1TransactionsNum":null,"userOrigin":false,"depositAmount":"92","amountSuccess":false,"depositAmountSuccess":true,"historicDepositAmountUSD":null,"ethereumBlockNum":93}`
        )
      ]
    ],
    fullBatch: [[
      { batch, transactions: [deposit, transfer] },
      `{"batch":${batchText("72")},"transactions":[${laterDeposit},${transferText}]}`
    ]],
    slot: [
      [
        slot,
        `{"itemId":31,"slotNum":31,"firstBlock":32,"lastBlock":33,"openAuction":true,"bestBid":${bidText}}`
      ],
      [
        { ...slot, openAuction: false, closedAuction: true, bestBid: null },
        `{"itemId":31,"slotNum":31,"firstBlock":32,"lastBlock":33,"openAuction":false,"bestBid":null}`
      ]
    ],
    state: [
      [
        state,
        laterState(
          batchText("72"),
          `{"coordinator":${coordinatorText},"period":{"slotNum":104,${periodText}}}`
        )
      ],
      [emptyState, laterState("null", "")]
    ],
    config: [[constants, laterConfig]]
  },
  earlier: {
    ...common,
    transaction: [[transfer, transferText], [deposit, earlierDeposit]],
    fullBatch: [[
      { batch, transactions: [deposit, transfer] },
      `{"batch":${batchText("72")},"transactions":[${earlierDeposit},${transferText}]}`
    ]],
    slot: [
      [
        slot,
        `{"itemId":31,"slotNum":31,"firstBlock":32,"lastBlock":33,"closedAuction":false,"winner":${coordinatorText}}`
      ],
      [
        { ...slot, openAuction: false, closedAuction: true, winner: null },
        `{"itemId":31,"slotNum":31,"firstBlock":32,"lastBlock":33,"closedAuction":true,"winner":null}`
      ]
    ],
    state: [
      [
        state,
        earlierState(
          batchText("72"),
          `{"coordinator":${coordinatorText},"period":{${periodText}}}`,
          `{"totalItems":1,"firstItem":104,"lastItem":104}`
        )
      ],
      [emptyState, earlierState("null", "", `{"totalItems":0,"firstItem":null,"lastItem":null}`)]
    ],
    config: [[
      constants,
      configText(
        `"governanceDAOAddress":"${address(46)}","withdrawalDelayerAddress":"${
          address(48)
        }","safetyAddress":"${address(47)}"`,
        "limitLoadAmount"
      )
    ]]
  }
}

const { later: laterWritten } = written
written.v1 = {
  ...laterWritten!,
  ...v1Written,
  transaction: laterWritten!.transaction.map(([view, text]) => [view, v1L1Text(text)] as const),
  slot: laterWritten!.slot.map(([view, text]) =>
    [view, text.replace(withdrawAddrText, "")] as const
  )
}

for (const revision of revisionList) {
  describe(`in revision ${revision.name}`, () => {
    for (const [name, shape] of Object.entries(revision.shapes)) {
      it(`${name} is written to the last character, and accepted by its own schema`, () => {
        const write = writerOf(shape as Shape<unknown>, context)
        const codec = wireSchema(shape.schema, context)
        const decode = Schema.decodeUnknownSync(codec, { onExcessProperty: "error" })
        const encode = Schema.encodeSync(codec)
        for (const [view, text] of written[revision.name]![name as keyof Shapes]) {
          assert.strictEqual(write(view), text)
          assert.strictEqual(exactJson(encode(decode(parseExact(text)))), text)
        }
      })
    }
  })
}

describe("a schema", () => {
  it("refuses a list of another length than the fixed one, and an invalid address of the deployment", () => {
    const broken: ReadonlyArray<readonly [Revision, text: string, instead: string]> = [
      [later, `["1","2","3","4","5","6"]`, `["1","2","3","4","5"]`],
      [later, "[4000,3500,2500]", "[4000,3500,2500,0]"],
      [earlier, `"rollupAddress":"0x99`, `"rollupAddress":"0x9`],
      [later, `"transactionsPerBatch":1.25`, `"transactionsPerBatch":-1.25`]
    ]
    for (const [{ name, shapes }, text, instead] of broken) {
      const is = (json: unknown) =>
        Option.isSome(Schema.decodeUnknownOption(wireSchema(shapes.state.schema, context))(json))
      const whole = written[name]!.state[0]![1]
      assert.include(whole, text)
      assert.deepStrictEqual(
        [is(JSON.parse(whole)), is(JSON.parse(whole.replace(text, instead)))],
        [true, false]
      )
    }
  })
})
