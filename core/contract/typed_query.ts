import { Formatter, Record, Result, Schema, SchemaIssue } from "effect"
import { transactionTypes } from "../domain/mod.ts"
import { ACCOUNT_INDEX_MAX } from "../encoding/mod.ts"
import { BadInput, brokenRule, type InputFault, nearestName } from "./fault.ts"
import type { ItemKeys, ItemName } from "./items.ts"
import {
  fromItemMax,
  limitMax,
  type ListDeclaration,
  type ListName,
  type ListQuery,
  lists,
  type ScalarName,
  type ScalarValues
} from "./list.ts"
import { declaration } from "./revision.ts"

/*
 * Schemas of queries and keys in memory, for hosts without types. They hold decoded values to the
 * rules of a URL. Unknown names are refused: to ignore a filter would return wrong data.
 *
 * Each schema and each of its checks has the rule as its message, so that a value that breaks it
 * is reported alike, whether its type or its bounds are wrong.
 */

const integer = (minimum: number, maximum: number) => {
  const message = `an integer from ${minimum} to ${maximum}`
  const isWithin = (value: number) =>
    Number.isSafeInteger(value) && value >= minimum && value <= maximum
  return Schema.Number.annotate({ message }).check(Schema.makeFilter(isWithin, { message }))
}
const matching = (pattern: RegExp, message: string) =>
  Schema.String.annotate({ message }).check(Schema.isPattern(pattern, { message }))
const lowerHex = (prefix: string, digits: number) =>
  matching(
    new RegExp(`^${prefix}[0-9a-f]{${digits}}$`, "u"),
    `${prefix === "" ? "" : `${prefix} and `}${digits} lower-case hexadecimal digits`
  )
const oneOf = <const T extends string>(values: ReadonlyArray<T>) =>
  Schema.Literals(values).annotate({ message: `one of ${values.join(", ")}` })
const arrayOf = <T>(item: Schema.Codec<T>) =>
  Schema.Array(item).annotate({ message: `an array, each ${ruleOf(item)}` })
const object = <const F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Struct(fields).annotate({ message: `an object of ${Object.keys(fields).join(", ")}` })
const optional = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.UndefinedOr(schema).annotate({ message: ruleOf(schema) }))
const required = <T>(schema: Schema.Codec<T>) =>
  schema.pipe(Schema.annotateKey({ messageMissingKey: ruleOf(schema) }))
const ruleOf = (schema: Schema.Constraint): string => Schema.resolveAnnotations(schema)!.message!

const uint32 = integer(0, 4294967295)
const text = matching(/^[\s\S]+$/u, "a text that is not empty")
const address = lowerHex("0x", 40)

const scalarSchemas: { readonly [S in ScalarName]: Schema.Codec<ScalarValues[S]> } = {
  tokenId: uint32,
  tokenIds: arrayOf(uint32),
  tokenSymbols: arrayOf(text),
  text,
  batchNum: uint32,
  slotNum: uint32,
  accountIndex: integer(0, ACCOUNT_INDEX_MAX),
  ethereumAddress: address,
  prefixedAddress: address,
  publicKey: lowerHex("", 64),
  transactionId: lowerHex("0x", 66),
  transactionType: oneOf(transactionTypes),
  boolean: Schema.Boolean.annotate({ message: "true or false" })
}

const page = {
  fromItem: optional(integer(0, fromItemMax)),
  order: optional(oneOf(["ASC", "DESC"])),
  limit: optional(integer(1, limitMax))
}
const querySchemas = Record.map(
  lists as { readonly [N in ListName]: ListDeclaration },
  ({ filters }) =>
    object({
      filters: optional(
        object(Record.map(filters, ({ scalar }) => optional(scalarSchemas[scalar])))
      ),
      ...page
    })
)
const exitKey = object({
  batchNum: required(uint32),
  accountIndex: required(scalarSchemas.accountIndex)
})
const keySchemas: { readonly [N in ItemName]: Schema.Codec<ItemKeys[N]> } = {
  account: scalarSchemas.accountIndex,
  exit: exitKey,
  transaction: scalarSchemas.transactionId,
  batch: uint32,
  fullBatch: uint32,
  slot: uint32,
  token: uint32,
  coordinator: address
}

/** Returns a copy of the query, or every rule that it breaks. */
export const checkListQuery = <N extends ListName>(
  list: N,
  query: ListQuery<N>
): Result.Result<ListQuery<N>, BadInput> => {
  if (!Object.hasOwn(lists, list)) return refused([unknownKind("list", list, lists)])
  const known = [["filters", ...Object.keys(page)], Object.keys(lists[list].filters)]
  const checked = decode(querySchemas[list], query, "query", known)
  const combined = combinationFaults(list, query)
  if (Result.isFailure(checked)) return refused([...checked.failure, ...combined])
  if (combined.length > 0) return refused(combined)
  const { filters = {}, ...others } = checked.success
  return Result.succeed({ filters, ...others } as ListQuery<N>)
}

/** Returns a copy of the key, or every rule that it breaks. */
export const checkItemKey = <N extends ItemName>(
  item: N,
  key: ItemKeys[N]
): Result.Result<ItemKeys[N], BadInput> =>
  Object.hasOwn(keySchemas, item)
    ? Result.orElse(decode(keySchemas[item], key, item, [Object.keys(exitKey.fields)]), refused)
    : refused([unknownKind("item", item, keySchemas)])

const refused = (faults: ReadonlyArray<InputFault>): Result.Result<never, BadInput> =>
  Result.fail(new BadInput({ faults: faults as readonly [InputFault, ...Array<InputFault>] }))

const unknownRule = "a known name"
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "UnexpectedKey" ? unknownRule : SchemaIssue.defaultLeafHook(issue)
})

/** @param known names of the members at each depth */
const decode = <T>(
  schema: Schema.Codec<T>,
  input: unknown,
  root: string,
  known: ReadonlyArray<ReadonlyArray<string>>
): Result.Result<T, ReadonlyArray<InputFault>> =>
  Result.mapError(
    Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(input),
    ({ issue }) =>
      issuesOf(issue).issues.map(({ message: rule, path: segments = [] }) => {
        const path = segments.map((segment) => typeof segment === "object" ? segment.key : segment)
        const value = path.reduce((parent: unknown, key) => Reflect.get(Object(parent), key), input)
        const name = path.length === 0 ? root : path.map(String).join(".")
        return rule === unknownRule
          ? unknownName(name, value, known[path.length - 1]!)
          : invalid(name, value, rule)
      })
  )

const unknownName = (
  path: string,
  value: unknown,
  known: ReadonlyArray<string>
): InputFault => {
  const nearest = nearestName(path.slice(path.lastIndexOf(".") + 1), known)
  const hint = nearest === undefined
    ? `the known ones are ${known.join(", ")}`
    : `did you mean ${nearest}?`
  const message = `Unknown name ${JSON.stringify(path)}: ${hint}`
  return brokenRule(path, format(value), unknownRule, message)
}

const unknownKind = (parameter: string, name: string, known: object): InputFault =>
  invalid(parameter, name, `one of ${Object.keys(known).join(", ")}`)

const invalid = (parameter: string, value: unknown, rule: string): InputFault => {
  const message = `${parameter} has the invalid value ${format(value)}: expected ${rule}`
  return brokenRule(parameter, format(value), rule, message)
}

const format = (value: unknown): string => Formatter.format(value).slice(0, 200)

/** Rules between filters: a schema would check them only if each value alone is right. */
const combinationFaults = (list: ListName, query: unknown): ReadonlyArray<InputFault> => {
  const { exclusions, ordered } = declaration(list)
  const filters = Object(Object(query).filters) as { readonly [filter: string]: unknown }
  const fault = (filter: string, rule: string, message: string) =>
    brokenRule(`filters.${filter}`, format(filters[filter]), rule, message)
  const faults: Array<InputFault> = []
  for (const [a, b] of exclusions) {
    if (filters[a] === undefined || filters[b] === undefined) continue
    const message = `Filters ${a} and ${b} exclude each other: give one of them`
    faults.push(fault(b, `not together with ${a}`, message))
  }
  for (const [low, high] of ordered) {
    const [least, greatest] = [filters[low], filters[high]]
    if (typeof least !== "number" || typeof greatest !== "number" || least <= greatest) continue
    const message = `Filter ${low} is ${least}, above ${high}, which is ${greatest}`
    faults.push(fault(low, `at most ${high}`, message))
  }
  return faults
}
