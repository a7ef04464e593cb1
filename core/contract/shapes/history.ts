import type { AccountView, FullBatch, ExitView, Token, TransactionView } from "../../domain/mod.ts"
import { Schema } from "effect"
import {
  accountReference,
  batchNum,
  bigInt,
  boolean,
  count,
  dateTime,
  ethBlockNum,
  ethereumAddress,
  feeSelector,
  hash,
  itemId,
  knownHash,
  layer,
  nonce,
  position,
  prefixedAddress,
  proofFunction,
  publicKey,
  queueNum,
  slotNum,
  text,
  tokenAmounts,
  tokenId,
  transactionId,
  transactionType,
  usd
} from "../scalars/mod.ts"
import { documented, named, nullable, object, omit, shape, shapeOf } from "../objects/mod.ts"

export const token = object("Token", "Token registered in the network", {
  id: tokenId,
  ethereumAddress: documented(ethereumAddress, "Ethereum address of the token contract"),
  itemId,
  name: documented(text, "Full name of the token"),
  symbol: documented(text, "Abbreviated name of the token"),
  decimals: documented(count, "One whole token is 10^decimals units"),
  ethereumBlockNum: documented(ethBlockNum, "Block in which the token was registered"),
  priceUSD: named("USD", nullable(usd), "Price of one whole token"),
  priceTimeMs: named("fiatUpdate", nullable(dateTime), "When the price was set")
}).annotate({ isShared: true })

const account = object(
  "Account",
  "Leaf of the state tree: the balance of one owner in one token",
  {
    itemId,
    index: named("accountIndex", accountReference),
    nonce,
    balance: documented(bigInt, "Units of the token"),
    publicKey: named("bjj", publicKey),
    address: named("zkEthereumAddress", prefixedAddress),
    token
  }
)
export const accountShape = shape(account, ({ account, token }: AccountView) => ({
  itemId: account.itemId,
  index: { symbol: token.symbol, index: account.index },
  nonce: account.nonce,
  balance: account.balance,
  publicKey: account.publicKey,
  address: account.address,
  token
}))

const publishedL1Info = object("L1Info", "Properties of L1 transactions", {
  toForgeL1TransactionsNum: documented(
    nullable(queueNum),
    "Queue of the transaction; null if a coordinator sent it"
  ),
  userOrigin: documented(boolean, "Whether a user sent it, not a coordinator"),
  depositAmount: documented(bigInt, "Units that move from L1 to L2"),
  amountSuccess: documented(boolean, "Whether the amount took effect; false until forged"),
  depositAmountSuccess: documented(boolean, "Whether the deposit took effect; false until forged"),
  historicDepositAmountUSD: documented(
    nullable(usd),
    "Worth of the deposit when the transaction was made"
  ),
  ethereumBlockNum: documented(ethBlockNum, "Block in which the transaction entered the queue"),
  ethereumTxHash: documented(
    knownHash,
    "Ethereum transaction that queued it or forged it; zero if unknown"
  ),
  l1Fee: documented(
    nullable(bigInt),
    "Fee of that Ethereum transaction in wei; null if unknown"
  )
})

/** The L1 part without the fields of `v1`. */
export const l1Info = omit(publishedL1Info, ["ethereumTxHash", "l1Fee"])

const l2Info = object("L2Info", "Properties of L2 transactions", {
  fee: feeSelector,
  historicFeeUSD: documented(nullable(usd), "Worth of the fee when the transaction was forged"),
  nonce
})

const transaction = object("HistoryTransaction", "Transaction of the network", {
  layer: named("L1orL2", layer),
  id: transactionId,
  itemId,
  type: transactionType,
  position,
  fromAccountIndex: nullable(accountReference),
  fromAddress: named("fromZkEthereumAddress", nullable(prefixedAddress)),
  fromPublicKey: named("fromBJJ", nullable(publicKey)),
  toAccountIndex: accountReference,
  toAddress: named("toZkEthereumAddress", nullable(prefixedAddress)),
  toPublicKey: named("toBJJ", nullable(publicKey)),
  amount: documented(bigInt, "Units of the token"),
  batchNum: documented(nullable(batchNum), "Batch that forged it; null until then"),
  historicUSD: documented(
    nullable(usd),
    "Worth of the amount when the transaction was forged; null until then"
  ),
  timestampMs: named(
    "timestamp",
    dateTime,
    "L1 user transaction: when it entered the queue; otherwise when it was forged"
  ),
  token,
  l1: named("L1Info", nullable(publishedL1Info)),
  l2: named("L2Info", nullable(l2Info))
})

const transactionView = (
  { receiverToken, senderToken, token, transaction }: TransactionView
) => ({
  layer: transaction.l1 === null ? "L2" as const : "L1" as const,
  id: transaction.id,
  itemId: transaction.itemId,
  type: transaction.type,
  position: transaction.position,
  fromAccountIndex: referenceTo(transaction.fromAccountIndex, senderToken ?? token),
  fromAddress: transaction.fromAddress,
  fromPublicKey: transaction.fromPublicKey,
  toAccountIndex: {
    symbol: (receiverToken ?? token).symbol,
    index: transaction.toAccountIndex
  },
  toAddress: transaction.toAddress,
  toPublicKey: transaction.toPublicKey,
  amount: transaction.amount,
  batchNum: transaction.batchNum,
  historicUSD: transaction.historicUSD,
  timestampMs: transaction.timestampMs,
  token,
  l1: transaction.l1,
  l2: transaction.l2
})
const referenceTo = (index: number | null, { symbol }: Token) =>
  index === null ? null : { symbol, index }

export const transactionShape = shape(transaction, transactionView)

const merkleProof = object(
  "MerkleProof",
  "Proof that the leaf is in the exit tree of the batch",
  {
    root: documented(bigInt, "Exit root of the batch"),
    siblings: documented(
      Schema.Array(bigInt),
      "From the root downwards, without trailing zeros"
    ),
    oldKey: bigInt,
    oldValue: bigInt,
    isOld0: boolean,
    key: documented(bigInt, "Account index as a number"),
    value: documented(bigInt, "Hash of the leaf"),
    fnc: documented(proofFunction, "0: the leaf is in the tree")
  }
)

/** The last two fields are those of `v1`. */
export const exit = object("Exit", "Leaf of an exit tree, with its withdrawal data", {
  batchNum,
  accountIndex: accountReference,
  itemId,
  merkleProof,
  balance: documented(bigInt, "Units that the account exits with"),
  instantWithdrawn: documented(
    nullable(ethBlockNum),
    "Ethereum block of the instant withdrawal"
  ),
  delayedWithdrawRequest: documented(
    nullable(ethBlockNum),
    "Ethereum block in which the withdrawal went to the delayer"
  ),
  delayedWithdrawn: documented(
    nullable(ethBlockNum),
    "Ethereum block in which the delayed withdrawal was collected"
  ),
  token,
  publicKey: named("bjj", publicKey),
  address: named("zkEthereumAddress", prefixedAddress)
})
const exitView = ({ exit, token }: ExitView) => ({
  ...exit,
  accountIndex: { symbol: token.symbol, index: exit.accountIndex },
  token
})

export const exitShape = shape(exit, exitView)

export const publishedBatch = object("Batch", "Group of transactions forged together", {
  itemId,
  batchNum,
  ethereumBlockNum: ethBlockNum,
  ethereumBlockHash: hash,
  timestampMs: named("timestamp", dateTime, "Time of the Ethereum block"),
  forgerAddr: ethereumAddress,
  collectedFees: documented(
    tokenAmounts,
    "Units collected, by token identifier: at most 64"
  ),
  historicTotalCollectedFeesUSD: documented(usd, "Worth of the fees when the batch was forged"),
  stateRoot: bigInt,
  numAccounts: documented(count, "Accounts created in this batch"),
  exitRoot: bigInt,
  forgeL1TransactionsNum: documented(
    nullable(queueNum),
    "Queue of L1 user transactions that this batch forged"
  ),
  slotNum,
  forgedTransactions: documented(count, "Number of transactions"),
  ethereumTxHash: documented(
    knownHash,
    "Ethereum transaction that forged the batch; zero if unknown"
  )
})

/** The batch without the fields of `v1`. */
export const batch = omit(publishedBatch, ["forgedTransactions", "ethereumTxHash"])
export const batchShape = shapeOf(publishedBatch)

export const fullBatchShape = shape(
  object("FullBatch", "Batch with all its transactions", {
    batch: publishedBatch,
    transactions: documented(Schema.Array(transaction), "Ascending by position")
  }),
  ({ batch, transactions }: FullBatch) => ({
    batch,
    transactions: transactions.map(transactionView)
  })
)
