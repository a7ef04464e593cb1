import {
  type FiltersOf,
  type ListDeclaration,
  type ListName,
  type ListQuery,
  lists,
  type ScalarName
} from "../../core/contract/mod.ts"
import type { LedgerView } from "../../core/ports/mod.ts"
import { addressOf, bidders, forgers, keyOf } from "./_chain.ts"
import type { Random } from "./_random.ts"

/** Returns a query with random filters that may be combined, mostly with values that exist. */
export const randomQuery = <N extends ListName>(
  name: N,
  random: Random,
  view: LedgerView
): ListQuery<N> => {
  const declaration: ListDeclaration = lists[name]
  const filters: Record<string, unknown> = {}
  for (const [filter, { scalar }] of random.shuffled(Object.entries(declaration.filters))) {
    const isExcluded = declaration.exclusions.some(([one, other]) =>
      (one === filter && other in filters) || (other === filter && one in filters)
    )
    if (!isExcluded && random.chance(0.4)) {
      filters[filter] = randomValue(filter, scalar, random, view)
    }
  }
  return {
    filters: filters as FiltersOf<N>,
    order: random.of(["ASC", "DESC"]),
    ...(random.chance(0.7) ? { limit: 1 + random.below(random.of([3, 50, 2049])) } : {}),
    ...(random.chance(0.7) ? { fromItem: random.below(random.of([20, 300, 9000])) } : {})
  }
}

const several = <T>(random: Random, value: () => T): ReadonlyArray<T> =>
  Array.from({ length: 1 + random.below(4) }, value)
const texts = [
  "a",
  "aa",
  "aaa",
  "aaaaaaa",
  "Da",
  "ai ",
  "Stable coin",
  "Stable coin Stable coin",
  " USD",
  " ",
  "zz",
  "able c"
]

const randomValue = (
  filter: string,
  scalar: ScalarName,
  random: Random,
  view: LedgerView
): unknown => {
  switch (scalar) {
    case "tokenId":
      return random.below(view.lastTokenId + 1)
    case "tokenIds":
      return several(random, () => random.below(view.lastTokenId + 1))
    case "tokenSymbols":
      return several(random, () => random.of(["ETH", "T0", "T1", "T2", "T3"]))
    case "text":
      return random.of(texts)
    case "batchNum":
      return filter === "batchNum"
        ? 1 + random.below(view.lastBatchNum)
        : random.below(view.lastBatchNum + 4)
    case "slotNum":
      return random.below(50)
    case "accountIndex":
      return 256 + random.below(view.lastAccountIndex - 255)
    case "ethereumAddress":
      return filter === "forgerAddr" && random.chance(0.5)
        ? addressOf(0xf0 + random.below(4))
        : filter === "forgerAddr" || filter === "wonByForger"
        ? random.of(forgers)
        : random.of(bidders)
    case "ethereumAddresses":
      return several(random, () => addressOf(random.below(8)))
    case "prefixedAddress":
      return addressOf(random.below(6))
    case "publicKey":
      return keyOf(random.below(6))
    case "transactionType":
      return random.of(["Transfer", "Exit", "CreateAccountDeposit", "ForceTransfer", "ForceExit"])
    case "boolean":
      return random.chance(0.7)
    case "transactionId":
      return ""
  }
}
