import { type StateView, withdrawalsLeft } from "../domain/mod.ts"
import { bodies } from "./bodies/mod.ts"
import { strictRules } from "./request_rules.ts"
import { pendingItems, type Revision } from "./revision.ts"
import { bigCount } from "./scalars/mod.ts"
import * as shapes from "./shapes/mod.ts"
import { documented, omit, replaceObjects, withFields } from "./objects/mod.ts"

const shown = replaceObjects(
  shapes.complete,
  omit(shapes.exit, ["publicKey", "address"]),
  shapes.l1Info,
  shapes.batch,
  omit(shapes.slot, ["closedAuction", "winner"]),
  omit(shapes.stateNetwork, ["pendingL1Transactions"]),
  omit(shapes.metrics, ["estimatedTimeToForgeL1"]),
  withFields(shapes.bucket, {
    ...shapes.bucket.fields,
    withdrawals: documented(bigCount, "Withdrawals that are left at lastSynchedBlock")
  }),
  omit(shapes.stateAuction, ["defaultSlotSetBidSlotNum"]),
  omit(shapes.publicConstants, ["safetyAddress"]),
  omit(shapes.poolTransaction, [
    "itemId",
    "info",
    "errorCode",
    "errorType",
    "toPublicKeyAgain",
    "maxNumBatch",
    "requestOffset"
  ])
)

/** The block of the last change of a bucket is not shown, so its withdrawals are up to date. */
const stateAtLastBlock = (state: StateView) => {
  const { rollup, ...parts } = shapes.stateView(state)
  const buckets = rollup.buckets.map((bucket) => ({
    ...bucket,
    withdrawals: withdrawalsLeft(bucket, state.lastSynchedBlock)
  }))
  return { ...parts, rollup: { ...rollup, buckets } }
}

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
  shapes: { ...shown, state: { ...shown.state, view: stateAtLastBlock } }
}
