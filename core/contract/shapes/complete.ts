import type { Shapes } from "../items.ts"
import { shapeOf } from "../objects/mod.ts"
import { bidShape, coordinator, slotShape } from "./auction.ts"
import { configShape } from "./config.ts"
import * as history from "./history.ts"
import { authorization, poolTransactionShape } from "./pool.ts"
import { stateShape } from "./state.ts"

/**
 * The objects of the contract with the fields of all revisions. Each revision replaces those that it
 * shows with fewer fields, with other names, or with fields that no other one has.
 */
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
