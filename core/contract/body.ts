import { Result } from "effect"
import { type JsonKind, type JsonMember, jsonMembers } from "./_json_members.ts"
import { unknownProperties } from "./_unknown_properties.ts"
import type { BodyScalar } from "./body_scalar.ts"
import { brokenBody, type InputFault } from "./fault.ts"
import type { WireContext } from "./wire_context.ts"
import type { JsonSchema } from "./wire_type.ts"

/** One property of a posted object. One that is null or left out, where that is allowed, is read as null. */
export interface BodyField<out T> {
  readonly scalar: BodyScalar<T>
  readonly required: boolean
  readonly nullable: boolean
  readonly doc: string
}

export const required = <T>(scalar: BodyScalar<T>, doc: string): BodyField<T> => ({
  scalar,
  required: true,
  nullable: false,
  doc
})
export const optional = <T>(scalar: BodyScalar<T>, doc: string): BodyField<T | null> => ({
  scalar,
  required: false,
  nullable: true,
  doc
})

type BodyFields = { readonly [name: string]: BodyField<unknown> }
type ValuesOf<F extends BodyFields> = {
  readonly [N in keyof F]: F[N] extends BodyField<infer T> ? T : never
}

/** An object that clients post: closed, its names those of the default network. */
export interface Body<T> {
  readonly name: string
  readonly doc: string
  readonly fields: BodyFields
  /** Properties that clients may know from elsewhere, and why they cannot be here. */
  readonly notes: { readonly [name: string]: string }
  readonly toDomain: (values: never) => T
  readonly fromDomain: (posted: T) => { readonly [name: string]: unknown }
  /** Bodies as they are posted to the default network, by name. */
  readonly examples: {
    readonly [title: string]: { readonly [name: string]: string | number | null }
  }
}

/** Declares a body whose domain value is made of the values of its fields. */
export const body = <const F extends BodyFields, T>(
  { toDomain, ...declared }:
    & Omit<Body<T>, "fields" | "toDomain" | "fromDomain">
    & {
      readonly fields: F
      readonly toDomain: (values: ValuesOf<F>) => T
      readonly fromDomain: (posted: T) => ValuesOf<F>
    }
): Body<T> => ({ ...declared, toDomain: toDomain as (values: never) => T })

/** Reads the text of a posted body: what it says, or every rule that it breaks. */
export type BodyReader<T> = (text: string) => Result.Result<T, ReadonlyArray<InputFault>>

/**
 * Reads bodies as this network spells them. The text is JSON in the strict sense, nested 32 levels deep at most unless told otherwise;
 * integers keep all their digits, a property stands there once, and an unknown one is refused with the nearest known name.
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
  { fields, notes, toDomain }: Body<T>,
  { name: local, network }: WireContext,
  { jsonDepthMax }: { readonly jsonDepthMax?: number } = {}
): BodyReader<T> => {
  const named = new Map(
    Object.entries(fields).map(([name, field]) => [local(name), { name, field }])
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
    const given = new Map<string, JsonMember>()
    const repeated = new Map<string, JsonMember>()
    for (const member of members.success) {
      if (given.has(member.name)) repeated.set(member.name, member)
      else given.set(member.name, member)
    }
    const values: { [name: string]: unknown } = {}
    for (const [name, member] of given) {
      const known = named.get(name)
      if (known === undefined) continue
      const value = valueOf(known.field, member)
      if (Result.isSuccess(value)) values[known.name] = value.success
      else faults.push(value.failure)
    }
    faults.push(...explain(given.values()))
    for (const [name, { text }] of repeated) {
      faults.push(
        brokenBody(
          name,
          text,
          "given once",
          `Property ${JSON.stringify(name.slice(0, 100))} is given more than once: give it once`
        )
      )
    }
    for (const [name, { field, name: own }] of named) {
      if (given.has(name)) continue
      if (field.required) {
        faults.push(
          brokenBody(
            name,
            null,
            "a required property",
            `Property ${name} is missing: it is required`
          )
        )
      } else values[own] = null
    }
    return faults.length > 0 ? Result.fail(faults) : Result.succeed(toDomain(values as never))
  }

  function valueOf(
    { nullable, scalar }: BodyField<unknown>,
    { kind, name, text }: JsonMember
  ): Result.Result<unknown, InputFault> {
    if (kind === "null" && nullable) return Result.succeed(null)
    if (kind !== scalar.json) {
      return Result.fail(
        invalid(
          name,
          text,
          `${kinds[scalar.json]}${nullable ? " or null" : ""}`,
          `, found ${kinds[kind]}`
        )
      )
    }
    return Result.mapError(scalar.parse(text, network), ({ rule }) => invalid(name, text, rule))
  }
}

/** Writes what a client posts; reads back as the same. @param symbol the token of the transaction, for people only */
export const bodyWriter = <T>(
  { fields, fromDomain }: Body<T>,
  context: WireContext,
  symbol = "TOKEN"
): (posted: T) => string => {
  const writers = Object.entries(fields).map(([name, { scalar }]) => {
    const write = scalar.write(context, symbol) as (value: unknown) => string
    const text = scalar.json === "number" ? write : (value: unknown) => JSON.stringify(write(value))
    return { name, open: `${JSON.stringify(context.name(name))}:`, write: text }
  })
  return (posted) => {
    const values = fromDomain(posted)
    return `{${
      writers.map(({ name, open, write }) =>
        open + (values[name] === null ? "null" : write(values[name]))
      ).join(",")
    }}`
  }
}

/** The schema of a body; what JSON Schema cannot say is in words. */
export const bodySchema = <T>(
  { doc, fields }: Body<T>,
  { name: local, network }: WireContext
): JsonSchema => ({
  type: "object",
  description: doc,
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, { doc, nullable, scalar }]) => {
      const { type, ...schema } = scalar.jsonSchema(network)
      return [local(name), { type: nullable ? [type, "null"] : type, ...schema, description: doc }]
    })
  ),
  required: Object.entries(fields).flatMap(([name, { required }]) => required ? [local(name)] : []),
  additionalProperties: false
})

/** The examples of a body as this network spells them. */
export const bodyExamples = <T>(
  { examples }: Body<T>,
  { name: local, network }: WireContext
): Body<T>["examples"] =>
  Object.fromEntries(
    Object.entries(examples).map(([title, example]) => [
      title,
      Object.fromEntries(
        Object.entries(example).map((
          [name, value]
        ) => [
          local(name),
          typeof value === "string" ? value.replace(/^zk:/u, `${network.prefix}:`) : value
        ])
      )
    ])
  )

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

/** Characters of a malformed text that are repeated. */
const shownMax = 20

const noJson = (text: string, position: number, expected: string): InputFault => {
  const rest = text.slice(position, position + shownMax)
  const found = rest === "" ? "the end" : JSON.stringify(rest)
  return brokenBody(
    null,
    text,
    `JSON: ${expected} at character ${position}`,
    `The body is not the JSON that is expected: ${expected} at character ${position}, found ${found}`
  )
}
