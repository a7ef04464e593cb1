import { Record, Schema } from "effect"
import { type Shape, withFields } from "./object.ts"
import { keyAnnotations } from "./properties.ts"

/**
 * Returns the shapes of a revision with other objects in place of those with the same names, also
 * where other objects contain them. A replacement has no other
 * fields in memory.
 */
export const replaceObjects = <S extends { readonly [name in keyof S]: Shape<never> }>(
  shapes: S,
  ...objects: ReadonlyArray<Schema.Constraint>
): S => {
  const byName = new Map(objects.map((each) => [nameOf(each), each as Schema.Top]))
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
    const other = byName.get(nameOf(schema))
    if (other !== undefined) return other
    const { fields, members, value } = schema as {
      readonly fields?: { readonly [name: string]: Schema.Top }
      readonly members?: readonly [Schema.Top]
      readonly value?: Schema.Top
    }
    const parts = fields === undefined ? members ?? [value] : Object.values(fields)
    if (parts.every((part) => part === undefined || replace(part) === part)) return schema
    return fields !== undefined
      ? withFields(schema, Record.map(fields, replace))
      : members !== undefined
      ? Schema.NullOr(replace(members[0]))
      : Schema.Array(replace(value!))
  }
  return Record.map(shapes as { readonly [name: string]: Shape<never> }, ({ schema, view }) => ({
    schema: replace(schema) as Schema.Constraint as Schema.Codec<unknown>,
    view
  })) as object as S
}

const nameOf = (schema: Schema.Constraint): unknown => Schema.resolveAnnotations(schema)?.identifier
