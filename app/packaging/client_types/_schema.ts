import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { Schema } from "effect"
import {
  answerShape,
  componentsOf,
  type JsonSchema,
  readOperationsOf,
  type Revision,
  type WireContext,
  wireContext
} from "../../../core/contract/mod.ts"

/** The names of the client are those of prefix `zk`; its types replace the prefix. */
export const context: WireContext = wireContext(
  { prefix: "zk", name: "Rollup", chainId: 1, rollupAddress: `0x${"0".repeat(40)}` },
  keccak256
)

/** JSON Schemas by name. */
export type Components = { readonly [name: string]: JsonSchema }

/** Returns the objects of all answers of a revision. */
export const answerComponents = (revision: Revision): Components =>
  componentsOf(
    readOperationsOf(revision).map(([, operation]) => answerShape(operation, revision).schema),
    context
  )

/** Returns the name of an object of the contract. */
export const nameOf = (schema: Schema.Constraint): string =>
  Schema.resolveAnnotations(schema)!.identifier!

/** Returns the names of the components that a component refers to. */
export const mentionedIn = (component: JsonSchema): ReadonlyArray<string> =>
  [
    ...JSON.stringify(component, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value).matchAll(
        /"#\/components\/schemas\/(\w+)"/gu
      )
  ].map(([, name]) =>
    name!
  )

/**
 * Returns the type of the client's value for a JSON value of a schema.
 *
 * @param wide the type of integers that a double cannot represent
 */
export const typeOf = (schema: JsonSchema, wide = "bigint"): string => {
  if (schema.$ref !== undefined) return String(schema.$ref).slice("#/components/schemas/".length)
  if (Array.isArray(schema.anyOf)) {
    return (schema.anyOf as ReadonlyArray<JsonSchema>).map((one) => typeOf(one, wide)).join(" | ")
  }
  if (schema.enum !== undefined) {
    return (schema.enum as ReadonlyArray<string>).map((value) => `"${value}"`).join(" | ")
  }
  switch (schema.type) {
    case "integer":
      return isWide(schema) ? wide : "number"
    case "object":
      return `{ readonly [key: string]: ${
        typeOf(schema.additionalProperties as JsonSchema, wide)
      } }`
    case "array":
      return `ReadonlyArray<${typeOf(schema.items as JsonSchema, wide)}>`
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type
    default:
      throw new Error(`No type for the schema ${JSON.stringify(schema)}: expected one of JSON`)
  }
}

/** Returns the declaration of the type of an object, or of a list of objects. */
export const declarationOf = (name: string, schema: JsonSchema, wide = "bigint"): string => {
  const doc = `/** ${String(schema.description)}. */\n`
  if (schema.type === "array") return `${doc}export type ${name} = ${typeOf(schema)}`
  const required = schema.required as ReadonlyArray<string>
  const lines = propertiesOf(schema).flatMap(([property, value]) => [
    ...(value.description === undefined ? [] : [`  /** ${String(value.description)}. */`]),
    `  readonly ${property}${required.includes(property) ? "" : "?"}: ${typeOf(value, wide)}`
  ])
  return `${doc}export interface ${name} {\n${lines.join("\n")}\n}`
}

/** Returns the properties of an object's schema with their schemas. */
export const propertiesOf = (
  { properties = {} }: JsonSchema
): ReadonlyArray<readonly [name: string, schema: JsonSchema]> =>
  Object.entries(properties as { readonly [name: string]: JsonSchema })

/** Returns the schema of a value that is not null. */
const notNull = (schema: JsonSchema): JsonSchema =>
  Array.isArray(schema.anyOf)
    ? (schema.anyOf as ReadonlyArray<JsonSchema>).find(({ type }) => type !== "null")!
    : schema

/** Returns whether a schema is that of an integer, or of an integer or null. */
export const isInteger = (schema: JsonSchema): boolean => notNull(schema).type === "integer"

/** Returns whether a double may not represent the integer. */
export const isWide = (schema: JsonSchema): boolean =>
  isInteger(schema) && typeof notNull(schema).maximum === "bigint"
