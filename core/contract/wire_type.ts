import { Schema } from "effect"
import type { WireContext } from "./wire_context.ts"

/** A JSON Schema (draft 2020-12) for OpenAPI 3.1. */
export type JsonSchema = { readonly [key: string]: unknown }

/** A type of the wire: how its values are written, checked and documented. */
export interface WireType<T> {
  /**
   * Returns a function that writes a value as JSON text. It is bound to a deployment once and
   * called for every value.
   */
  readonly write: (context: WireContext) => (value: T) => string
  /**
   * Returns the schema of the JSON that `write` produces: it decodes to the values in memory and
   * encodes them back. Integers of the JSON above 2^53 are bigint.
   */
  readonly schema: (context: WireContext) => Schema.Codec<unknown, unknown>
  /** Returns the function that converts a value to the one that `schema` encodes. */
  readonly valueIn: (context: WireContext) => (value: T) => unknown
  readonly jsonSchema: (context: WireContext) => JsonSchema
  /** Components that `jsonSchema` refers to. */
  readonly shapes: ReadonlyArray<AnyShape>
}

/** A documented component of any value type. */
export interface AnyShape {
  readonly name: string
  readonly jsonSchema: (context: WireContext) => JsonSchema
  readonly shapes: ReadonlyArray<AnyShape>
}

/** Returns the type of a value or null. A property is null, never absent. */
export const nullable = <T>(type: WireType<T>): WireType<T | null> => ({
  write: (context) => {
    const write = type.write(context)
    return (value) => value === null ? "null" : write(value)
  },
  schema: (context) => Schema.NullOr(type.schema(context)),
  valueIn: (context) => {
    const valueOf = type.valueIn(context)
    return (value) => value === null ? null : valueOf(value)
  },
  jsonSchema: (context) => {
    const inner = type.jsonSchema(context)
    return typeof inner.type === "string" && inner.enum === undefined
      ? { ...inner, type: [inner.type, "null"] }
      : { anyOf: [inner, { type: "null" }] }
  },
  shapes: type.shapes
})

export const arrayOf = <T>(
  type: WireType<T>,
  options: { readonly length?: number; readonly doc?: string } = {}
): WireType<ReadonlyArray<T>> => ({
  write: (context) => {
    const write = type.write(context)
    return (values) => {
      let text = "["
      for (let i = 0; i < values.length; i++) {
        text += i === 0
          ? write(values[i]!)
          : "," + write(values[i]!)
      }
      return text + "]"
    }
  },
  schema: (context) => {
    const all = Schema.Array(type.schema(context))
    return options.length === undefined
      ? all
      : all.check(Schema.isMinLength(options.length), Schema.isMaxLength(options.length))
  },
  valueIn: (context) => {
    const valueOf = type.valueIn(context)
    return (values) => values.map((value) => valueOf(value))
  },
  jsonSchema: (context) => ({
    type: "array",
    items: type.jsonSchema(context),
    ...(options.length === undefined ? {} : { minItems: options.length, maxItems: options.length }),
    ...(options.doc === undefined ? {} : { description: options.doc })
  }),
  shapes: type.shapes
})

/** Returns the type of a map from decimal identifiers to values. */
export const mapOf = <T>(
  type: WireType<T>,
  doc: string
): WireType<ReadonlyArray<readonly [number, T]>> => ({
  write: (context) => {
    const write = type.write(context)
    return (entries) => `{${entries.map(([key, value]) => `"${key}":${write(value)}`).join(",")}}`
  },
  schema: (context) =>
    Schema.Record(Schema.String.check(Schema.isPattern(/^\d+$/u)), type.schema(context)),
  valueIn: (context) => {
    const valueOf = type.valueIn(context)
    return (entries) => Object.fromEntries(entries.map(([key, value]) => [key, valueOf(value)]))
  },
  jsonSchema: (context) => ({
    type: "object",
    additionalProperties: type.jsonSchema(context),
    description: doc
  }),
  shapes: type.shapes
})
