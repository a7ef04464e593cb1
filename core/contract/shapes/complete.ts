import type { Shapes } from "../items.ts"
import { shapeOf } from "../objects/mod.ts"
import { bidShape, coordinator, slotShape } from "./auction.ts"
import { configShape } from "./config.ts"
import * as history from "./history.ts"
import { authorization, poolTransactionShape } from "./pool.ts"
import { stateShape } from "./state.ts"

/** The objects of the contract with all fields that a revision shows; each revision replaces some. */
export const complete: Shapes = {
  account: history.accountShape,
  exit: history.exitShape,
  transaction: history.transactionShape,
  batch: history.batchShape,
  fullBatch: history.fullBatchShape,
  slot: slotShape,
  bid: bidShape,
  token: shapeOf(history.token),
  coordinator: shapeOf(coordinator),
  state: stateShape,
  config: configShape,
  poolTransaction: poolTransactionShape,
  authorization
}
