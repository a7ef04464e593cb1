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
  replaceObjects,
  withFields
} from "./objects/mod.ts"

const pagination = object("PaginationInfo", "All matching items, not only those of the page", {
  totalItems: documented(count, "Number of items that match"),
  firstItem: documented(nullable(itemId), "Smallest itemId of them; null when nothing matches"),
  lastItem: documented(nullable(itemId), "Greatest itemId of them; null when nothing matches")
})

const { currentSlot, lastBatch, lastSynchedBlock } = shapes.stateNetwork.fields
const { emergencyMode, withdrawalDelay } = shapes.stateWithdrawalDelayer.fields

const shown = replaceObjects(
  later.shapes,
  shapes.batch,
  rename(omit(shapes.l1Info, ["amountSuccess", "depositAmountSuccess"]), {
    depositAmount: "loadAmount",
    historicDepositAmountUSD: "historicLoadAmountUSD"
  }),
  omit(shapes.slot, ["openAuction", "bestBid"]),
  omit(shapes.period, ["slotNum"]),
  withFields(shapes.stateNetwork, {
    lastSynchedBlock: named("lastBlock", lastSynchedBlock),
    lastBatch,
    currentSlot,
    // the one list without pages: it always holds all items
    nextForgers: object("NextForgers", "Coordinators that will forge, by slot", {
      nextForgers: Schema.Array(shapes.nextForger),
      pagination
    })
  }),
  omit(shapes.stateRollup, ["ethereumBlockNum"]),
  withFields(shapes.bucket, {
    ...shapes.bucket.fields,
    blockStamp: documented(ethBlockNum, "Block of the last change")
  }),
  omit(shapes.stateAuction, [
    "ethereumBlockNum",
    "bootCoordinatorUrl",
    "defaultSlotSetBidSlotNum"
  ]),
  withFields(shapes.stateWithdrawalDelayer, {
    withdrawalDelay,
    emergencyMode,
    rollupAddress: ofNetwork(ethereumAddress, (network) => network.rollupAddress),
    governanceAddress: named("governanceDAOAddress", ethereumAddress),
    emergencyCouncilAddress: named("whiteHackGroupAddress", ethereumAddress),
    keeperAddress: ethereumAddress,
    emergencyModeStartingTime: documented(count, "Seconds since 1970")
  }),
  rename(shapes.publicConstants, { governanceAddress: "governanceDAOAddress" }),
  rename(shapes.rollupConstants, { limitDepositAmount: "limitLoadAmount" })
)

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
  shapes: { ...shown, state: { ...shown.state, view: stateView } }
}
