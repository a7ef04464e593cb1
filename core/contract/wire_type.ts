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
   * Returns a schema that accepts exactly the JSON values that `write` produces; integers above
   * 2^53 are bigint.
   */
  readonly schema: (context: WireContext) => Schema.Codec<unknown>
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

interface TextOptions {
  readonly doc?: string
  readonly pattern?: string
  readonly format?: string
  readonly example?: unknown
}

const described = (options: TextOptions): JsonSchema => ({
  ...(options.doc === undefined ? {} : { description: options.doc }),
  ...(options.format === undefined ? {} : { format: options.format }),
  ...(options.example === undefined ? {} : { examples: [options.example] })
})

/** Returns the type of a text. `plain`: no character needs escaping in JSON. */
export const textType = <T>(
  format: (context: WireContext) => (value: T) => string,
  options: TextOptions & {
    readonly plain: boolean
    readonly patternOf?: (context: WireContext) => string
  }
): WireType<T> => {
  const patternOf = (context: WireContext) => options.patternOf?.(context) ?? options.pattern
  return {
    write: (context) => {
      const text = format(context)
      return options.plain ? (value) => `"${text(value)}"` : (value) => JSON.stringify(text(value))
    },
    schema: (context) => {
      const pattern = patternOf(context)
      return pattern === undefined
        ? Schema.String
        : Schema.String.check(Schema.isPattern(new RegExp(pattern, "u")))
    },
    jsonSchema: (context) => {
      const pattern = patternOf(context)
      return {
        type: "string",
        ...(pattern === undefined ? {} : { pattern }),
        ...described(options)
      }
    },
    shapes: []
  }
}

const bigIntegers = Schema.BigInt

/**
 * Returns the type of an integer within bounds, written with all digits; above 2^53 a reader needs
 * more than a double.
 */
export const integerType = <T extends number | bigint>(
  minimum: bigint,
  maximum: bigint,
  options: TextOptions = {}
): WireType<T> => ({
  write: () => (value) => `${value}`,
  schema: () => {
    const withinDoubles = Schema.Int.check(Schema.isBetween({
      minimum: Number(minimum),
      maximum: Math.min(Number(maximum), Number.MAX_SAFE_INTEGER)
    }))
    return maximum <= BigInt(Number.MAX_SAFE_INTEGER)
      ? withinDoubles
      : Schema.Union([
        withinDoubles,
        bigIntegers.check(
          Schema.makeFilter((n) =>
            (n >= minimum && n <= maximum) || `Expected ${minimum} to ${maximum}`
          )
        )
      ])
  },
  jsonSchema: () => ({
    type: "integer",
    minimum: exact(minimum),
    maximum: exact(maximum),
    ...described(options)
  }),
  shapes: []
})

/**
 * Returns a bound of the schema. A bigint keeps its digits if a double cannot represent it: the
 * writer of the document writes bigint as a number.
 */
const exact = (bound: bigint): number | bigint =>
  bound <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bound) : bound

/** The type of a finite number. */
export const numberType = (
  options: TextOptions & { readonly minimum?: number } = {}
): WireType<number> => ({
  write: () => (value) => `${value}`,
  schema: () =>
    options.minimum === undefined
      ? Schema.Finite
      : Schema.Finite.check(Schema.isGreaterThanOrEqualTo(options.minimum)),
  jsonSchema: () => ({
    type: "number",
    ...(options.minimum === undefined ? {} : { minimum: options.minimum }),
    ...described(options)
  }),
  shapes: []
})

export const booleanType: WireType<boolean> = {
  write: () => (value) => value ? "true" : "false",
  schema: () => Schema.Boolean,
  jsonSchema: () => ({ type: "boolean" }),
  shapes: []
}

/** One of a closed set of texts. */
export const enumType = <const T extends string>(
  values: ReadonlyArray<T>,
  doc?: string
): WireType<T> => ({
  write: () => (value) => `"${value}"`,
  schema: () => Schema.Literals(values),
  jsonSchema: () => ({
    type: "string",
    enum: values,
    ...(doc === undefined ? {} : { description: doc })
  }),
  shapes: []
})

/** Returns the type of a value or null. A property is null, never absent. */
export const nullable = <T>(type: WireType<T>): WireType<T | null> => ({
  write: (context) => {
    const write = type.write(context)
    return (value) => value === null ? "null" : write(value)
  },
  schema: (context) => Schema.NullOr(type.schema(context)),
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
  jsonSchema: (context) => ({
    type: "object",
    additionalProperties: type.jsonSchema(context),
    description: doc
  }),
  shapes: type.shapes
})
