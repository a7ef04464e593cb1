import { Result, Schema, SchemaAST } from "effect"
import { type AccountIndex, symbolOfAccountIndex } from "../../encoding/mod.ts"
import { brokenBody, cut, faultOfItem } from "../fault.ts"
import type { InputFault } from "../input_fault.ts"
import { notNull, type Property, propertiesOf } from "../objects/mod.ts"
import { type RequestRules, strictRules } from "../request_rules.ts"
import {
  accountIndex,
  type AccountReference,
  jsonForm,
  type WireForm,
  wireForm
} from "../scalars/mod.ts"
import type { WireContext } from "../wire_context.ts"
import {
  jsonItems,
  type JsonKind,
  type JsonMember,
  jsonMembers,
  unknownProperties
} from "./_json_members.ts"
import type { Body, BodySchema } from "./body.ts"

interface BodyReaderOptions {
  readonly jsonDepthMax?: number
  /** How the revision reads requests; strictly by default. */
  readonly rules?: RequestRules
}

/** The account indexes of a posted object with the symbols that the client wrote, by property. */
export type AccountReferences = { readonly [property: string]: AccountReference }

/** A posted object and its account indexes; the object itself has only their numbers. */
export interface WithReferences<T> {
  readonly posted: T
  readonly references: AccountReferences
}

/** Decodes the text of a request body: returns the domain value, or every rule that it breaks. */
export type BodyReader<T> = (text: string) => Result.Result<T, ReadonlyArray<InputFault>>

/**
 * Returns a decoder of request bodies in the spelling of this network. The text is strict JSON,
 * nested at most 32 levels deep by default. Integers keep all digits. A repeated property is refused,
 * and by default so is an unknown one, with the most similar known name.
 *
 * ```ts
 * import { Result } from "effect"
 * import { bodies, bodyReader, wireContext } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "zk", name: "Example", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const read = bodyReader(bodies.authorization, wireContext(network, keccak256))
 * const refused = read(`{ "bjj": "zk:short", "signature": 1, "address": null }`)
 * if (Result.isFailure(refused)) console.log(refused.failure.map(({ parameter }) => parameter).join(" ")) // => /bjj /signature /address /zkEthereumAddress
 * ```
 */
export const bodyReader = <T>(
  body: Pick<Body<T>, "schema" | "notes">,
  context: WireContext,
  options: BodyReaderOptions = {}
): BodyReader<T> => {
  const read = referencesReader(body, context, options)
  return (text) => Result.map(read(text), ({ posted }) => posted)
}

/** Returns a `bodyReader` that returns the symbols of the account indexes too. */
export const referencesReader = <T>(
  { notes, schema }: Pick<Body<T>, "schema" | "notes">,
  context: WireContext,
  { jsonDepthMax, rules = strictRules }: BodyReaderOptions = {}
): BodyReader<WithReferences<T>> => {
  const local = context.name
  const readers = propertiesOf(schema.ast).map((property) => fieldReader(property, context, rules))
  const named = new Map(readers.map((reader) => [local(reader.name), reader]))
  const explain = unknownProperties(
    [...named.keys()],
    new Map(Object.entries(notes).map(([name, note]) => [local(name), note]))
  )

  return (text) => {
    const members = jsonMembers(text, jsonDepthMax)
    if (Result.isFailure(members)) {
      const { expected, isTooDeep, position } = members.failure
      return Result.fail([{
        ...noJson(text, position, expected),
        ...isTooDeep === true ? { limit: "jsonDepthMax" } : {}
      }])
    }
    const { membersByName, repeated } = byName(members.success)
    const faults: Array<InputFault> = []
    const read = new Map<FieldReader, unknown>()
    const references: { [property: string]: AccountReference } = {}
    for (const [name, member] of membersByName) {
      const reader = named.get(name)
      if (reader === undefined) continue
      const value = valueOf(reader, member)
      if (Result.isFailure(value)) {
        faults.push(...value.failure.map((fault) => withRule(reader, fault)))
        continue
      }
      read.set(reader, value.success)
      if (reader.isReference && value.success !== null) {
        const symbol = symbolOfAccountIndex(member.text)
        references[reader.name] = { symbol, index: value.success as AccountIndex }
      }
    }
    if (rules.unknownProperties === "refused") faults.push(...explain(membersByName.values()))
    for (const [name, { text }] of repeated) {
      if (rules.unknownProperties === "ignored" && !named.has(name)) continue
      const shown = JSON.stringify(name.slice(0, 100))
      const message = `Property ${shown} occurs more than once: send it once`
      faults.push(brokenBody(name, text, "given once", message))
    }
    for (const [name, reader] of named) {
      if (membersByName.has(name) || reader.isOptional) continue
      const rule = "a required property"
      const message = `Property ${name} is missing: it is required`
      faults.push(withRule(reader, brokenBody(name, null, rule, message)))
    }
    return faults.length > 0
      ? Result.fail(faults)
      : Result.succeed({ posted: objectOf(readers, read) as T, references })
  }
}

/** How a property is read. */
interface FieldReader extends Property {
  readonly json: JsonKind
  /** Decodes the text of a member of the kind `json`. */
  readonly decode: (
    text: string,
    name: string
  ) => Result.Result<unknown, ReadonlyArray<InputFault>>
  /** Whether the value is an account index, whose text has a symbol. */
  readonly isReference: boolean
}

const fieldReader = (
  property: Property,
  context: WireContext,
  rules: RequestRules
): FieldReader => {
  const { onlyNull } = property
  const type = typeOf(property)
  const form = jsonForm(type) as WireForm<unknown> | undefined
  if (form === undefined) {
    return {
      ...property,
      json: "array",
      decode: listDecoder(type, context, rules),
      isReference: false
    }
  }
  const decode = onlyNull === undefined
    ? form.decode(context, rules.spelling)
    : () => Result.fail({ rule: onlyNull })
  return {
    ...property,
    json: form.json,
    decode: (text, name) =>
      Result.mapError(decode(text), ({ rule }) => [invalid(name, text, rule)]),
    isReference: form === wireForm(accountIndex) as WireForm<unknown>
  }
}

/** Returns the decoder of a list of objects. It fails with the faults of all of them. */
const listDecoder = (
  type: SchemaAST.AST,
  context: WireContext,
  rules: RequestRules
): FieldReader["decode"] => {
  if (!SchemaAST.isArrays(type)) throw new Error(`A body cannot have a property of ${type._tag}`)
  const schema = Schema.make<BodySchema>(type.rest[0]!)
  const read = bodyReader({ schema, notes: {} }, context, { rules })
  const max = SchemaAST.resolve(type)!.itemsMax!
  return (text, name) => {
    const items = jsonItems(text)
    if (items.length > max) {
      const message = `Property ${name} has ${items.length} items: expected at most ${max}`
      return Result.fail([brokenBody(name, String(items.length), `at most ${max} items`, message)])
    }
    const results = items.map((item) => read(item.text))
    const faults = results.flatMap((result, position) =>
      Result.isSuccess(result)
        ? []
        : result.failure.map((fault) => faultOfItem(name, position, fault))
    )
    return faults.length > 0
      ? Result.fail(faults)
      : Result.succeed(results.map((result) => Result.getOrThrow(result)))
  }
}

/** Returns the type of a property that is not null. */
const typeOf = ({ type }: Property): SchemaAST.AST =>
  jsonForm(type) === undefined && SchemaAST.isUnion(type) ? notNull(type) : type

const byName = (members: ReadonlyArray<JsonMember>) => {
  const membersByName = new Map<string, JsonMember>()
  const repeated = new Map<string, JsonMember>()
  for (const member of members) {
    if (membersByName.has(member.name)) repeated.set(member.name, member)
    else membersByName.set(member.name, member)
  }
  return { membersByName, repeated }
}

/** Returns the object in memory of the values that were read. */
const objectOf = (
  readers: ReadonlyArray<FieldReader>,
  read: ReadonlyMap<FieldReader, unknown>
): object => {
  const object: { [key: string]: unknown } = {}
  const nested: { [key: string]: { [key: string]: unknown } } = {}
  for (const reader of readers) {
    const [key, member] = reader.path
    const value = read.get(reader) ?? null
    if (member !== undefined) (nested[key] ??= {})[member] = value
    else if (
      reader.unusedValue === undefined && (value !== null || !SchemaAST.isOptional(reader.type))
    ) {
      object[key] = value
    }
  }
  for (const [key, members] of Object.entries(nested)) {
    object[key] = Object.values(members).every((value) => value === null) ? null : members
  }
  return object
}

const valueOf = (
  { decode, isOptional, json }: FieldReader,
  { kind, name, text }: JsonMember
): Result.Result<unknown, ReadonlyArray<InputFault>> => {
  if (kind === "null" && isOptional) return Result.succeed(null)
  if (kind !== json) {
    const rule = `${kinds[json]}${isOptional ? " or null" : ""}`
    return Result.fail([invalid(name, text, rule, `, found ${kinds[kind]}`)])
  }
  return decode(text, name)
}

/** Returns the fault of a property with the name of its rule, if it has one. */
const withRule = ({ ruleName }: Property, fault: InputFault): InputFault =>
  ruleName === undefined ? fault : { ...fault, ruleName }

const kinds: { readonly [K in JsonKind]: string } = {
  string: "a JSON string",
  number: "a JSON number",
  boolean: "a boolean",
  null: "null",
  object: "an object",
  array: "an array"
}

const invalid = (name: string, value: string, rule: string, found = ""): InputFault =>
  brokenBody(
    name,
    value,
    rule,
    `Property ${name} has the invalid value ${JSON.stringify(cut(value))}: expected ${rule}${found}`
  )

/** Maximum number of characters of a malformed text that an error message repeats. */
const shownMax = 20

const noJson = (text: string, position: number, expected: string): InputFault => {
  const rest = text.slice(position, position + shownMax)
  const found = rest === "" ? "the end" : JSON.stringify(rest)
  return brokenBody(
    null,
    text,
    `JSON: ${expected} at character ${position}`,
    `The body is not the expected JSON: ${expected} at character ${position}, found ${found}`
  )
}
