import { Schema } from "effect"
import type { NextForger, StateView } from "../domain/mod.ts"
import { later } from "./later.ts"
import { strictRules } from "./request_rules.ts"
import type { Revision } from "./revision.ts"
import { count, ethBlockNum, ethereumAddress, itemId } from "./scalars/mod.ts"
import * as shapes from "./shapes/mod.ts"
import {
  documented,
  named,
  nullable,
  object,
  ofNetwork,
  omit,
  rename,
  shape,
  withFields
} from "./objects/mod.ts"

const pagination = object("PaginationInfo", "All matching items, not only those of the page", {
  totalItems: documented(count, "Number of items that match"),
  firstItem: documented(nullable(itemId), "Smallest itemId of them; null when nothing matches"),
  lastItem: documented(nullable(itemId), "Greatest itemId of them; null when nothing matches")
})

const transaction = shapes.transactionShape(rename(
  omit(shapes.l1Info, ["amountSuccess", "depositAmountSuccess"]),
  { depositAmount: "loadAmount", historicDepositAmountUSD: "historicLoadAmountUSD" }
))

/** The one list without pages: it always holds all items. */
const nextForgers = object("NextForgers", "Coordinators that will forge, by slot", {
  nextForgers: Schema.Array(shapes.nextForger(omit(shapes.period, ["slotNum"]))),
  pagination
})

const { currentSlot, lastBatch, lastSynchedBlock } = shapes.stateNetwork.fields
const { emergencyMode, withdrawalDelay } = shapes.stateWithdrawalDelayer.fields

const state = object(...shapes.stateDoc, {
  network: withFields(shapes.stateNetwork, {
    lastSynchedBlock: named("lastBlock", lastSynchedBlock),
    lastBatch,
    currentSlot,
    nextForgers
  }),
  metrics: omit(shapes.metrics, ["estimatedTimeToForgeL1"]),
  rollup: omit(
    shapes.stateRollup(withFields(shapes.bucket, {
      ...shapes.bucket.fields,
      blockStamp: documented(ethBlockNum, "Block of the last change")
    })),
    ["ethereumBlockNum"]
  ),
  auction: omit(shapes.stateAuction, [
    "ethereumBlockNum",
    "bootCoordinatorUrl",
    "defaultSlotSetBidSlotNum"
  ]),
  withdrawalDelayer: withFields(shapes.stateWithdrawalDelayer, {
    withdrawalDelay,
    emergencyMode,
    rollupAddress: ofNetwork(ethereumAddress, (network) => network.rollupAddress),
    governanceAddress: named("governanceDAOAddress", ethereumAddress),
    emergencyCouncilAddress: named("whiteHackGroupAddress", ethereumAddress),
    keeperAddress: ethereumAddress,
    emergencyModeStartingTime: documented(count, "Seconds since 1970")
  }),
  recommendedFee: shapes.recommendedFee
})

const stateView = (view: StateView) => {
  const { network, withdrawalDelayer, ...state } = shapes.stateView(view)
  const all = network.nextForgers
  return {
    ...state,
    network: {
      ...network,
      nextForgers: {
        nextForgers: all,
        pagination: {
          totalItems: all.length,
          firstItem: slotOf(all[0]),
          lastItem: slotOf(all[all.length - 1])
        }
      }
    },
    withdrawalDelayer: { ...withdrawalDelayer, rollupAddress: null }
  }
}
const slotOf = (forger: NextForger | undefined) => forger?.period.slotNum ?? null

const config = object(...shapes.configDoc, {
  rollup: withFields(shapes.rollupConstants, {
    publicConstants: rename(shapes.publicConstants, { governanceAddress: "governanceDAOAddress" }),
    ...shapes.rollupConstants.fields,
    limitDepositAmount: named(
      "limitLoadAmount",
      shapes.rollupConstants.fields.limitDepositAmount
    )
  }),
  auction: shapes.configAuction,
  withdrawalDelayer: shapes.configWithdrawalDelayer
})

/**
 * The previous revision, at `/earlier`: pages have `pagination`, deposits are called loads, and
 * filters select bids and won slots by forger.
 */
export const earlier: Revision = {
  name: "earlier",
  path: "/earlier",
  doc: "Pages have `pagination`, with the number of matching items",
  requestRules: strictRules,
  parameters: {
    ...later.parameters,
    exits: { onlyPendingWithdraws: null },
    slots: { maxSlotNum: "maxSlothNum", wonByBidder: null, bestBidder: null },
    bids: { bidderAddr: null }
  },
  unrestricted: ["bids"],
  bodies: later.bodies,
  counts: { fields: { pagination }, view: ({ counts }) => ({ pagination: counts }) },
  shapes: {
    ...later.shapes,
    transaction,
    fullBatch: shapes.fullBatch(transaction, shapes.batchShape),
    slot: shape(omit(shapes.slot, ["openAuction", "bestBid"]), shapes.slotView),
    state: shape(state, stateView),
    config: shape(config, shapes.configView)
  }
}
