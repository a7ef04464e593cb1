import { Record, Schema, Struct } from "effect"
import { type Scalar, wireForm } from "../scalars/mod.ts"
import type { WireContext } from "../wire_context.ts"
import { keyAnnotations } from "./properties.ts"

/*
 * An object of the wire is a struct of its values in memory. The scalars among its fields say how
 * they are written, and the annotations of a field its name on the wire, if it has another one, and
 * its description. From the struct derive the writer of answers, the schema that decodes them, and
 * the components of OpenAPI. Names are those of the default network.
 */

/** Returns an object of the wire: it carries exactly its fields, in their order. */
export const object = <const F extends Schema.Struct.Fields>(
  identifier: string,
  description: string,
  fields: F
) => Schema.Struct(fields).annotate({ identifier, description })

/** Returns an object with other fields; it keeps its name and its other annotations. */
export const withFields = <const F extends Schema.Struct.Fields>(
  of: Schema.Constraint,
  fields: F
) => Schema.Struct(fields).annotate(Schema.resolveAnnotations(of) as Schema.Annotations.Annotations)

export const descriptionOf = (of: Schema.Constraint): string =>
  Schema.resolveAnnotations(of)!.description!

/** Returns an object without a name that has annotations on all fields. */
export const annotateFields = <const F extends Schema.Struct.Fields>(
  { fields }: Schema.Struct<F>,
  annotations: Schema.Annotations.Annotations
): Schema.Struct<F> =>
  Schema.Struct(Record.map(fields, (field) =>
    (field as Schema.Top).pipe(
      Schema.annotateKey({ ...keyAnnotations(field.ast), ...annotations })
    )) as Schema.Struct.Fields as F)

/** Returns an object without some of its fields. */
export const omit = <const F extends Schema.Struct.Fields, const K extends keyof F>(
  of: Schema.Struct<F>,
  names: ReadonlyArray<K>
) => withFields(of, Struct.omit(of.fields, names))

/** Returns an object with other names on the wire for some of its fields. */
export const rename = <const F extends Schema.Struct.Fields>(
  of: Schema.Struct<F>,
  names: { readonly [K in keyof F]?: string }
) =>
  withFields(
    of,
    Record.map(of.fields, (field, key) => {
      const name = names[key]
      return name === undefined ? field : named(name, field as Schema.Top)
    }) as F
  )

/** Returns a field with a description of its own. */
export const documented = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.pipe(Schema.annotateKey({ ...keyAnnotations(schema.ast), description }))

/** Returns a field with another name on the wire. */
export const named = <S extends Schema.Top>(
  wireName: string,
  schema: S,
  description?: string
): S["Rebuild"] =>
  schema.pipe(Schema.annotateKey({
    ...keyAnnotations(schema.ast),
    wireName,
    ...description === undefined ? {} : { description }
  }))

/** Returns the type of a value or null. A property is null, never absent. */
export const nullable = <S extends Schema.Constraint>(schema: S): Schema.NullOr<S> =>
  Schema.NullOr(schema)

/** Returns the field of a constant of the deployment; its value in memory is null. */
export const ofNetwork = <T>(scalar: Scalar<T>, get: (network: WireContext["network"]) => T) => {
  const { codec, write } = wireForm(scalar)
  return Schema.Null.annotate({
    jsonForm: {
      write: (context: WireContext) => {
        const text = write(context)(get(context.network))
        return () => text
      },
      codec
    }
  })
}

/** A value of the wire, and the function that returns its fields for an object in memory. */
export interface Shape<in V> {
  readonly schema: Schema.Codec<unknown>
  readonly view: (value: V) => unknown
}

/** Returns the shape of objects in memory; a field that `view` forgets is a type error. */
export const shape = <V, T>(
  schema: Schema.Codec<T>,
  view: (value: V) => NoInfer<T>
): Shape<V> => ({ schema, view })

/** Returns the shape of objects in memory that have the fields of the struct. */
export const shapeOf = <T>(schema: Schema.Codec<T>): Shape<T> => ({
  schema,
  view: (value) => value
})

/**
 * Returns the shapes of a revision with other objects in place of those with the same names, also
 * where other objects contain them. A replacement has no other fields in memory. Throws if no object
 * has the name of a replacement.
 */
export const replaceObjects = <S extends { readonly [name in keyof S]: Shape<never> }>(
  shapes: S,
  ...objects: ReadonlyArray<Schema.Constraint>
): S => {
  const byName = new Map(objects.map((each) => [nameOf(each), each as Schema.Top]))
  const unused = new Set(byName.keys())
  const known = new Map<object, Schema.Top>()
  const replace = (schema: Schema.Top): Schema.Top => {
    const found = known.get(schema.ast)
    if (found !== undefined) return found
    const other = rebuild(schema)
    const annotations = keyAnnotations(schema.ast)
    const result = other === schema || annotations === undefined
      ? other
      : other.pipe(Schema.annotateKey(annotations))
    known.set(schema.ast, result)
    return result
  }
  const rebuild = (schema: Schema.Top): Schema.Top => {
    const name = nameOf(schema)
    unused.delete(name)
    const current = byName.get(name) ?? schema
    const { fields, members, value } = current as {
      readonly fields?: { readonly [name: string]: Schema.Top }
      readonly members?: readonly [Schema.Top]
      readonly value?: Schema.Top
    }
    const parts = fields === undefined ? members ?? [value] : Object.values(fields)
    if (parts.every((part) => part === undefined || replace(part) === part)) return current
    return fields !== undefined
      ? withFields(current, Record.map(fields, replace))
      : members !== undefined
      ? Schema.NullOr(replace(members[0]))
      : Schema.Array(replace(value!))
  }
  const replaced = Record.map(
    shapes as { readonly [name: string]: Shape<never> },
    ({ schema, view }) => ({
      schema: replace(schema) as Schema.Constraint as Schema.Codec<unknown>,
      view
    })
  )
  if (unused.size > 0) throw new Error(`No object of the contract is called ${[...unused].join()}`)
  return replaced as object as S
}

const nameOf = (schema: Schema.Constraint): unknown => Schema.resolveAnnotations(schema)?.identifier
