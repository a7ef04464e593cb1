import { Schema } from "effect"
import type { WireContext } from "./wire_context.ts"
import { type Pieces, type TextParts, written } from "./text_memory.ts"
import type { AnyShape, JsonSchema, WireType } from "./wire_type.ts"

/** One property of an object on the wire: where it comes from in what is shown (`V`), and how it is written. */
export interface Field<in V> {
  readonly bind: (context: WireContext) => (view: V) => string
  readonly schema: (context: WireContext) => Schema.Codec<unknown>
  readonly jsonSchema: (context: WireContext) => JsonSchema
  readonly shapes: ReadonlyArray<AnyShape>
  /** Whether it changes where the rest of the object does not, so that the object is kept written without it. */
  readonly isApart?: boolean
}

export const field = <V, T>(type: WireType<T>, get: (view: V) => T, doc?: string): Field<V> => ({
  bind: (context) => {
    const write = type.write(context)
    return (view) => write(get(view))
  },
  schema: type.schema,
  jsonSchema: (context) => {
    const schema = type.jsonSchema(context)
    return doc === undefined ? schema : { ...schema, description: doc }
  },
  shapes: type.shapes
})

/** A property that changes where the rest of its object does not; one of an object at most. */
export const apart = <V>(of: Field<V>): Field<V> => ({ ...of, isApart: true })

/** The properties of an object in the order in which they are written. All are required, no other is sent. */
export type Fields<V> = { readonly [name: string]: Field<V> }

/** An object of the wire. Names are those of the default network. */
export interface Shape<in V> extends AnyShape, WireType<V> {
  readonly doc: string
  readonly fields: { readonly [name: string]: Field<V> }
  /** The immutable values that all fields but the one apart are taken from; where it is given, written objects are kept ready. */
  readonly parts: ((view: V) => TextParts) | undefined
}

/** A closed object: it carries exactly its fields. */
export const shape = <V>(
  name: string,
  doc: string,
  fields: Fields<V>,
  parts?: (view: V) => TextParts
): Shape<V> => ({
  name,
  doc,
  fields,
  parts,
  write: (context) =>
    context.writerOf(fields, () => {
      const pieces = piecesOf(fields, context)
      return parts === undefined ? written(pieces) : context.texts.keep(name, parts, pieces)
    }),
  schema: (context) =>
    Schema.Struct(Object.fromEntries(
      Object.entries(fields).map(([key, field]) => [context.name(key), field.schema(context)])
    )) as unknown as Schema.Codec<unknown>,
  jsonSchema: (context) => ({
    type: "object",
    description: doc,
    properties: Object.fromEntries(
      Object.entries(fields).map(([key, field]) => [context.name(key), field.jsonSchema(context)])
    ),
    required: Object.keys(fields).map(context.name),
    additionalProperties: false
  }),
  shapes: Object.values(fields).flatMap((field) => field.shapes)
})

const piecesOf = <V>(fields: Fields<V>, context: WireContext): Pieces<V> => {
  const entries = Object.entries(fields).map(([key, { bind, isApart }], i) => ({
    open: `${i === 0 ? "{" : ","}${JSON.stringify(context.name(key))}:`,
    write: bind(context),
    isApart
  }))
  const at = entries.findIndex(({ isApart }) => isApart)
  if (at < 0) return { before: pieceOf(entries, "}") }
  const { open, write } = entries[at]!
  return {
    before: pieceOf(entries.slice(0, at), open),
    apart: { write, after: pieceOf(entries.slice(at + 1), "}") }
  }
}

const pieceOf = <V>(
  entries: ReadonlyArray<{ readonly open: string; readonly write: (view: V) => string }>,
  end: string
) =>
(view: V): string => {
  let text = ""
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!
    text += entry.open + entry.write(view)
  }
  return text + end
}

/** The shape as the type of a property: documented once, referred to by name. */
export const reference = <V>(to: Shape<V>): WireType<V> => ({
  write: to.write,
  schema: to.schema,
  jsonSchema: () => ({ $ref: `#/components/schemas/${to.name}` }),
  shapes: [to]
})

/** What a revision changes in an object: properties it calls otherwise, leaves out, or shows differently. */
export interface ShapeDifferences<V> {
  readonly rename?: { readonly [name: string]: string }
  readonly omit?: ReadonlyArray<string>
  /** Replaces the property of that name where it stands, or adds it at the end. */
  readonly put?: Fields<V>
}

/** The same object with the differences of a revision; naming a property that is not there is a defect. */
export const revise = <V>(
  of: Shape<V>,
  { rename = {}, omit = [], put = {} }: ShapeDifferences<V>
): Shape<V> => {
  for (const name of [...Object.keys(rename), ...omit]) {
    if (!(name in of.fields)) throw new Error(`${of.name} has no property ${name}`)
  }
  const fields: { [name: string]: Field<V> } = {}
  for (const [name, field] of Object.entries(of.fields)) {
    // shown differently, it changes as it did before
    if (!omit.includes(name)) {
      fields[rename[name] ?? name] = { ...put[name] ?? field, isApart: field.isApart === true }
    }
  }
  return shape(of.name, of.doc, {
    ...fields,
    ...Object.fromEntries(Object.entries(put).filter(([name]) => !(name in of.fields)))
  }, of.parts)
}
