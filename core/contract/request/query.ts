import { Result } from "effect"
import { brokenRule, invalidValue } from "../fault.ts"
import type { InputFault } from "../input_fault.ts"
import {
  type CurrencyQuery,
  limitMax,
  type ListName,
  type ListQuery,
  type PoolListQuery
} from "../lists/mod.ts"
import type { RequestRules } from "../request_rules.ts"
import { type AnyListName, declaration, type Revision } from "../revision.ts"
import type { WireContext } from "../wire_context.ts"
import {
  type ListParameters,
  listParameters,
  type Parameter,
  unknownParameter
} from "./list_parameters.ts"

/**
 * Percent-decodes one part of a path or query; returns undefined if it is malformed or not UTF-8.
 */
export const percentDecode = (text: string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * One pair of a query string: the source text, and the decoded name and value if decoding succeeds.
 */
interface QueryPair {
  readonly text: string
  readonly name: string | undefined
  readonly value: string | undefined
}

/** Returns the pairs of a query string in order. A plus sign is a space. */
const queryPairs = (query: string): ReadonlyArray<QueryPair> => {
  const pairs: Array<QueryPair> = []
  if (query === "") return pairs
  for (const text of query.split("&")) {
    if (text === "") continue
    const equals = text.indexOf("=")
    const name = plusDecode(equals < 0 ? text : text.slice(0, equals))
    const value = equals < 0 ? "" : plusDecode(text.slice(equals + 1))
    pairs.push({ text, name, value })
  }
  return pairs
}

/** Returns the pairs of a query string without those that the rules ignore. */
const countedPairs = (
  query: string,
  isKnown: (name: string) => boolean,
  { repeatedParameters, unknownParameters }: RequestRules
): ReadonlyArray<QueryPair> => {
  const seen = new Set<string>()
  return queryPairs(query).filter(({ name }) => {
    if (name === undefined || !isKnown(name)) return unknownParameters === "refused"
    const isRepeated = seen.has(name)
    seen.add(name)
    return !isRepeated || repeatedParameters === "refused"
  })
}

/** Returns the first value of a parameter of a query string; undefined if it has none. */
export const parameterValue = (query: string, parameter: string): string | undefined =>
  queryPairs(query).find(({ name }) => name === parameter)?.value

const plusDecode = (text: string) =>
  percentDecode(text.includes("+") ? text.replaceAll("+", " ") : text)

/**
 * Decodes the query string of one list in one revision: returns the query, or every rule that it
 * breaks.
 */
type QueryReader<N extends AnyListName> = (
  query: string
) => Result.Result<QueryOf<N>, ReadonlyArray<InputFault>>
export type QueryOf<N extends AnyListName> = N extends ListName ? ListQuery<N>
  : N extends "pool" ? PoolListQuery
  : CurrencyQuery

/** The maximum page size. */
export const listItemsMaxDefault = limitMax

/** What was read of a query string so far. */
interface Reading {
  readonly faults: Array<InputFault>
  /** The values of known parameters, also invalid ones. */
  readonly texts: Map<string, string>
  readonly filters: { [filter: string]: unknown }
  readonly page: { [name: string]: unknown }
  /** Faults that are reported once for each name. */
  readonly reported: Set<string>
}

/**
 * @param revisions all served revisions: the error for a name of another revision says so
 * @param listItemsMax maximum number of items in a list parameter
 */
export const queryReader = <N extends AnyListName>(
  list: N,
  revision: Revision,
  context: WireContext,
  revisions: ReadonlyArray<Revision>,
  listItemsMax = listItemsMaxDefault
): QueryReader<N> => {
  const of = listParameters(list, revision, context, revisions, listItemsMax)
  const isKnown = (name: string) => of.parameters.has(name)
  return (query) => {
    const reading: Reading = {
      faults: [],
      texts: new Map(),
      filters: { ...of.presets },
      page: {},
      reported: new Set()
    }
    for (const pair of countedPairs(query, isKnown, of.rules)) readPair(of, pair, reading)
    for (const { parameter, preset } of of.replacedPresets) {
      if (reading.texts.has(parameter)) delete reading.filters[preset]
    }
    const { faults, filters, page, texts } = reading
    faults.push(
      ...combinationFaults(list, "Parameter", filters, (filter) => {
        const name = of.nameOf.get(filter)
        const text = name === undefined ? undefined : texts.get(name)
        return text === undefined ? undefined : { name: name!, parameter: name!, text }
      }),
      ...of.atLeastOne.flatMap((group) => missingFault(group, texts))
    )
    return faults.length > 0
      ? Result.fail(faults)
      : Result.succeed({ filters, ...page } as QueryOf<N>)
  }
}

/** Returns the fault if none of a group of parameters is given. */
const missingFault = (
  group: ReadonlyArray<string>,
  texts: ReadonlyMap<string, string>
): ReadonlyArray<InputFault> => {
  const [first] = group
  if (first === undefined || group.some((name) => texts.has(name))) return []
  const names = group.join(", ")
  const message = `At least one of the parameters ${names} is required`
  return [brokenRule(first, null, `at least one of ${names}`, message)]
}

/** Reads one pair of a query string. A repeated name breaks each rule once. */
const readPair = (of: ListParameters, { name, text, value }: QueryPair, reading: Reading): void => {
  const { texts } = reading
  const report = (key: string, fault: () => InputFault) => {
    if (!reading.reported.has(key)) reading.faults.push(fault())
    reading.reported.add(key)
  }
  if (name === undefined || value === undefined) {
    report(`malformed ${text}`, () => undecodable(text))
    // an invalid value counts as present for the rules between parameters
    const isFilter = name !== undefined && of.parameters.get(name)?.filter !== undefined
    if (isFilter && !texts.has(name)) texts.set(name, text)
    return
  }
  const parameter = of.parameters.get(name)
  if (parameter === undefined) {
    report(`unknown ${name}`, () => unknownParameter(of, name, value))
  } else if (value === "" && of.rules.emptyParameters === "absent") {
    return
  } else if (texts.has(name)) {
    const message = `Parameter ${name} occurs more than once: send it once`
    report(`repeated ${name}`, () => brokenRule(name, value, "given once", message))
  } else {
    texts.set(name, value)
    const fault = readValue(of, name, value, parameter, reading)
    if (fault !== undefined) reading.faults.push(fault)
  }
}

/** Decodes the value of a parameter; returns the fault if it breaks a rule. */
const readValue = (
  { listItemsMax, rules: { separators } }: ListParameters,
  name: string,
  value: string,
  { count, decode, filter }: Parameter,
  { filters, page }: Reading
): InputFault | undefined => {
  if (value === "") {
    const message = `Parameter ${name} is empty: set a value or leave it out`
    return brokenRule(name, value, "a value", message)
  }
  const withCommas = count === undefined
    ? value
    : separators.reduce((text, separator) => text.replaceAll(separator, ","), value)
  const items = count?.(withCommas) ?? 1
  if (items > listItemsMax) {
    const rule = `at most ${listItemsMax} items`
    const message =
      `Parameter ${name} lists ${items} items: expected ${rule}; send several requests`
    return { ...brokenRule(name, value, rule, message), limit: "listItemsMax" }
  }
  const decoded = decode(withCommas)
  if (Result.isFailure(decoded)) return invalidValue("query", name, value, decoded.failure.rule)
  if (filter === undefined) page[name] = decoded.success
  else filters[filter] = decoded.success
  return undefined
}

/** A filter that a query gives, as its faults name it. */
interface GivenFilter {
  /** Name in messages. */
  readonly name: string
  readonly parameter: string
  readonly text: string
}

/**
 * Returns the broken rules between the filters of a list: some exclude each other, or bound each
 * other.
 *
 * @param noun what messages call a filter
 * @param given returns a filter, or undefined if the query does not give it
 */
export const combinationFaults = (
  list: AnyListName,
  noun: "Filter" | "Parameter",
  values: { readonly [filter: string]: unknown },
  given: (filter: string) => GivenFilter | undefined
): ReadonlyArray<InputFault> => {
  const { exclusions, ordered = [] } = declaration(list)
  const faults: Array<InputFault> = []
  for (const [a, b] of exclusions) {
    const [first, second] = [given(a), given(b)]
    if (first === undefined || second === undefined) continue
    const message = `${noun}s ${first.name} and ${second.name} exclude each other: use one of them`
    faults.push(
      brokenRule(second.parameter, second.text, `not together with ${first.name}`, message)
    )
  }
  for (const [a, b] of ordered) {
    const [least, greatest] = [values[a], values[b]]
    if (typeof least !== "number" || typeof greatest !== "number" || least <= greatest) continue
    const [low, high] = [given(a)!, given(b)!]
    const message = `${noun} ${low.name} is ${least}, above ${high.name}, which is ${greatest}`
    faults.push(brokenRule(low.parameter, low.text, `at most ${high.name}`, message))
  }
  return faults
}

const undecodable = (text: string): InputFault =>
  brokenRule(
    text,
    null,
    "percent-encoded UTF-8",
    `The query part ${JSON.stringify(text.slice(0, 100))} is not percent-encoded UTF-8`
  )

/** Returns the faults of the query string of an operation without parameters. */
export const noQuery = (query: string, rules: RequestRules): ReadonlyArray<InputFault> => {
  const faults = new Map<string, InputFault>()
  for (const { text, name, value } of countedPairs(query, () => false, rules)) {
    if (name === undefined || value === undefined) {
      faults.set(`malformed ${text}`, undecodable(text))
    } else {
      const message = `Unknown parameter ${
        JSON.stringify(name.slice(0, 100))
      }: this operation takes none`
      faults.set(`unknown ${name}`, brokenRule(name, value, "no parameters", message))
    }
  }
  return [...faults.values()]
}
