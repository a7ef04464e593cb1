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
  queueNum,
  slotNum,
  usd
} from "../scalars/mod.ts"
import { field, reference, type Shape, shape, arrayOf, mapOf, nullable } from "../wire_type.ts"

export const batch = shape<Batch>("Batch", "Group of transactions forged together", {
  itemId: field(itemId, (b) => b.itemId),
  batchNum: field(batchNum, (b) => b.batchNum),
  ethereumBlockNum: field(ethBlockNum, (b) => b.ethereumBlockNum),
  ethereumBlockHash: field(hash, (b) => b.ethereumBlockHash),
  timestamp: field(dateTime, (b) => b.timestampMs, "Time of the Ethereum block"),
  forgerAddr: field(ethereumAddress, (b) => b.forgerAddr),
  collectedFees: field(
    mapOf(bigInt, "Units collected, by token identifier: at most 64"),
    (b) => b.collectedFees
  ),
  historicTotalCollectedFeesUSD: field(
    usd,
    (b) => b.historicTotalCollectedFeesUSD,
    "Worth of the fees when the batch was forged"
  ),
  stateRoot: field(bigInt, (b) => b.stateRoot),
  numAccounts: field(count, (b) => b.numAccounts, "Accounts created in this batch"),
  exitRoot: field(bigInt, (b) => b.exitRoot),
  forgeL1TransactionsNum: field(
    nullable(queueNum),
    (b) => b.forgeL1TransactionsNum,
    "Queue of L1 user transactions that this batch forged"
  ),
  slotNum: field(slotNum, (b) => b.slotNum)
})

/** @param of the batch in the revision */
export const fullBatch = (transaction: Shape<TransactionView>, of: Shape<Batch> = batch) =>
  shape<FullBatch>("FullBatch", "Batch with all its transactions", {
    batch: field(reference(of), (f) => f.batch),
    transactions: field(
      arrayOf(reference(transaction), { doc: "Ascending by position" }),
      (f) => f.transactions
    )
  })
