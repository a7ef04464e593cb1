import type { JsonSchema } from "../../../core/contract/mod.ts"

type Schemas = { readonly [name: string]: JsonSchema }

/** Returns a function that builds an example of a component from the examples of its properties. */
export const exampleMaker = (schemas: Schemas) => {
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
        return "text"
      case "boolean":
        return false
      default:
        return schema.minimum ?? 0
    }
  }
  return (name: string): unknown => example(schemas[name]!)
}
