import {
  type AnyListName,
  answerShape,
  componentsOf,
  declaration,
  jsonSchemaOf,
  offeredFilters,
  type PathParameter,
  readOperationsOf,
  type Revision,
  type Scalar,
  type ScalarName,
  scalars,
  wireForm,
  writeOperationsOf
} from "../../../core/contract/mod.ts"
import {
  answerComponents,
  type Components,
  context,
  declarationOf,
  mentionedIn,
  nameOf,
  typeOf
} from "./_schema.ts"

/** The types of a revision by their names, mentioned ones first. */
type Types = Map<string, string>

/** Returns the module with the types of a revision: `Operations`, and the types that it mentions. */
export const revisionModule = (revision: Revision): string => {
  const types: Types = new Map()
  const operations = [...reads(revision, types), ...writes(revision, types)]
  types.set(
    "Operations",
    `/** The parameters and the answer of each operation. */
export interface Operations {\n${operations.join("\n")}\n}`
  )
  const text = [...types.values()].join("\n\n")
  const imported = ["AtLeastOne", "JsonText", "NoParameters", "Paging"].filter((name) =>
    new RegExp(`\\b${name}\\b`, "u").test(text)
  )
  return `import type { ${imported.join(", ")} } from "../../parameters.ts"\n\n${text}\n`
}

/** Returns the lines of the operations that read, and adds the types that they mention. */
const reads = (revision: Revision, types: Types): ReadonlyArray<string> =>
  readOperationsOf(revision).flatMap(([id, operation]) => {
    const answer = nameOf(answerShape(operation, revision).schema)
    addComponent(answer, answerComponents(revision), types)
    let takes = "NoParameters"
    if ("list" in operation) {
      takes = `${answer}Query`
      types.set(takes, queryType(takes, revision, operation.list))
    } else if (operation.parameters.length > 0) {
      takes = `{ ${parameterTypes(operation.parameters)} }`
    }
    const item = operation.kind === "list" || operation.kind === "poolList"
      ? `, readonly item: ${nameOf(revision.shapes[operation.shape].schema)}`
      : ""
    return [
      `  /** ${operation.summary}: \`GET ${operation.path}\`. */`,
      `  readonly ${id}: { readonly takes: ${takes}, readonly answers: ${answer}${item} }`
    ]
  })

/** Returns the lines of the operations that write, and adds the types that they mention. */
const writes = (revision: Revision, types: Types): ReadonlyArray<string> =>
  writeOperationsOf(revision).flatMap((
    [id, { answer, body, method, parameters, path, summary }]
  ) => {
    const { schema } = revision.bodies[body]
    addComponent(nameOf(schema), componentsOf([schema], context), types, "number | bigint")
    const posted = `${nameOf(schema)} | JsonText`
    const takes = method === "PUT"
      ? `{ ${parameterTypes(parameters)}, readonly body: ${posted} }`
      : posted
    const answers = answer === "transactionId"
      ? "string"
      : answer === "transactionIds"
      ? "ReadonlyArray<string>"
      : revision.authorizationAnswer === undefined
      ? "null"
      : "{ readonly success: string }"
    return [
      `  /** ${summary}: \`${method} ${path}\`. Repeating a ${
        method === "PUT" ? "replacement" : "post"
      } changes nothing and gets the same answer. */`,
      `  readonly ${id}: { readonly takes: ${takes}, readonly answers: ${answers} }`
    ]
  })

/** Adds the type of a component after those that it mentions. */
const addComponent = (
  name: string,
  components: Components,
  types: Types,
  wide?: string
): void => {
  if (types.has(name)) return
  const component = components[name]!
  for (const mentioned of mentionedIn(component)) addComponent(mentioned, components, types, wide)
  types.set(name, declarationOf(name, component, wide))
}

/** Returns the type of the parameters of a list. */
const queryType = (name: string, revision: Revision, list: AnyListName): string => {
  const { atLeastOne = [], exclusions, isPaged, itemsProperty, order } = declaration(list)
  const filters = offeredFilters(revision, list)
  const called = new Map(filters.map(({ filter, parameter }) => [filter, parameter]))
  const lines = filters.flatMap(({ doc, filter, parameter, scalar }) => {
    const others = exclusions.flatMap(([a, b]) =>
      a === filter ? [called.get(b)] : b === filter ? [called.get(a)] : []
    ).filter((other) => other !== undefined)
    return [
      `  /** ${doc}${others.length === 0 ? "" : `; not together with ${others.join(", ")}`}. */`,
      `  readonly ${parameter}?: ${scalarType(scalar)}`
    ]
  })
  const doc = `/** The parameters of \`${itemsProperty}\`, which are ordered by ${order}. */\n`
  const own = lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n}`
  if (isPaged === false) return `${doc}export interface ${name} ${own}`
  if (revision.unrestricted.includes(list) || atLeastOne.length === 0) {
    return `${doc}export interface ${name} extends Paging ${own}`
  }
  const groups = atLeastOne.map((group) =>
    group.flatMap((filter) => called.get(filter) ?? []).map((parameter) => `"${parameter}"`)
  )
  return `${doc}export type ${name} = Paging & ${
    groups.map((parameters) => `AtLeastOne<${own}, ${parameters.join(" | ")}>`).join(" & ")
  }`
}

const parameterTypes = (parameters: ReadonlyArray<PathParameter>): string =>
  parameters.map(({ name, scalar }) => `readonly ${name}: ${scalarType(scalar)}`).join(", ")

const scalarType = (scalar: ScalarName): string => {
  const { item } = wireForm(scalars[scalar] as Scalar<unknown>)
  return item === undefined
    ? typeOf(jsonSchemaOf(scalars[scalar], context))
    : `ReadonlyArray<${typeOf(jsonSchemaOf(item, context))}>`
}
