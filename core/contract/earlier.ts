import type {
  Bucket,
  NetworkState,
  NextForger,
  RollupConstants,
  SlotView,
  WithdrawalDelayerVariables
} from "../domain/mod.ts"
import type { PageCounts, PageView } from "./items.ts"
import { later } from "./later.ts"
import { strictRules } from "./request_rules.ts"
import type { Revision } from "./revision.ts"
import { field, reference, revise, shape, arrayOf, nullable, type WireType } from "./wire_type.ts"
import { boolean, count, ethBlockNum, ethereumAddress, itemId } from "./scalars/mod.ts"
import * as shapes from "./shapes/mod.ts"

const pagination = shape<PageCounts>(
  "PaginationInfo",
  "All matching items, not only those of the page",
  {
    totalItems: field(count, (c) => c.totalItems, "Number of items that match"),
    firstItem: field(
      nullable(itemId),
      (c) => c.firstItem,
      "Smallest itemId of them; null when nothing matches"
    ),
    lastItem: field(
      nullable(itemId),
      (c) => c.lastItem,
      "Greatest itemId of them; null when nothing matches"
    )
  }
)

const transaction = shapes.historyTransaction(revise(shapes.l1Info, {
  rename: { depositAmount: "loadAmount", historicDepositAmountUSD: "historicLoadAmountUSD" },
  omit: ["amountSuccess", "depositAmountSuccess"]
}))

const slot = revise(shapes.slot, {
  omit: ["openAuction", "bestBid"],
  put: {
    closedAuction: field(
      boolean,
      (s: SlotView) => s.closedAuction,
      "Whether the auction is closed"
    ),
    winner: field(
      nullable(reference(shapes.coordinator)),
      (s: SlotView) => s.winner,
      "Winner of the closed auction; null before, and if no bid won"
    )
  }
})

/** The one list without pages: it always holds all items. */
const nextForgers = shape<NetworkState>("NextForgers", "Coordinators that will forge, by slot", {
  nextForgers: field(
    arrayOf(reference(shapes.nextForger(revise(shapes.period, { omit: ["slotNum"] })))),
    (s) => s.nextForgers
  ),
  pagination: field(reference(pagination), ({ nextForgers: all }) => ({
    pendingItems: 0,
    totalItems: all.length,
    firstItem: slotOf(all[0]),
    lastItem: slotOf(all[all.length - 1])
  }))
})
const slotOf = (forger: NextForger | undefined) => forger?.period.slotNum ?? null

const network = revise(shapes.stateNetwork, {
  rename: { lastSynchedBlock: "lastBlock" },
  omit: ["lastEthereumBlock"],
  put: { nextForgers: field(reference(nextForgers), (s: NetworkState) => s) }
})

const bucket = revise(shapes.bucket, {
  put: { blockStamp: field(ethBlockNum, (b: Bucket) => b.blockStamp, "Block of the last change") }
})

/** A constant of the deployment, shown among the variables. */
const rollupAddress: WireType<unknown> = {
  ...ethereumAddress,
  write: ({ network }) => () => `"${network.rollupAddress}"`,
  valueIn: ({ network }) => () => network.rollupAddress
}

const withdrawalDelayer = revise(shapes.stateWithdrawalDelayer, {
  omit: [
    "ethereumBlockNum",
    "governanceAddress",
    "emergencyCouncilAddress",
    "emergencyModeStartingBlock"
  ],
  put: {
    rollupAddress: field(rollupAddress, (v: WithdrawalDelayerVariables) => v),
    governanceDAOAddress: field(
      ethereumAddress,
      (v: WithdrawalDelayerVariables) => v.governanceAddress
    ),
    whiteHackGroupAddress: field(
      ethereumAddress,
      (v: WithdrawalDelayerVariables) => v.emergencyCouncilAddress
    ),
    keeperAddress: field(ethereumAddress, (v: WithdrawalDelayerVariables) => v.keeperAddress),
    emergencyModeStartingTime: field(
      count,
      (v: WithdrawalDelayerVariables) => v.emergencyModeStartingTime,
      "Seconds since 1970"
    )
  }
})

const publicConstants = revise(shapes.publicConstants, {
  rename: { governanceAddress: "governanceDAOAddress" },
  put: { safetyAddress: field(ethereumAddress, (c: RollupConstants) => c.safetyAddress) }
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
  counts: { pagination: field(reference(pagination), ({ counts }: PageView) => counts) },
  shapes: {
    ...later.shapes,
    transaction,
    fullBatch: shapes.fullBatch(transaction),
    slot,
    state: shapes.state({
      network,
      metrics: shapes.metrics,
      rollup: revise(shapes.stateRollup(bucket), { omit: ["ethereumBlockNum"] }),
      auction: revise(shapes.stateAuction, { omit: ["ethereumBlockNum", "bootCoordinatorUrl"] }),
      withdrawalDelayer
    }),
    config: shapes.config(
      revise(shapes.configRollup(publicConstants), {
        rename: { limitDepositAmount: "limitLoadAmount" }
      })
    )
  }
}
