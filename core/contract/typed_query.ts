import { transactionTypes } from "../domain/mod.ts"
import { ACCOUNT_INDEX_MAX } from "../encoding/mod.ts"
import { brokenRule, type InputFault, nearestName } from "./fault.ts"
import type { ItemName } from "./items.ts"
import { fromItemMax, limitMax, type ListName, type ScalarName } from "./list.ts"
import { declaration } from "./revision.ts"

/*
 * The rules of a query for hosts without types: what a URL is held to, on values of the domain. Nothing that is not
 * understood is ignored, since the answer would be wrong data.
 */

interface Rule {
  readonly holds: (value: unknown) => boolean
  readonly rule: string
}

const uint32Max = 4294967295
const integer = (minimum: number, maximum: number): Rule => ({
  holds: (value) => Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
  rule: `an integer from ${minimum} to ${maximum}`
})
const text = (expression: RegExp, rule: string): Rule => ({ holds: (value) => typeof value === "string" && expression.test(value), rule })
const listOf = (item: Rule): Rule => ({ holds: (value) => Array.isArray(value) && value.every(item.holds), rule: `an array, each ${item.rule}` })
const oneOf = (values: ReadonlyArray<unknown>): Rule => ({ holds: (value) => values.includes(value), rule: `one of ${values.join(", ")}` })

const uint32 = integer(0, uint32Max)
const anyText = text(/^[\s\S]+$/u, "a text that is not empty")
const address = text(/^0x[0-9a-f]{40}$/u, "0x and 40 lower-case hexadecimal digits")

const rules: { readonly [S in ScalarName]: Rule } = {
  tokenId: uint32,
  tokenIds: listOf(uint32),
  tokenSymbols: listOf(anyText),
  text: anyText,
  batchNum: uint32,
  slotNum: uint32,
  accountIndex: integer(0, ACCOUNT_INDEX_MAX),
  ethereumAddress: address,
  prefixedAddress: address,
  publicKey: text(/^[0-9a-f]{64}$/u, "64 lower-case hexadecimal digits"),
  transactionId: text(/^0x[0-9a-f]{66}$/u, "0x and 66 lower-case hexadecimal digits"),
  transactionType: oneOf(transactionTypes),
  boolean: oneOf([true, false])
}

const pageRules = { filters: { holds: (value) => typeof value === "object" && value !== null, rule: "an object" }, fromItem: integer(0, fromItemMax), order: oneOf(["ASC", "DESC"]), limit: integer(1, limitMax) } satisfies {
  readonly [name: string]: Rule
}

/** Every rule that a query of a list breaks; none for one that every store answers. */
export const listQueryFaults = (list: ListName, query: { readonly [name: string]: unknown }): ReadonlyArray<InputFault> => {
  const { exclusions, filters, ordered } = declaration(list)
  const given = (typeof query.filters === "object" && query.filters !== null ? query.filters : {}) as { readonly [name: string]: unknown }
  const faults = [
    ...memberFaults(query, pageRules),
    ...memberFaults(given, Object.fromEntries(Object.entries(filters).map(([name, { scalar }]) => [name, rules[scalar]])))
  ]
  for (const [a, b] of exclusions) {
    if (given[a] !== undefined && given[b] !== undefined) faults.push(brokenRule(b, shown(given[b]), `not together with ${a}`, `Filters ${a} and ${b} exclude each other: give one of them`))
  }
  for (const [low, high] of ordered) {
    const [least, greatest] = [given[low], given[high]]
    if (typeof least === "number" && typeof greatest === "number" && least > greatest) {
      faults.push(brokenRule(low, shown(least), `at most ${high}`, `Filter ${low} is ${least}, above ${high}, which is ${greatest}`))
    }
  }
  return faults
}

const keyRules: { readonly [N in ItemName]: Rule | { readonly [member: string]: Rule } } = {
  account: rules.accountIndex,
  exit: { batchNum: rules.batchNum, accountIndex: rules.accountIndex },
  transaction: rules.transactionId,
  batch: rules.batchNum,
  fullBatch: rules.batchNum,
  slot: rules.slotNum,
  token: rules.tokenId,
  coordinator: rules.ethereumAddress
}

/** Every rule that the key of an item breaks. */
export const itemKeyFaults = (item: ItemName, key: unknown): ReadonlyArray<InputFault> => {
  const expected = keyRules[item]
  if ("holds" in expected) return faultOf(item, key, expected as Rule)
  const members = (typeof key === "object" && key !== null ? key : {}) as { readonly [member: string]: unknown }
  return Object.entries(expected).flatMap(([member, rule]) => faultOf(member, members[member], rule))
}

const memberFaults = (of: { readonly [name: string]: unknown }, known: { readonly [name: string]: Rule }): Array<InputFault> =>
  Object.entries(of).flatMap(([name, value]) => {
    // what objects inherit is no name of ours
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    if (rule !== undefined) return value === undefined ? [] : faultOf(name, value, rule)
    const nearest = nearestName(name, Object.keys(known))
    return [brokenRule(name, shown(value), "a known name", `Unknown name ${JSON.stringify(name)}${nearest === undefined ? `: the known ones are ${Object.keys(known).join(", ")}` : `: did you mean ${nearest}?`}`)]
  })

const faultOf = (name: string, value: unknown, { holds, rule }: Rule): Array<InputFault> =>
  holds(value) ? [] : [brokenRule(name, shown(value), rule, `${name} has the invalid value ${shown(value)}: expected ${rule}`)]

const shown = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value)).slice(0, 200)
