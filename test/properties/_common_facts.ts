/*
 * The facts that both revisions contain, under the names of the later one. Written by hand from the
 * differences that the contract lists, independently of the code that makes them.
 */

/** Names of the earlier revision and of the later one. */
const renamed: { readonly [name: string]: string } = {
  loadAmount: "depositAmount",
  historicLoadAmountUSD: "historicDepositAmountUSD",
  limitLoadAmount: "limitDepositAmount",
  governanceDAOAddress: "governanceAddress",
  whiteHackGroupAddress: "emergencyCouncilAddress",
  lastBlock: "lastSynchedBlock"
}

/** Properties that only one of the revisions has, by the end of their path. */
const alone = [
  "amountSuccess",
  "depositAmountSuccess",
  "pendingItems",
  "pagination",
  "openAuction",
  "bestBid",
  "closedAuction",
  "winner",
  "safetyAddress",
  "network/lastEthereumBlock",
  "bootCoordinatorUrl",
  "rollup/ethereumBlockNum",
  "auction/ethereumBlockNum",
  "withdrawalDelayer/ethereumBlockNum",
  "period/slotNum",
  "blockStamp",
  "state/withdrawalDelayer/rollupAddress",
  "keeperAddress",
  "emergencyModeStartingBlock",
  "emergencyModeStartingTime"
]

const endings = alone.map((end) => `/${end}`)
const isAlone = new Map<string, boolean>()
/** Returns whether only one of the revisions has a property. */
function standsAlone(path: string): boolean {
  let stands = isAlone.get(path)
  if (stands === undefined) {
    isAlone.set(
      path,
      stands = endings.some((end) => `/${path}`.endsWith(end))
    )
  }
  return stands
}

/**
 * @param root the name of the object: `state` and `config` use the same names for different things
 */
export function commonFacts(value: unknown, root: string): unknown {
  if (Array.isArray(value)) return value.map((item) => commonFacts(item, root))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inside]) => {
      const common = renamed[name] ?? name
      const path = `${root}/${common}`
      if (standsAlone(path)) return []
      // the earlier revision wraps the next forgers in an object
      const unwrapped = path === "state/network/nextForgers" && !Array.isArray(inside)
        ? (inside as { readonly nextForgers: unknown }).nextForgers
        : inside
      return [[common, commonFacts(unwrapped, path)]]
    })
  )
}
