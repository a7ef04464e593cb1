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

/**
 * One property of an object on the wire: how to get it from the view (`V`), and how to write it.
 */
export interface Field<in V> {
  readonly type: WireType<never>
  readonly get: (view: V) => unknown
  /** Replaces the description of the type. */
  readonly doc?: string
}

export const field = <V, T>(type: WireType<T>, get: (view: V) => T, doc?: string): Field<V> => ({
  type,
  get,
  ...(doc === undefined ? {} : { doc })
})

/**
 * The properties of an object in the order in which they are written. All are required, no other is
 * sent.
 */
export type Fields<V> = { readonly [name: string]: Field<V> }

/** An object of the wire. Names are those of the default network. */
export interface Shape<in V> extends AnyShape, WireType<V> {
  readonly doc: string
  readonly fields: { readonly [name: string]: Field<V> }
}

/** A closed object: it carries exactly its fields. */
export const shape = <V>(
  name: string,
  doc: string,
  fields: Fields<V>
): Shape<V> => ({
  name,
  doc,
  fields,
  write: (context) => context.writerOf(fields, () => objectWriter(fields, context)),
  schema: (context) =>
    Schema.Struct(Object.fromEntries(
      Object.entries(fields).map(([key, { type }]) => [context.name(key), type.schema(context)])
    )) as unknown as Schema.Codec<unknown, unknown>,
  valueIn: (context) => {
    const values = Object.entries(fields).map(([key, { get, type }]) => {
      const valueOf = type.valueIn(context) as (value: unknown) => unknown
      return [context.name(key), (view: V) => valueOf(get(view))] as const
    })
    return (view) => Object.fromEntries(values.map(([name, valueOf]) => [name, valueOf(view)]))
  },
  jsonSchema: (context) => ({
    type: "object",
    description: doc,
    properties: Object.fromEntries(
      Object.entries(fields).map(([key, { doc, type }]) => {
        const schema = type.jsonSchema(context)
        return [
          context.name(key),
          doc === undefined ? schema : { ...schema, description: doc }
        ]
      })
    ),
    required: Object.keys(fields).map(context.name),
    additionalProperties: false
  }),
  shapes: Object.values(fields).flatMap((field) => field.type.shapes)
})

const objectWriter = <V>(fields: Fields<V>, context: WireContext): (view: V) => string => {
  const entries = Object.entries(fields).map(([key, { get, type }], i) => {
    const write = type.write(context) as (value: unknown) => string
    return {
      open: `${i === 0 ? "{" : ","}${JSON.stringify(context.name(key))}:`,
      write: (view: V) => write(get(view))
    }
  })
  return (view) => {
    let text = ""
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!
      text += entry.open + entry.write(view)
    }
    return text + "}"
  }
}

/** The shape as the type of a property: documented once, referred to by name. */
export const reference = <V>(to: Shape<V>): WireType<V> => ({
  write: to.write,
  schema: to.schema,
  valueIn: to.valueIn,
  jsonSchema: () => ({ $ref: `#/components/schemas/${to.name}` }),
  shapes: [to]
})

/** What a revision changes in an object: renamed, omitted and replaced properties. */
export interface ShapeDifferences<V> {
  readonly rename?: { readonly [name: string]: string }
  readonly omit?: ReadonlyArray<string>
  /** Replaces the property of that name in its position, or adds it at the end. */
  readonly put?: Fields<V>
}

/**
 * Returns the object with the differences of a revision. Throws if they name a property that does
 * not exist.
 */
export const revise = <V>(
  of: Shape<V>,
  { rename = {}, omit = [], put = {} }: ShapeDifferences<V>
): Shape<V> => {
  for (const name of [...Object.keys(rename), ...omit]) {
    if (!(name in of.fields)) throw new Error(`${of.name} has no property ${name}`)
  }
  const fields: { [name: string]: Field<V> } = {}
  for (const [name, field] of Object.entries(of.fields)) {
    if (!omit.includes(name)) fields[rename[name] ?? name] = put[name] ?? field
  }
  return shape(of.name, of.doc, {
    ...fields,
    ...Object.fromEntries(Object.entries(put).filter(([name]) => !(name in of.fields)))
  })
}
