import type { L1Part, L2Part, Token, Transaction, TransactionView } from "../../domain/mod.ts"
import {
  accountReference,
  batchNum,
  bigInt,
  boolean,
  dateTime,
  ethBlockNum,
  feeSelector,
  itemId,
  layer,
  nonce,
  position,
  prefixedAddress,
  publicKey,
  queueNum,
  transactionId,
  transactionType,
  usd
} from "../scalars/mod.ts"
import { field, reference, type Shape, shape, volatileField } from "../shape.ts"
import { nullable } from "../wire_type.ts"
import { token } from "./token.ts"

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
      (v) => indexOf(v.transaction.fromAccountIndex, v.token)
    ),
    fromZkEthereumAddress: field(nullable(prefixedAddress), of((t) => t.fromAddress)),
    fromBJJ: field(nullable(publicKey), of((t) => t.fromPublicKey)),
    toAccountIndex: field(
      accountReference,
      (v) => ({ symbol: v.token.symbol, index: v.transaction.toAccountIndex })
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
    token: volatileField(field(reference(token), (v) => v.token)),
    L1Info: field(nullable(reference(l1)), of((t) => t.l1)),
    L2Info: field(nullable(reference(l2Info)), of((t) => t.l2))
  }, (v) => [v.transaction, v.token.symbol])
