import { Result } from "effect"
import { brokenRule, invalidValue, nearestName } from "../fault.ts"
import type { InputFault } from "../input_fault.ts"
import {
  type CurrencyQuery,
  limitMax,
  type ListName,
  type ListQuery,
  type PoolListQuery
} from "../lists/mod.ts"
import type { RequestRules } from "../request_rules.ts"
import { pageParameters } from "./typed_query.ts"
import {
  type AnyListName,
  declaration,
  offeredFilters,
  parameterName,
  type Revision
} from "../revision.ts"
import { type Scalar, scalars, wireForm } from "../scalars/mod.ts"
import type { WireContext } from "../wire_context.ts"

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
type QueryOf<N extends AnyListName> = N extends ListName ? ListQuery<N>
  : N extends "pool" ? PoolListQuery
  : CurrencyQuery

/** The maximum page size. */
export const listItemsMaxDefault = limitMax

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
  const local = context.name
  const { requestRules } = revision
  const filters = new Map(
    offeredFilters(revision, list).map(({ filter, parameter, scalar }) => {
      const { count, decode } = wireForm(scalars[scalar] as Scalar<unknown>)
      return [local(parameter), { filter, count, decode: decode(context, requestRules.spelling) }]
    })
  )
  const { atLeastOne, exclusions, isPaged = true, ordered } = declaration(list)
  const paging = new Map(
    Object.entries(isPaged ? pageParameters : {}).map(([name, scalar]) => [
      name,
      wireForm(scalar as Scalar<unknown>).decode(context, requestRules.spelling)
    ])
  )
  const names = [...filters.keys(), ...paging.keys()]
  const nameOf = new Map([...filters].map(([parameter, { filter }]) => [filter, parameter]))
  const groups = revision.unrestricted.includes(list) ? [] : atLeastOne
  const { closedLists, emptyParameters, separators } = requestRules
  const rules: RequestRules = (closedLists as ReadonlyArray<AnyListName>).includes(list)
    ? { ...requestRules, unknownParameters: "refused" }
    : requestRules
  const isKnown = (name: string) => filters.has(name) || paging.has(name)
  const presets: { readonly [list: string]: object } = revision.presets ?? {}
  /** Presets, each with the parameter of a filter that excludes it. */
  const replacedPresets = exclusions.flatMap(([a, b]) =>
    [[a, b], [b, a]].flatMap(([preset, other]) => {
      const parameter = nameOf.get(other!)
      return Object.hasOwn(presets[list] ?? {}, preset!) && parameter !== undefined
        ? [{ preset: preset!, parameter }]
        : []
    })
  )
  /** Returns the text of a list with commas between its values. */
  const withCommas = (text: string) =>
    separators.reduce((text, separator) => text.replaceAll(separator, ","), text)
  const textOf = (parameter: string, values: ReadonlyMap<string, string>) =>
    values.get(parameter) ?? null

  return (query) => {
    const faults: Array<InputFault> = []
    const texts = new Map<string, string>()
    const unknown = new Set<string>()
    const repeated = new Set<string>()
    const malformed = new Set<string>()
    const decoded: { [filter: string]: unknown } = { ...presets[list] }
    const page: { [name: string]: unknown } = {}
    for (const { text, name, value } of countedPairs(query, isKnown, rules)) {
      if (name === undefined || value === undefined) {
        if (!malformed.has(text)) faults.push(undecodable(text))
        malformed.add(text)
        // an invalid value counts as present for the rules between parameters
        if (name !== undefined && filters.has(name) && !texts.has(name)) texts.set(name, text)
        continue
      }
      const filter = filters.get(name)
      const decode = filter?.decode ?? paging.get(name)
      // a repeated name breaks each rule once
      if (decode === undefined) {
        if (!unknown.has(name)) {
          faults.push(unknownParameter(name, value, names, local, list, revision, revisions))
        }
        unknown.add(name)
        continue
      }
      if (value === "" && emptyParameters === "absent") continue
      if (texts.has(name)) {
        if (!repeated.has(name)) {
          faults.push(
            brokenRule(
              name,
              value,
              "given once",
              `Parameter ${name} occurs more than once: send it once`
            )
          )
        }
        repeated.add(name)
        continue
      }
      texts.set(name, value)
      if (value === "") {
        faults.push(
          brokenRule(
            name,
            value,
            "a value",
            `Parameter ${name} is empty: set a value or leave it out`
          )
        )
        continue
      }
      const decodable = filter?.count === undefined ? value : withCommas(value)
      const count = filter?.count?.(decodable) ?? 1
      if (count > listItemsMax) {
        const rule = `at most ${listItemsMax} items`
        faults.push({
          ...brokenRule(
            name,
            value,
            rule,
            `Parameter ${name} lists ${count} items: expected ${rule}; send several requests`
          ),
          limit: "listItemsMax"
        })
        continue
      }
      const parsed = decode(decodable)
      if (Result.isFailure(parsed)) {
        faults.push(invalidValue("query", name, value, parsed.failure.rule))
      } else if (filter === undefined) page[name] = parsed.success
      else decoded[filter.filter] = parsed.success
    }
    for (const { parameter, preset } of replacedPresets) {
      if (texts.has(parameter)) delete decoded[preset]
    }
    for (const [a, b] of exclusions) {
      const [first, second] = [nameOf.get(a), nameOf.get(b)]
      if (first === undefined || second === undefined || !texts.has(first) || !texts.has(second)) {
        continue
      }
      faults.push(
        brokenRule(
          second,
          textOf(second, texts),
          `not together with ${first}`,
          `Parameters ${first} and ${second} exclude each other: use one of them`
        )
      )
    }
    for (const group of groups) {
      const offered = group.flatMap((filter) => nameOf.get(filter) ?? [])
      if (offered.length > 0 && !offered.some((name) => texts.has(name))) {
        faults.push(
          brokenRule(
            offered[0]!,
            null,
            `at least one of ${offered.join(", ")}`,
            `At least one of the parameters ${offered.join(", ")} is required`
          )
        )
      }
    }
    for (const [low, high] of ordered) {
      const [least, greatest] = [decoded[low], decoded[high]]
      if (typeof least !== "number" || typeof greatest !== "number" || least <= greatest) continue
      const [lowName, highName] = [nameOf.get(low)!, nameOf.get(high)!]
      faults.push(
        brokenRule(
          lowName,
          String(least),
          `at most ${highName}`,
          `Parameter ${lowName} is ${least}, above ${highName}, which is ${greatest}`
        )
      )
    }
    return faults.length > 0
      ? Result.fail(faults)
      : Result.succeed({ filters: decoded, ...page } as QueryOf<N>)
  }
}

/** Returns a hint: which revision knows the name, or the most similar known name. */
const unknownParameter = (
  name: string,
  value: string,
  names: ReadonlyArray<string>,
  local: (name: string) => string,
  list: AnyListName,
  revision: Revision,
  revisions: ReadonlyArray<Revision>
): InputFault => {
  for (const other of revisions) {
    const offered = offeredFilters(other, list).find(({ parameter }) => local(parameter) === name)
    if (offered === undefined) continue
    const here = parameterName(revision, list, offered.filter)
    const hint = here === undefined
      ? `only revision "${other.name}" supports it`
      : `it belongs to revision "${other.name}"; in revision "${revision.name}" its name is ${
        local(here)
      }`
    return {
      ...brokenRule(
        name,
        value,
        "a known parameter",
        `Unknown parameter ${JSON.stringify(name)}: ${hint}`
      ),
      ...(here === undefined ? {} : { nearest: local(here) })
    }
  }
  const nearest = nearestName(name, names)
  const hint = nearest === undefined
    ? `the known ones are ${names.join(", ")}`
    : `did you mean ${nearest}?`
  return {
    ...brokenRule(
      name,
      value,
      "a known parameter",
      `Unknown parameter ${JSON.stringify(name.slice(0, 100))}: ${hint}`
    ),
    ...(nearest === undefined ? {} : { nearest })
  }
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
    } else {faults.set(
        `unknown ${name}`,
        brokenRule(
          name,
          value,
          "no parameters",
          `Unknown parameter ${JSON.stringify(name.slice(0, 100))}: this operation takes none`
        )
      )}
  }
  return [...faults.values()]
}
