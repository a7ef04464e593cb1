import { Schema } from "effect"
import type { Batch, FullBatch, TransactionView } from "../../domain/mod.ts"
import {
  batchNum,
  bigInt,
  count,
  dateTime,
  ethBlockNum,
  ethereumAddress,
  hash,
  itemId,
  knownHash,
  queueNum,
  slotNum,
  tokenAmounts,
  usd
} from "../scalars/mod.ts"
import { documented, named, nullable, object, type Shape, shape } from "../objects/mod.ts"

/** The last two fields are those of `v1`. */
export const batch = object("Batch", "Group of transactions forged together", {
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

/**
 * @param transaction the transaction in the revision
 * @param of the batch in the revision
 */
export const fullBatch = (transaction: Shape<TransactionView>, of: Shape<Batch>) =>
  shape(
    object("FullBatch", "Batch with all its transactions", {
      batch: of.schema,
      transactions: documented(Schema.Array(transaction.schema), "Ascending by position")
    }),
    ({ batch, transactions }: FullBatch) => ({
      batch: of.view(batch),
      transactions: transactions.map(transaction.view)
    })
  )
