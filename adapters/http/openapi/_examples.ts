import { type JsonSchema, scalars, type WireContext } from "../../../core/contract/mod.ts"

type Schemas = { readonly [name: string]: JsonSchema }

/** Returns a function that builds an example of a schema from the examples of its properties. */
export const exampleMaker = (schemas: Schemas, context: WireContext) => {
  // a string without an example gets that of a parameter with the same pattern
  const exampleByPattern = new Map(
    Object.values(scalars).flatMap(({ jsonSchema }): ReadonlyArray<readonly [unknown, unknown]> => {
      const { pattern, examples } = jsonSchema(context.network)
      return pattern === undefined
        ? []
        : [[pattern, (examples as ReadonlyArray<unknown> | undefined)?.[0]]]
    })
  )
  const text = ({ pattern, format }: JsonSchema): unknown => {
    if (format === "date-time") return "2021-03-05T14:41:59Z"
    if (typeof pattern !== "string") return "text"
    const [, prefix, digits] = /^\^(0x)?\[a-fA-F0-9\]\{(\d+)\}\$$/u.exec(pattern) ?? []
    if (digits !== undefined) {
      return `${prefix ?? ""}${"22aec942".repeat(Number(digits)).slice(0, Number(digits))}`
    }
    return exampleByPattern.get(pattern) ?? scalarOf("accountIndex")
  }
  const scalarOf = (name: keyof typeof scalars) =>
    (scalars[name].jsonSchema(context.network).examples as ReadonlyArray<unknown>)[0]
  const example = (schema: JsonSchema): unknown => {
    if (typeof schema.$ref === "string") {
      return example(schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)]!)
    }
    const declared = (schema.examples ?? schema.enum ?? schema.anyOf) as
      | ReadonlyArray<unknown>
      | undefined
    if (declared !== undefined) {
      return schema.anyOf === undefined
        ? declared[0]
        : example(declared[0] as JsonSchema)
    }
    switch (Array.isArray(schema.type) ? schema.type[0] as unknown : schema.type) {
      case "object":
        return schema.properties === undefined
          ? { 0: example(schema.additionalProperties as JsonSchema) }
          : Object.fromEntries(
            Object.entries(schema.properties as Schemas).map((
              [name, property]
            ) => [name, example(property)])
          )
      case "array":
        return Array.from(
          { length: Number(schema.minItems ?? 1) },
          () => example(schema.items as JsonSchema)
        )
      case "string":
        return text(schema)
      case "boolean":
        return false
      default:
        return schema.minimum ?? 0
    }
  }
  return (name: string): unknown => example(schemas[name]!)
}
