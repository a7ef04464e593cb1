import {
  type AnyListName,
  declaration,
  type JsonSchema,
  jsonSchemaOf,
  offeredFilters,
  type Operation,
  pageParameters,
  type PathParameter,
  type Revision,
  type Scalar,
  scalars,
  type WireContext,
  wireForm
} from "../../../core/contract/mod.ts"

interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly required?: true
  readonly allowEmptyValue?: true
  /** `explode: false` joins the items of an array with commas. */
  readonly style?: "form"
  readonly explode?: false
  readonly description: string
  readonly schema: JsonSchema
}

/** Returns the parameters of an operation: path, then filters, then paging. */
export const operationParameters = (
  operation: Operation,
  revision: Revision,
  context: WireContext
): ReadonlyArray<Parameter> => [
  ...pathParameters(operation.parameters, context),
  ...("list" in operation
    ? [
      ...filterParameters(operation.list, revision, context),
      ...declaration(operation.list).isPaged === false ? [] : pagingParameters(context)
    ].map((parameter) =>
      revision.requestRules.emptyParameters === "absent"
        ? { ...parameter, allowEmptyValue: true as const }
        : parameter
    )
    : [])
]

/** Returns the parameters of a path. */
export const pathParameters = (
  parameters: ReadonlyArray<PathParameter>,
  context: WireContext
): ReadonlyArray<Parameter> =>
  parameters.map(({ name, scalar, doc }) => ({
    name: context.name(name),
    in: "path",
    required: true,
    description: doc,
    schema: jsonSchemaOf(scalars[scalar], context)
  }))

const filterParameters = (
  list: AnyListName,
  revision: Revision,
  context: WireContext
): ReadonlyArray<Parameter> => {
  const { exclusions, filters, ordered = [] } = declaration(list)
  const offered = offeredFilters(revision, list)
  const nameOf = new Map(offered.map(({ filter, parameter }) => [filter, context.name(parameter)]))
  const names = (of: ReadonlyArray<string>) =>
    of.flatMap((filter) => nameOf.get(filter) ?? []).join(", ")
  return offered.map(({ filter, parameter, scalar, doc }) => {
    const excluded = names(
      exclusions.flatMap(([a, b]) => (a === filter ? [b] : b === filter ? [a] : []))
    )
    const above = names(ordered.flatMap(([low, high]) => (low === filter ? [high] : [])))
    const references = filters[filter]?.references
    return {
      name: context.name(parameter),
      in: "query",
      description: [
        doc,
        ...(excluded === "" ? [] : [`Not together with ${excluded}`]),
        ...(above === "" ? [] : [`Not above ${above}`]),
        ...(references === undefined || revision.unregistered !== undefined
          ? []
          : [`404 if the ${references} was never registered`])
      ].join(". "),
      ...serializationOf(scalars[scalar] as Scalar<unknown>, context)
    }
  })
}

/** Returns the schema of a filter, and how a list is written. */
const serializationOf = (
  scalar: Scalar<unknown>,
  context: WireContext
): Pick<Parameter, "explode" | "schema" | "style"> => {
  const { item } = wireForm(scalar)
  const schema = jsonSchemaOf(scalar, context)
  if (item === undefined) return { schema }
  const { description: _, examples: __, ...items } = jsonSchemaOf(item, context)
  const examples = (schema.examples as ReadonlyArray<string>).map((text) =>
    text.split(",").map((each) => items.type === "integer" ? Number(each) : each)
  )
  return {
    style: "form",
    explode: false,
    schema: { type: "array", items, minItems: 1, examples }
  }
}

const pagingParameters = (context: WireContext): ReadonlyArray<Parameter> =>
  Object.entries(pageParameters).map(([name, parameter]) => {
    const { description = "", ...schema } = jsonSchemaOf(parameter, context)
    return { name, in: "query", description: String(description), schema }
  })
