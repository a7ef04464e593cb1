import { type Bucket, type StateView, withdrawalsLeft } from "../domain/mod.ts"
import { bodies } from "./bodies/mod.ts"
import { pendingItems } from "./page.ts"
import { strictRules } from "./request_rules.ts"
import type { Revision } from "./revision.ts"
import { bigCount } from "./scalars/mod.ts"
import * as shapes from "./shapes/mod.ts"
import { field, reference, revise } from "./wire_type.ts"

const transaction = shapes.historyTransaction(shapes.l1Info)

const rollup = shapes.stateRollup(revise(shapes.bucket, {
  put: {
    withdrawals: field(
      bigCount,
      (b: Bucket) => b.withdrawals,
      "Withdrawals that are left at lastSynchedBlock"
    )
  }
}))

/** Returns the variables with the withdrawals that their buckets allow at the last block. */
const rollupAtLastBlock = ({ lastSynchedBlock, variables }: StateView) => ({
  ...variables.rollup,
  buckets: variables.rollup.buckets.map((bucket) => ({
    ...bucket,
    withdrawals: withdrawalsLeft(bucket, lastSynchedBlock)
  }))
})

const state = revise(
  shapes.state({
    network: shapes.stateNetwork,
    metrics: shapes.metrics,
    rollup,
    auction: shapes.stateAuction,
    withdrawalDelayer: shapes.stateWithdrawalDelayer
  }),
  // the block of the last change of a bucket is not shown, so its withdrawals are up to date
  { put: { rollup: field(reference(rollup), rollupAtLastBlock) } }
)

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
  counts: { pendingItems },
  shapes: {
    account: shapes.account,
    exit: shapes.exit,
    transaction,
    batch: shapes.batch,
    fullBatch: shapes.fullBatch(transaction),
    slot: shapes.slot,
    bid: shapes.bid,
    token: shapes.token,
    coordinator: shapes.coordinator,
    state,
    config: shapes.config(shapes.configRollup(shapes.publicConstants)),
    poolTransaction: shapes.poolTransaction,
    authorization: shapes.authorization
  }
}
