import { JsonSchema as JsonSchemas, Schema, SchemaAST } from "effect"
import { jsonForm } from "../scalars/mod.ts"
import type { WireContext } from "../wire_context.ts"
import { notNull, type Property, propertiesOf } from "./properties.ts"

/**
 * Returns the schema of the JSON that `writerOf` writes: it decodes to values in memory under the
 * names of the wire, and encodes them back. Integers of the JSON above 2^53 are bigint.
 *
 * @example
 * ```ts
 * import { Schema } from "effect"
 * import { later, wireContext, wireSchema } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "hez", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const schema = wireSchema(later.shapes.authorization.schema, wireContext(network, keccak256))
 * console.log(Schema.is(schema)({ hezEthereumAddress: 1 })) // => false
 * ```
 */
export const wireSchema = (
  schema: Schema.Constraint,
  context: WireContext
): Schema.Codec<unknown, unknown> => codecIn(context, new Map())(schema.ast)

/** The objects of a document by name, with the properties of which each was made. */
type Named = Map<
  string,
  { readonly of: ReadonlyArray<Property>; readonly codec: Schema.Codec<unknown, unknown> }
>

const codecIn = (context: WireContext, known: Named) => {
  const codecOf = (
    ast: SchemaAST.AST,
    description?: string
  ): Schema.Codec<unknown, unknown> => {
    const form = jsonForm(ast)
    if (form !== undefined) return form.codec(context, description)
    if (SchemaAST.isUnion(ast)) return nullable(notNull(ast), description)
    if (SchemaAST.isArrays(ast)) {
      const own = namesOf(ast)
      const array = Schema.Array(codecOf(ast.rest[0]!))
      const [first, ...others] = ast.checks ?? []
      return withDescription(
        first === undefined ? array : array.check(first, ...others),
        own.description ?? description,
        own.identifier
      )
    }
    const object = objectOf(ast)
    return description === undefined
      ? object
      : withDescription(Schema.Union([object]), description)
  }

  const nullable = (type: SchemaAST.AST, description?: string) =>
    withDescription(
      Schema.NullOr(codecOf(type)),
      description ?? (jsonForm(type) === undefined ? undefined : namesOf(type).description)
    )

  const objectOf = (ast: SchemaAST.AST): Schema.Codec<unknown, unknown> => {
    const { description, identifier = "" } = namesOf(ast)
    const properties = propertiesOf(ast)
    const found = known.get(identifier)
    if (found !== undefined) {
      if (isSame(found.of, properties)) return found.codec
      throw new Error(
        `Two objects of the document are called ${identifier}: ` +
          "replace it in all shapes of the revision with replaceObjects"
      )
    }
    const fields = properties.map(({ description, isOptional, name, type }) => {
      if (!isOptional) return [context.name(name), codecOf(type, description)] as const
      const codec = nullable(SchemaAST.isUnion(type) ? notNull(type) : type, description)
      return [context.name(name), Schema.optionalKey(codec)] as const
    })
    const codec = withDescription(
      Schema.Struct(Object.fromEntries(fields)),
      description,
      identifier
    )
    known.set(identifier, { of: properties, codec })
    return codec
  }
  return codecOf
}

const namesOf = (ast: SchemaAST.AST) => {
  const { description, identifier } = SchemaAST.resolve(ast) ?? {}
  return {
    description: description as string | undefined,
    identifier: identifier as string | undefined
  }
}

const isSame = (a: ReadonlyArray<Property>, b: ReadonlyArray<Property>): boolean =>
  a.length === b.length &&
  a.every(({ name, type }, i) => name === b[i]!.name && type === b[i]!.type)

const withDescription = (
  schema: Schema.Constraint,
  description?: string,
  identifier?: string
): Schema.Codec<unknown, unknown> =>
  (schema as Schema.Codec<unknown, unknown>).annotate({
    ...description === undefined ? {} : { description },
    ...identifier === undefined ? {} : { identifier }
  })

/** A JSON Schema (draft 2020-12) for OpenAPI 3.1. */
export type JsonSchema = JsonSchemas.JsonSchema

/** Returns the JSON Schema of the JSON of a scalar. */
export const jsonSchemaOf = (scalar: Schema.Constraint, context: WireContext): JsonSchema =>
  Schema.toJsonSchemaDocument(wireSchema(scalar, context)).schema

/**
 * Returns the JSON Schemas of objects and of the objects in them by name, with references for
 * OpenAPI. Bounds above 2^53 are bigint. Throws if two different objects have the same name.
 */
export const componentsOf = (
  schemas: ReadonlyArray<Schema.Constraint>,
  context: WireContext,
  onExcessProperty: "ignore" | "error" = "error"
): { readonly [name: string]: JsonSchema } => {
  const codecOf = codecIn(context, new Map())
  const { definitions } = Schema.toJsonSchemaDocument(
    Schema.Tuple(schemas.map(({ ast }) => codecOf(ast))),
    { onExcessProperty }
  )
  return JsonSchemas.toMultiDocumentOpenApi3_1({
    dialect: "draft-2020-12",
    schemas: [{}],
    definitions
  }).definitions
}
