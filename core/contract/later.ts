import { type StateView, withdrawalsLeft } from "../domain/mod.ts"
import { bodies } from "./bodies/mod.ts"
import { strictRules } from "./request_rules.ts"
import { pendingItems, type Revision } from "./revision.ts"
import { bigCount } from "./scalars/mod.ts"
import * as shapes from "./shapes/mod.ts"
import { documented, object, omit, shape, shapeOf, withFields } from "./objects/mod.ts"

const transaction = shapes.transactionShape(shapes.l1Info)

const bucket = withFields(shapes.bucket, {
  ...shapes.bucket.fields,
  withdrawals: documented(bigCount, "Withdrawals that are left at lastSynchedBlock")
})

const state = object(...shapes.stateDoc, {
  network: omit(shapes.stateNetwork, ["pendingL1Transactions"]),
  metrics: omit(shapes.metrics, ["estimatedTimeToForgeL1"]),
  rollup: shapes.stateRollup(bucket),
  auction: omit(shapes.stateAuction, ["defaultSlotSetBidSlotNum"]),
  withdrawalDelayer: shapes.stateWithdrawalDelayer,
  recommendedFee: shapes.recommendedFee
})

/** The block of the last change of a bucket is not shown, so its withdrawals are up to date. */
const stateAtLastBlock = (state: StateView) => {
  const { rollup, ...parts } = shapes.stateView(state)
  const buckets = rollup.buckets.map((bucket) => ({
    ...bucket,
    withdrawals: withdrawalsLeft(bucket, state.lastSynchedBlock)
  }))
  return { ...parts, rollup: { ...rollup, buckets } }
}

const config = object(...shapes.configDoc, {
  rollup: withFields(shapes.rollupConstants, {
    publicConstants: omit(shapes.publicConstants, ["safetyAddress"]),
    ...shapes.rollupConstants.fields
  }),
  auction: shapes.configAuction,
  withdrawalDelayer: shapes.configWithdrawalDelayer
})

/**
 * The default revision, at `/`: pages have `pendingItems`; bids and won slots are found by bidder.
 *
 * @example
 * ```ts
 * import { later } from "rollup-node-api"
 *
 * console.log(later.name, later.path) // => later /
 * ```
 */
export const later: Revision = {
  name: "later",
  path: "/",
  doc: "Pages have `pendingItems`, the number of items that follow",
  requestRules: strictRules,
  parameters: {
    transactions: {
      fromAccountIndex: null,
      toAccountIndex: null,
      fromAddress: null,
      toAddress: null,
      fromPublicKey: null,
      toPublicKey: null,
      includePending: null
    },
    slots: { wonByForger: null, bestBidder: null },
    bids: { forgerAddr: null },
    tokens: { addresses: null },
    coordinators: { bidderAddr: null, forgerAddr: null, onlyLatest: null },
    pool: { onlyUnfinished: null }
  },
  unrestricted: [],
  bodies,
  counts: pendingItems,
  shapes: {
    account: shapes.accountShape,
    exit: shape(omit(shapes.exit, ["publicKey", "address"]), shapes.exitView),
    transaction,
    batch: shapes.batchShape,
    fullBatch: shapes.fullBatch(transaction, shapes.batchShape),
    slot: shape(omit(shapes.slot, ["closedAuction", "winner"]), shapes.slotView),
    bid: shape(shapes.bid, shapes.bidView),
    token: shapeOf(shapes.token),
    coordinator: shapeOf(shapes.coordinator),
    state: shape(state, stateAtLastBlock),
    config: shape(config, shapes.configView),
    poolTransaction: shape(
      omit(shapes.poolTransaction, [
        "itemId",
        "info",
        "errorCode",
        "errorType",
        "toPublicKeyAgain",
        "maxNumBatch",
        "requestOffset"
      ]),
      shapes.poolTransactionView
    ),
    authorization: shapes.authorization
  }
}
