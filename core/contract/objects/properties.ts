import { SchemaAST } from "effect"
import type { InputFault } from "../input_fault.ts"

/** A property of the JSON of an object. */
export interface Property {
  /** Its name on the wire of the default network. */
  readonly name: string
  /** Its path in memory: a key, or the keys of an object whose fields the JSON has itself. */
  readonly path: readonly [string] | readonly [string, string]
  readonly description: string | undefined
  readonly type: SchemaAST.AST
  /** Whether it may be absent in a request, which then means the same as null. */
  readonly isOptional: boolean
  /** The rule that an invalid value in a request breaks, if a revision has an error code for it. */
  readonly ruleName: InputFault["ruleName"] | undefined
  /** Its value, if it is checked in a request and has no other use. */
  readonly unusedValue: unknown
  /** The rule of a property that must be null or absent in a request. */
  readonly onlyNull: string | undefined
}

/** Returns the properties of the JSON of an object in their order. */
export const propertiesOf = (ast: SchemaAST.AST): ReadonlyArray<Property> => {
  if (!SchemaAST.isObjects(ast)) throw new Error(`${ast._tag} is no type of the contract`)
  return ast.propertySignatures.flatMap(({ name: key, type }): ReadonlyArray<Property> => {
    const annotations = keyAnnotations(type) ?? {}
    const { description, nestedPrefix, onlyNull, ruleName, unusedValue, wireName } = annotations
    if (nestedPrefix === undefined || !SchemaAST.isUnion(type)) {
      return [{
        name: wireName ?? String(key),
        path: [String(key)],
        description,
        type,
        isOptional: type.encoding !== undefined || SchemaAST.isOptional(type),
        ruleName,
        unusedValue,
        onlyNull
      }]
    }
    return propertiesOf(notNull(type)).map(({ name, path, ...property }) => ({
      ...property,
      name: `${nestedPrefix}${name[0]!.toUpperCase()}${name.slice(1)}`,
      path: [String(key), path[0]]
    }))
  })
}

export const notNull = ({ types }: SchemaAST.Union): SchemaAST.AST =>
  types.find((type) => !SchemaAST.isNull(type))!

/** Returns the annotations of a field. */
export const keyAnnotations = (ast: SchemaAST.AST) => ast.context?.annotations
