import { Result } from "effect"
import {
  jsonItems,
  type JsonKind,
  type JsonMember,
  jsonMembers,
  unknownProperties
} from "./_json_members.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import { brokenBody, faultOfItem } from "../fault.ts"
import type { InputFault } from "../input_fault.ts"
import { type RequestRules, strictRules } from "../request_rules.ts"
import type { Scalar } from "../scalars/mod.ts"
import type { WireContext } from "../wire_context.ts"
import type { JsonSchema } from "../wire_type.ts"

/**
 * One property of a request body. An optional property that is null or absent is decoded as null.
 */
export interface BodyField<out T> {
  readonly scalar:
    & Pick<Scalar<T>, "decode" | "jsonSchema">
    & Pick<Scalar<never>, "write">
    & { readonly json: Scalar<T>["json"] | "array" }
  readonly required: boolean
  readonly nullable: boolean
  readonly doc: string
  /** The objects of a list, and their maximum number. */
  readonly items?: { readonly body: Body<unknown>; readonly max: number }
  /** The rule that an invalid value breaks, if a revision has an error code for it. */
  readonly ruleName?: NonNullable<InputFault["ruleName"]>
}

export const required = <T>(scalar: Scalar<T>, doc: string): BodyField<T> => ({
  scalar,
  required: true,
  nullable: false,
  doc
})
export const optional = <T>(scalar: Scalar<T>, doc: string): BodyField<T | null> => ({
  scalar,
  required: false,
  nullable: true,
  doc
})

/** Returns a required property with a list of objects. */
export const requiredList = <T>(
  body: Body<T>,
  { doc, max }: { readonly doc: string; readonly max: number }
): BodyField<ReadonlyArray<T>> => ({
  scalar: {
    json: "array",
    // the reader decodes each object with `items`
    decode: () => () => Result.succeed([]),
    write: (context) => {
      const write = bodyWriter(body, context)
      return (values: ReadonlyArray<T>) => `[${values.map(write).join(",")}]`
    },
    jsonSchema: () => ({
      type: "array",
      items: { $ref: `#/components/schemas/${body.name}` },
      maxItems: max
    })
  },
  required: true,
  nullable: false,
  doc,
  items: { body: body as Body<unknown>, max }
})

type BodyFields = { readonly [name: string]: BodyField<unknown> }
type ValuesOf<F extends BodyFields> = {
  readonly [N in keyof F]: F[N] extends BodyField<infer T> ? T : never
}

/** A request body: an object with the names of the default network. */
export interface Body<T> {
  readonly name: string
  readonly doc: string
  readonly fields: BodyFields
  /** Properties that clients may know from elsewhere, and why they are refused. */
  readonly notes: { readonly [name: string]: string }
  readonly toDomain: (values: never) => T
  readonly fromDomain: (posted: T) => { readonly [name: string]: unknown }
  /** Examples for the default network, by name. */
  readonly examples: { readonly [title: string]: BodyExample }
}

interface BodyExample {
  readonly [name: string]: string | number | null | ReadonlyArray<BodyExample>
}

/** Declares a body and how to build its domain value from its fields. */
export const body = <const F extends BodyFields, T>(
  { toDomain, ...declared }:
    & Omit<Body<T>, "fields" | "toDomain" | "fromDomain">
    & {
      readonly fields: F
      readonly toDomain: (values: ValuesOf<F>) => T
      readonly fromDomain: (posted: T) => ValuesOf<F>
    }
): Body<T> => ({ ...declared, toDomain: toDomain as (values: never) => T })

interface FieldReader {
  readonly field: BodyField<unknown>
  readonly decode: ReturnType<Scalar<unknown>["decode"]>
  readonly readItem: BodyReader<unknown> | undefined
}

interface BodyReaderOptions {
  readonly jsonDepthMax?: number
  /** How the revision reads requests; strictly by default. */
  readonly rules?: RequestRules
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
  { fields, notes, toDomain }: Pick<Body<T>, "fields" | "notes" | "toDomain">,
  context: WireContext,
  { jsonDepthMax, rules = strictRules }: BodyReaderOptions = {}
): BodyReader<T> => {
  const local = context.name
  const named = new Map(
    Object.entries(fields).map(([name, field]) => [
      local(name),
      {
        name,
        field,
        decode: field.scalar.decode(context, rules.spelling),
        readItem: field.items && bodyReader(field.items.body, context, { rules })
      }
    ])
  )
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
    const faults: Array<InputFault> = []
    const membersByName = new Map<string, JsonMember>()
    const repeated = new Map<string, JsonMember>()
    for (const member of members.success) {
      if (membersByName.has(member.name)) repeated.set(member.name, member)
      else membersByName.set(member.name, member)
    }
    const values: { [name: string]: unknown } = {}
    for (const [name, member] of membersByName) {
      const known = named.get(name)
      if (known === undefined) continue
      const value = valueOf(known, member)
      if (Result.isSuccess(value)) values[known.name] = value.success
      else {
        faults.push(...value.failure.map((fault) => withRule(known.field, fault)))
      }
    }
    if (rules.unknownProperties === "refused") faults.push(...explain(membersByName.values()))
    for (const [name, { text }] of repeated) {
      if (rules.unknownProperties === "ignored" && !named.has(name)) continue
      faults.push(
        brokenBody(
          name,
          text,
          "given once",
          `Property ${JSON.stringify(name.slice(0, 100))} occurs more than once: send it once`
        )
      )
    }
    for (const [name, { field, name: own }] of named) {
      if (membersByName.has(name)) continue
      if (field.required) {
        const rule = "a required property"
        const message = `Property ${name} is missing: it is required`
        faults.push(withRule(field, brokenBody(name, null, rule, message)))
      } else values[own] = null
    }
    return faults.length > 0 ? Result.fail(faults) : Result.succeed(toDomain(values as never))
  }

  function valueOf(
    { decode, field: { items, nullable, scalar }, readItem }: FieldReader,
    { kind, name, text }: JsonMember
  ): Result.Result<unknown, ReadonlyArray<InputFault>> {
    if (kind === "null" && nullable) return Result.succeed(null)
    if (kind !== scalar.json) {
      return Result.fail([
        invalid(
          name,
          text,
          `${kinds[scalar.json]}${nullable ? " or null" : ""}`,
          `, found ${kinds[kind]}`
        )
      ])
    }
    return items === undefined || readItem === undefined
      ? Result.mapError(decode(text), ({ rule }) => [invalid(name, text, rule)])
      : itemsOf(name, text, items.max, readItem)
  }
}

/** Returns the fault of a property with the name of its rule, if it has one. */
const withRule = ({ ruleName }: BodyField<unknown>, fault: InputFault): InputFault =>
  ruleName === undefined ? fault : { ...fault, ruleName }

/** Returns the decoded objects of a list, or the faults of all of them. */
const itemsOf = (
  name: string,
  text: string,
  max: number,
  read: BodyReader<unknown>
): Result.Result<ReadonlyArray<unknown>, ReadonlyArray<InputFault>> => {
  const items = jsonItems(text)
  if (items.length > max) {
    return Result.fail([
      brokenBody(
        name,
        String(items.length),
        `at most ${max} items`,
        `Property ${name} has ${items.length} items: expected at most ${max}`
      )
    ])
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

/**
 * Returns a function that writes a posted value as the JSON of a request body, with the names of
 * this network. `bodyReader` decodes it to the same value.
 *
 * @param symbol the symbol of the token of the accounts, or a function that returns that of an
 * account: revisions `later` and `earlier` refuse another one
 *
 * @example
 * ```ts
 * import { bodies, bodyWriter, wireContext } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const write = bodyWriter(bodies.authorization, wireContext(network, keccak256))
 * const address = `0x${"2".repeat(40)}`
 * const text = write({ address, publicKey: "0".repeat(64), signature: `0x${"3".repeat(130)}` })
 * console.log(...Object.keys(JSON.parse(text))) // => zkEthereumAddress bjj signature
 * ```
 */
export const bodyWriter = <T>(
  { fields, fromDomain }: Body<T>,
  context: WireContext,
  symbol: string | ((index: AccountIndex) => string) = "TOKEN"
): (posted: T) => string => {
  const symbolOf = typeof symbol === "string" ? () => symbol : symbol
  const named: WireContext = {
    ...context,
    accountIndex: (_, index) => context.accountIndex(symbolOf(index), index)
  }
  const writers = Object.entries(fields).map(([name, { scalar }]) => ({
    name,
    open: `${JSON.stringify(context.name(name))}:`,
    write: scalar.write(named) as (value: unknown) => string
  }))
  return (posted) => {
    const values = fromDomain(posted)
    return `{${
      writers.map(({ name, open, write }) =>
        open + (values[name] === null ? "null" : write(values[name]))
      ).join(",")
    }}`
  }
}

/**
 * Returns the JSON Schema of a body. Rules that JSON Schema cannot express are in the descriptions.
 */
export const bodySchema = <T>(
  { doc, fields }: Body<T>,
  context: WireContext,
  { unknownProperties }: RequestRules = strictRules
): JsonSchema => ({
  type: "object",
  description: doc,
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, { doc, nullable, scalar }]) => {
      const { type, ...schema } = scalar.jsonSchema(context)
      return [context.name(name), {
        type: nullable ? [type, "null"] : type,
        ...schema,
        description: doc
      }]
    })
  ),
  required: Object.entries(fields).flatMap(([name, { required }]) =>
    required ? [context.name(name)] : []
  ),
  additionalProperties: unknownProperties === "ignored"
})

/** Returns the examples of a body in the spelling of this network. */
export const bodyExamples = <T>(
  { examples }: Body<T>,
  { name: local, network }: WireContext
): Body<T>["examples"] => {
  const localExample = (example: BodyExample): BodyExample =>
    Object.fromEntries(
      Object.entries(example).map(([name, value]) => [
        local(name),
        typeof value === "string"
          ? value.replace(/^zk:/u, `${network.prefix}:`)
          : typeof value === "object" && value !== null
          ? value.map(localExample)
          : value
      ])
    )
  return Object.fromEntries(
    Object.entries(examples).map(([title, example]) => [title, localExample(example)])
  )
}

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
    `Property ${name} has the invalid value ${
      JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value)
    }: expected ${rule}${found}`
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
