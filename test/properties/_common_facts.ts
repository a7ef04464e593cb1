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
  // what is left in later, and what was left after the last change in the others
  "buckets/withdrawals",
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

/** Names of `v1` and of `later`. */
const renamedInV1: { readonly [name: string]: string } = {
  instantWithdraw: "instantWithdrawn",
  delayedWithdraw: "delayedWithdrawn",
  tokenAccounts: "totalAccounts",
  wallets: "totalBJJs",
  hermezGovernanceAddress: "governanceAddress",
  rateBlocks: "blockWithdrawalRate",
  hermez: "rollup",
  tokenHEZ: "governanceToken",
  hermezAuctionContract: "auctionAddress",
  withdrawDelayerContract: "withdrawalDelayerAddress",
  hermezRollup: "rollupAddress"
}

/** Properties that only one of the two has, by the end of their path. */
const aloneInV1 = [
  "exits/bjj",
  "exits/zkEthereumAddress",
  "exit/bjj",
  "exit/zkEthereumAddress",
  "withdrawAddr",
  "buckets/blockStamp",
  "buckets/withdrawals",
  "rateWithdrawals",
  "defaultSlotSetBidSlotNum",
  "chainId",
  "toBJJ",
  "forgedTransactions",
  "ethereumTxHash",
  "l1Fee",
  "estimatedTimeToForgeL1",
  "pendingL1Transactions",
  "node"
]

/** Returns the facts that `v1` shares with `later`, under the names of `later`; integers as text. */
export const factsOfV1 = (answer: unknown) => sharedFacts(answer, renamedInV1, "")
/** Returns the facts that `later` shares with `v1`; integers as text. */
export const factsOfLater = (answer: unknown) => sharedFacts(answer, {}, "")

function sharedFacts(
  value: unknown,
  names: { readonly [name: string]: string },
  path: string
): unknown {
  if (Array.isArray(value)) return value.map((item) => sharedFacts(item, names, path))
  if (typeof value === "number" || typeof value === "bigint") return String(value)
  if (typeof value !== "object" || value === null) return value
  // the item of a single answer is at the root
  const isExit = path === "" && "merkleProof" in value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inside]) => {
      const at = `${isExit ? "/exit" : path}/${names[name] ?? name}`
      return aloneInV1.some((end) => at.endsWith(`/${end}`))
        ? []
        : [[names[name] ?? name, sharedFacts(inside, names, at)]]
    })
  )
}
