import { bodies } from "./bodies/mod.ts"
import { pendingItems } from "./page.ts"
import { strictRules } from "./request_rules.ts"
import type { Revision } from "./revision.ts"
import * as shapes from "./shapes/mod.ts"

const transaction = shapes.historyTransaction(shapes.l1Info)

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
    slots: { wonByForger: null },
    bids: { forgerAddr: null },
    tokens: { addresses: null },
    coordinators: { bidderAddr: null, forgerAddr: null, onlyLatest: null }
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
    state: shapes.state({
      network: shapes.stateNetwork,
      metrics: shapes.metrics,
      rollup: shapes.stateRollup(shapes.bucket),
      auction: shapes.stateAuction,
      withdrawalDelayer: shapes.stateWithdrawalDelayer
    }),
    config: shapes.config(shapes.configRollup(shapes.publicConstants)),
    poolTransaction: shapes.poolTransaction,
    authorization: shapes.authorization
  }
}
