import { Struct } from "effect"
import {
  declaration,
  later,
  type ListName,
  listNames,
  offeredFilters,
  type Operation,
  type OperationId,
  operations,
  parameterName,
  revisionList,
  type ScalarName,
  type ScalarValues
} from "../../core/contract/mod.ts"
import {
  localName,
  type Network,
  poolStates,
  poolTransactionTypes,
  transactionTypes
} from "../../core/domain/mod.ts"
import { mountOf } from "../_mounts.ts"
import type { SeededRandom } from "../laws/_seeded_random.ts"
import { textOf } from "../laws/input_generators.ts"
import type { Facts } from "../laws/mod.ts"
import type { LedgerRead } from "./_reference.ts"

const operationIds = Struct.keys(operations)

/** The operation that reads each list. */
export const listOperations = new Map<ListName, OperationId>(operationIds.flatMap((id) => {
  const operation: Operation = operations[id]
  return operation.kind === "list" ? [[operation.list, id] as const] : []
}))
const itemOperations = operationIds.filter((id) => operations[id].kind === "item")

/** Returns a random read of a list, an item or the state; mostly of existing items. */
export function drawRead(random: SeededRandom, facts: Facts, network: Network): LedgerRead {
  const revision = random.chance(0.6) ? later : random.of(revisionList)
  const roll = random.below(100)
  const whole = { revision, values: [], query: "" }
  if (roll < 6) return { ...whole, operation: roll < 4 ? "getState" : "getConfig" }
  if (roll < 35) {
    const operation = random.of(itemOperations)
    const { parameters }: Operation = operations[operation]
    const values = parameters.map(({ scalar }) =>
      encodeURIComponent(textOf(network)[scalar](drawValue(random, facts, scalar) as never))
    )
    return { ...whole, operation, values }
  }
  const list = random.of<ListName>(roll < 55 ? ["transactions"] : listNames)
  const pairs: Array<readonly [string, string]> = []
  for (const { filter, scalar } of random.some(offeredFilters(revision, list), 0.2)) {
    const name = parameterName(revision, list, filter)!
    pairs.push([
      localName(network, name),
      textOf(network)[declaration(list).filters[filter]!.scalar](
        drawValue(random, facts, scalar) as never
      )
    ])
  }
  if (list === "bids" && pairs.length === 0 && !revision.unrestricted.includes(list)) {
    pairs.push(["slotNum", String(random.below(4))])
  }
  if (random.chance(0.4)) pairs.push(["fromItem", String(random.below(40))])
  if (random.chance(0.3)) pairs.push(["order", random.of(["ASC", "DESC"])])
  if (random.chance(0.6)) pairs.push(["limit", String(1 + random.below(12))])
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")
  return { ...whole, operation: listOperations.get(list)!, query }
}

/** Returns path and query, with the mount of the revision. */
export function urlOf({ operation, query, revision, values }: LedgerRead): string {
  const { parameters, path }: Operation = operations[operation]
  const local = parameters.reduce(
    (text, { name }, at) => text.replace(`{${name}}`, () => values[at]!),
    path
  )
  return `${mountOf(revision)}${local}${query === "" ? "" : `?${query}`}`
}

const unknownAddress = `0x${"9".repeat(40)}`

/** Returns a value that occurs in the facts, or rarely an unknown one. */
function drawValue(
  random: SeededRandom,
  facts: Facts,
  scalar: ScalarName
): ScalarValues[ScalarName] {
  const known = <A>(values: ReadonlyArray<A>, other: A): A =>
    values.length === 0 || random.chance(0.08) ? other : random.of(values)
  switch (scalar) {
    case "tokenId":
      return known(facts.tokens.map(({ id }) => id), 77)
    case "tokenIds":
      return [random.below(facts.tokens.length)]
    case "tokenSymbols":
      return [random.of(facts.tokens).symbol]
    case "text":
      return random.of(facts.tokens).name.slice(0, 2)
    case "batchNum":
      return known(facts.batches.map(({ batchNum }) => batchNum), facts.batches.length + 1)
    case "slotNum":
      return known(facts.bids.map(({ slotNum }) => slotNum), random.below(6))
    case "nonce":
      return BigInt(random.below(9))
    case "accountIndex":
      return known(facts.accounts.map(({ index }) => index), 9999)
    case "ethereumAddress":
      return known(
        facts.coordinators.flatMap(({ bidderAddr, forgerAddr }) => [bidderAddr, forgerAddr]),
        unknownAddress
      )
    case "ethereumAddresses":
      return [random.of(facts.tokens).ethereumAddress]
    case "prefixedAddress":
      return known(facts.accounts.map(({ address }) => address), unknownAddress)
    case "publicKey":
      return known(facts.accounts.map(({ publicKey }) => publicKey), "0".repeat(64))
    case "groupId":
      return `0x${"9".repeat(64)}`
    case "transactionId":
      return known(
        [...facts.transactions, ...facts.queued].map(({ id }) => id),
        `0x02${"0".repeat(64)}`
      )
    case "poolState":
      return random.of(poolStates)
    case "poolTransactionType":
      return random.of(poolTransactionTypes)
    case "transactionType":
      return random.of(transactionTypes)
    case "boolean":
      return random.chance(0.5)
    case "currencyCode":
      return "EUR"
    case "currencyCodes":
      return ["EUR"]
    case "baseCurrency":
      return "USD"
  }
}
