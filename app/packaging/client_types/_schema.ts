import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { type JsonSchema, type WireContext, wireContext } from "../../../core/contract/mod.ts"

/** The names of the client are those of prefix `zk`; its types replace the prefix. */
export const context: WireContext = wireContext(
  { prefix: "zk", name: "Rollup", chainId: 1, rollupAddress: `0x${"0".repeat(40)}` },
  keccak256
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
  if (Array.isArray(schema.type)) {
    return (schema.type as ReadonlyArray<string>).map((type) => typeOf({ ...schema, type }, wide))
      .join(" | ")
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

/** Returns whether a schema is that of an integer, or of an integer or null. */
export const isInteger = ({ type }: JsonSchema): boolean => [type].flat().includes("integer")

/** Returns whether a double may not represent the integer. */
export const isWide = (schema: JsonSchema): boolean =>
  isInteger(schema) && typeof schema.maximum === "bigint"
