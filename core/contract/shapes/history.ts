import type {
  Token,
  AccountView,
  L1Part,
  L2Part,
  Transaction,
  TransactionView,
  ExitView,
  MerkleProof
} from "../../domain/mod.ts"
import {
  count,
  dateTime,
  ethBlockNum,
  ethereumAddress,
  itemId,
  text,
  tokenId,
  usd,
  accountReference,
  bigInt,
  nonce,
  prefixedAddress,
  publicKey,
  batchNum,
  boolean,
  feeSelector,
  layer,
  position,
  queueNum,
  transactionId,
  transactionType,
  proofFunction
} from "../scalars/mod.ts"
import { field, shape, nullable, reference, type Shape, arrayOf } from "../wire_type.ts"

export const token = shape<Token>("Token", "Token registered in the network", {
  id: field(tokenId, (t) => t.id),
  ethereumAddress: field(
    ethereumAddress,
    (t) => t.ethereumAddress,
    "Ethereum address of the token contract"
  ),
  itemId: field(itemId, (t) => t.itemId),
  name: field(text, (t) => t.name, "Full name of the token"),
  symbol: field(text, (t) => t.symbol, "Abbreviated name of the token"),
  decimals: field(count, (t) => t.decimals, "One whole token is 10^decimals units"),
  ethereumBlockNum: field(
    ethBlockNum,
    (t) => t.ethereumBlockNum,
    "Block in which the token was registered"
  ),
  USD: field(nullable(usd), (t) => t.priceUSD, "Price of one whole token"),
  fiatUpdate: field(nullable(dateTime), (t) => t.priceTimeMs, "When the price was set")
})

export const account = shape<AccountView>(
  "Account",
  "Leaf of the state tree: the balance of one owner in one token",
  {
    itemId: field(itemId, (v) => v.account.itemId),
    accountIndex: field(
      accountReference,
      (v) => ({ symbol: v.token.symbol, index: v.account.index })
    ),
    nonce: field(nonce, (v) => v.account.nonce),
    balance: field(bigInt, (v) => v.account.balance, "Units of the token"),
    bjj: field(publicKey, (v) => v.account.publicKey),
    zkEthereumAddress: field(prefixedAddress, (v) => v.account.address),
    token: field(reference(token), (v) => v.token)
  }
)

export const l1Info = shape<L1Part>("L1Info", "Properties of L1 transactions", {
  toForgeL1TransactionsNum: field(
    nullable(queueNum),
    (l1) => l1.toForgeL1TransactionsNum,
    "Queue of the transaction; null if a coordinator sent it"
  ),
  userOrigin: field(
    boolean,
    (l1) => l1.userOrigin,
    "Whether a user sent it, not a coordinator"
  ),
  depositAmount: field(bigInt, (l1) => l1.depositAmount, "Units that move from L1 to L2"),
  amountSuccess: field(
    boolean,
    (l1) => l1.amountSuccess,
    "Whether the amount took effect; false until forged"
  ),
  depositAmountSuccess: field(
    boolean,
    (l1) => l1.depositAmountSuccess,
    "Whether the deposit took effect; false until forged"
  ),
  historicDepositAmountUSD: field(
    nullable(usd),
    (l1) => l1.historicDepositAmountUSD,
    "Worth of the deposit when the transaction was made"
  ),
  ethereumBlockNum: field(
    ethBlockNum,
    (l1) => l1.ethereumBlockNum,
    "Block in which the transaction entered the queue"
  )
})

const l2Info = shape<L2Part>("L2Info", "Properties of L2 transactions", {
  fee: field(feeSelector, (l2) => l2.fee),
  historicFeeUSD: field(
    nullable(usd),
    (l2) => l2.historicFeeUSD,
    "Worth of the fee when the transaction was forged"
  ),
  nonce: field(nonce, (l2) => l2.nonce)
})

const indexOf = (index: number | null, token: Token) =>
  index === null ? null : { symbol: token.symbol, index }
const of = <T>(get: (transaction: Transaction) => T) => (view: TransactionView) =>
  get(view.transaction)

/** @param l1 the L1 part in the revision */
export const historyTransaction = (l1: Shape<L1Part>) =>
  shape<TransactionView>("HistoryTransaction", "Transaction of the network", {
    L1orL2: field(layer, of((t) => t.l1 === null ? "L2" : "L1")),
    id: field(transactionId, of((t) => t.id)),
    itemId: field(itemId, of((t) => t.itemId)),
    type: field(transactionType, of((t) => t.type)),
    position: field(position, of((t) => t.position)),
    fromAccountIndex: field(
      nullable(accountReference),
      (v) => indexOf(v.transaction.fromAccountIndex, v.senderToken ?? v.token)
    ),
    fromZkEthereumAddress: field(nullable(prefixedAddress), of((t) => t.fromAddress)),
    fromBJJ: field(nullable(publicKey), of((t) => t.fromPublicKey)),
    toAccountIndex: field(
      accountReference,
      (v) => ({
        symbol: (v.receiverToken ?? v.token).symbol,
        index: v.transaction.toAccountIndex
      })
    ),
    toZkEthereumAddress: field(nullable(prefixedAddress), of((t) => t.toAddress)),
    toBJJ: field(nullable(publicKey), of((t) => t.toPublicKey)),
    amount: field(bigInt, of((t) => t.amount), "Units of the token"),
    batchNum: field(
      nullable(batchNum),
      of((t) => t.batchNum),
      "Batch that forged it; null until then"
    ),
    historicUSD: field(
      nullable(usd),
      of((t) => t.historicUSD),
      "Worth of the amount when the transaction was made"
    ),
    timestamp: field(
      dateTime,
      of((t) => t.timestampMs),
      "L1 user transaction: when it entered the queue; otherwise when it was forged"
    ),
    token: field(reference(token), (v) => v.token),
    L1Info: field(nullable(reference(l1)), of((t) => t.l1)),
    L2Info: field(nullable(reference(l2Info)), of((t) => t.l2))
  })

const merkleProof = shape<MerkleProof>(
  "MerkleProof",
  "Proof that the leaf is in the exit tree of the batch",
  {
    root: field(bigInt, (p) => p.root, "Exit root of the batch"),
    siblings: field(
      arrayOf(bigInt),
      (p) => p.siblings,
      "From the root downwards, without trailing zeros"
    ),
    oldKey: field(bigInt, (p) => p.oldKey),
    oldValue: field(bigInt, (p) => p.oldValue),
    isOld0: field(boolean, (p) => p.isOld0),
    key: field(bigInt, (p) => p.key, "Account index as a number"),
    value: field(bigInt, (p) => p.value, "Hash of the leaf"),
    fnc: field(proofFunction, (p) => p.fnc, "0: the leaf is in the tree")
  }
)

const nullableBlock = nullable(ethBlockNum)

export const exit = shape<ExitView>("Exit", "Leaf of an exit tree, with its withdrawal data", {
  batchNum: field(batchNum, (v) => v.exit.batchNum),
  accountIndex: field(
    accountReference,
    (v) => ({ symbol: v.token.symbol, index: v.exit.accountIndex })
  ),
  itemId: field(itemId, (v) => v.exit.itemId),
  merkleProof: field(reference(merkleProof), (v) => v.exit.merkleProof),
  balance: field(bigInt, (v) => v.exit.balance, "Units that the account exits with"),
  instantWithdrawn: field(
    nullableBlock,
    (v) => v.exit.instantWithdrawn,
    "Ethereum block of the instant withdrawal"
  ),
  delayedWithdrawRequest: field(
    nullableBlock,
    (v) => v.exit.delayedWithdrawRequest,
    "Ethereum block in which the withdrawal went to the delayer"
  ),
  delayedWithdrawn: field(
    nullableBlock,
    (v) => v.exit.delayedWithdrawn,
    "Ethereum block in which the delayed withdrawal was collected"
  ),
  token: field(reference(token), (v) => v.token)
})
