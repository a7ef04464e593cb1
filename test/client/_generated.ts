import { keccak256 } from "../../adapters/hashing/mod.ts"
import { problems } from "../../adapters/http/mod.ts"
import {
  type AnyListName,
  answerShape,
  type AnyShape,
  type Body,
  bodySchema,
  declaration,
  type JsonSchema,
  offeredFilters,
  type PathParameter,
  readOperationsOf,
  type Revision,
  revisionList,
  type Scalar,
  type ScalarName,
  scalars,
  type WireContext,
  wireContext,
  writeOperationsOf
} from "../../core/contract/mod.ts"

/*
 * Generates the declarations of the client from those of the contract: the parameters and answers
 * of each operation, by revision, as interfaces that an editor can show. They are files because the
 * contract itself imports schemas, which no browser needs.
 */

const network = {
  prefix: "zk",
  name: "Rollup",
  chainId: 1,
  rollupAddress: `0x${"0".repeat(40)}`
} as const
const context: WireContext = wireContext(network, keccak256)
const banner =
  "/* Written from the declarations of the contract by `npm run generate`: do not edit. */\n"

/** Returns the text of every generated file by its path in the project. */
export const generatedFiles = (): ReadonlyMap<string, string> => {
  const [first, ...others] = revisionList.map((revision) => ({
    revision,
    types: typesOf(revision)
  }))
  return new Map([
    ["adapters/client/_declared.ts", declared()],
    ["adapters/client/revisions.ts", revisionsModule()],
    [pathOf(first!.revision), moduleOf(first!.types)],
    ...others.map(({ revision, types }) => [pathOf(revision), moduleOf(types, first)] as const)
  ])
}

/** Returns the module that exports the types of each revision under its name. */
const revisionsModule = (): string =>
  `${banner}
${
    revisionList.map(({ name }) =>
      `import type { Operations as ${typeName(name)} } from "./${name}.ts"
export type * as ${name} from "./${name}.ts"`
    ).join("\n")
  }

/** The operations of each revision, as types. */
export interface Revisions {
${revisionList.map(({ name }) => `  readonly ${name}: ${typeName(name)}`).join("\n")}
}
`
const typeName = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Operations`

const pathOf = ({ name }: Revision) => `adapters/client/${name}.ts`

/** A named type and the names that it mentions. */
interface Declared {
  readonly text: string
  readonly mentions: ReadonlyArray<string>
}
type Types = ReadonlyMap<string, Declared>

/** Returns every type of a revision, mentioned ones first. */
const typesOf = (revision: Revision): Types => {
  const types = new Map<string, Declared>()
  const add = (shape: AnyShape): void => {
    if (types.has(shape.name)) return
    shape.shapes.forEach(add)
    types.set(shape.name, typeOfShape(shape.name, shape.jsonSchema(context)))
  }
  const addBody = (body: Body<unknown>): void => {
    for (const { items } of Object.values(body.fields)) if (items !== undefined) addBody(items.body)
    types.set(body.name, objectType(body.name, bodySchema(body, context), "number | bigint"))
  }
  const lines: Array<string> = []
  for (const [id, operation] of readOperationsOf(revision)) {
    const answer = answerShape(operation, revision)
    add(answer)
    let takes = "NoParameters"
    if ("list" in operation) {
      takes = `${answer.name}Query`
      types.set(takes, queryType(takes, revision, operation.list))
    } else if (operation.parameters.length > 0) takes = parametersType(operation.parameters)
    const item = operation.kind === "list" || operation.kind === "poolList"
      ? `, readonly item: ${revision.shapes[operation.shape].name}`
      : ""
    lines.push(
      `  /** ${operation.summary}: \`GET ${operation.path}\`. */`,
      `  readonly ${id}: { readonly takes: ${takes}, readonly answers: ${answer.name}${item} }`
    )
  }
  for (
    const [id, { answer, body, method, parameters, path, summary }] of writeOperationsOf(revision)
  ) {
    const { name } = revision.bodies[body]
    addBody(revision.bodies[body] as Body<unknown>)
    lines.push(
      `  /** ${summary}: \`${method} ${path}\`. Repeating a ${
        method === "PUT" ? "replacement" : "post"
      } changes nothing and gets the same answer. */`,
      `  readonly ${id}: { readonly takes: ${
        method === "PUT"
          ? `${parametersType(parameters).slice(0, -2)}, readonly body: ${name} | JsonText }`
          : `${name} | JsonText`
      }, readonly answers: ${
        answer === "transactionId"
          ? "string"
          : answer === "transactionIds"
          ? "ReadonlyArray<string>"
          : revision.authorizationAnswer === undefined
          ? "null"
          : "{ readonly success: string }"
      } }`
    )
  }
  types.set("Operations", {
    text:
      `/** The parameters and the answer of each operation. */\nexport interface Operations {\n${
        lines.join("\n")
      }\n}`,
    mentions: mentionsOf(lines.join("\n"))
  })
  return types
}

/**
 * A type that is equal in the first revision, with everything that it mentions, is imported from
 * there.
 */
const moduleOf = (
  types: Types,
  first?: { readonly revision: Revision; readonly types: Types }
): string => {
  const same = (name: string): boolean =>
    first !== undefined && first.types.get(name)?.text === types.get(name)?.text &&
    types.get(name)!.mentions.every((other) => !types.has(other) || same(other))
  const own = [...types].filter(([name]) => !same(name))
  const shared = [...types.keys()].filter(same).sort()
  const needed = shared.filter((name) => own.some(([, { mentions }]) => mentions.includes(name)))
  const texts = own.map(([, { text }]) => text)
  const builtIn = ["AtLeastOne", "JsonText", "NoParameters", "Paging"].filter((name) =>
    texts.some((text) => new RegExp(`\\b${name}\\b`, "u").test(text))
  )
  return [
    banner,
    `import type { ${builtIn.join(", ")} } from "./parameters.ts"`,
    ...(first === undefined ? [] : [
      wrapped(`import type { ${needed.join(", ")} } from "./${first.revision.name}.ts"`),
      "",
      `// the same in revision "${first.revision.name}"`,
      wrapped(`export type { ${shared.join(", ")} } from "./${first.revision.name}.ts"`)
    ]),
    "",
    texts.join("\n\n"),
    ""
  ].join("\n")
}

const wrapped = (line: string): string =>
  line.length <= 150 ? line : line.replace(/\{ (.*) \}/u, (_, names: string) => {
    const lines = [""]
    for (const name of names.split(", ")) {
      const last = lines.at(-1)!
      if (last.length + name.length > 140) lines.push(name)
      else lines[lines.length - 1] = last === "" ? name : `${last}, ${name}`
    }
    return `{\n  ${lines.join(",\n  ")}\n}`
  })

/** Returns the type of an answer: an object, or a list of objects. */
const typeOfShape = (name: string, schema: JsonSchema): Declared => {
  if (schema.type !== "array") return objectType(name, schema)
  const text = `/** ${String(schema.description)}. */\nexport type ${name} = ${typeOf(schema)}`
  return { text, mentions: mentionsOf(`: ${typeOf(schema)}`) }
}

/** @param wide the type of integers that a double cannot represent */
const objectType = (
  name: string,
  { description, properties, required }: JsonSchema,
  wide = "bigint"
): Declared => {
  const lines = Object.entries(properties as { readonly [name: string]: JsonSchema }).flatMap((
    [property, schema]
  ) => [
    ...(schema.description === undefined ? [] : [`  /** ${String(schema.description)}. */`]),
    `  readonly ${property}${(required as ReadonlyArray<string>).includes(property) ? "" : "?"}: ${
      typeOf(schema, wide)
    }`
  ])
  const text = `/** ${String(description)}. */\nexport interface ${name} {\n${lines.join("\n")}\n}`
  return { text, mentions: mentionsOf(lines.join("\n")) }
}

const queryType = (name: string, revision: Revision, list: AnyListName): Declared => {
  const filters = offeredFilters(revision, list)
  const called = new Map(filters.map(({ filter, parameter }) => [filter, parameter]))
  const lines = filters.flatMap(({ doc, filter, parameter, scalar }) => {
    const others = declaration(list).exclusions.flatMap(([a, b]) =>
      a === filter ? [called.get(b)] : b === filter ? [called.get(a)] : []
    ).filter((other) => other !== undefined)
    return [
      `  /** ${doc}${others.length === 0 ? "" : `; not together with ${others.join(", ")}`}. */`,
      `  readonly ${parameter}?: ${scalarType(scalar)}`
    ]
  })
  const groups = revision.unrestricted.includes(list)
    ? []
    : declaration(list).atLeastOne.map((group) =>
      group.flatMap((filter) => called.get(filter) ?? [])
    )
  const doc = `/** The parameters of \`${declaration(list).itemsProperty}\`, which are ordered by ${
    declaration(list).order
  }. */\n`
  const own = lines.length === 0 ? "" : `{\n${lines.join("\n")}\n}`
  if (declaration(list).isPaged === false) {
    return { text: `${doc}export interface ${name} ${own}`, mentions: [] }
  }
  const text = groups.length === 0
    ? `${doc}export interface ${name} extends Paging ${own === "" ? "{}" : own}`
    : `${doc}export type ${name} = Paging & ${
      groups.map((group) =>
        `AtLeastOne<${own}, ${group.map((parameter) => `"${parameter}"`).join(" | ")}>`
      ).join(" & ")
    }`
  return { text, mentions: [] }
}

const parametersType = (parameters: ReadonlyArray<PathParameter>): string =>
  `{ ${
    parameters.map(({ name, scalar }) => `readonly ${name}: ${scalarType(scalar)}`).join(", ")
  } }`

const scalarType = (scalar: ScalarName): string => {
  const { item, jsonSchema } = scalars[scalar] as Scalar<unknown>
  return item === undefined
    ? typeOf(jsonSchema(context))
    : `ReadonlyArray<${typeOf(item.jsonSchema(context))}>`
}

/** Returns the type of the client's value for a JSON value of a schema. */
const typeOf = (schema: JsonSchema, wide = "bigint"): string => {
  if (schema.$ref !== undefined) return nameOf(schema)
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

const nameOf = ({ $ref }: JsonSchema) => String($ref).slice("#/components/schemas/".length)
const mentionsOf = (
  text: string
): ReadonlyArray<string> => [
  ...new Set(
    [
      ...text.matchAll(/: (?:ReadonlyArray<)?([A-Z][A-Za-z0-9]*)\b/gu),
      ...text.matchAll(/\b(?:takes|answers|item): ([A-Z]\w*)/gu)
    ].map((match) => match[1]!)
  )
]

/** Returns whether a double may not represent the integer. */
const isWide = ({ maximum, type }: JsonSchema): boolean =>
  [type].flat().includes("integer") && typeof maximum === "bigint"

/** Returns the names of all integers that become bigint; a name has the same type everywhere. */
const wideNames = (): ReadonlyArray<string> => {
  const wide = new Set<string>()
  const narrow = new Set<string>()
  const seen = new Set<AnyShape>()
  const visit = (shape: AnyShape): void => {
    if (seen.has(shape)) return
    seen.add(shape)
    const { properties = {} } = shape.jsonSchema(context)
    for (
      const [name, schema] of Object.entries(properties as { readonly [name: string]: JsonSchema })
    ) {
      if ([schema.type].flat().includes("integer")) (isWide(schema) ? wide : narrow).add(name)
    }
    shape.shapes.forEach(visit)
  }
  for (const revision of revisionList) {
    for (const [, operation] of readOperationsOf(revision)) visit(answerShape(operation, revision))
  }
  const both = [...wide].filter((name) => narrow.has(name))
  if (both.length > 0) {
    throw new Error(
      `The names ${
        both.join(", ")
      } are integers within and beyond 2^53: expected one of the two for each name`
    )
  }
  return [...wide].sort()
}

const declared = (): string => {
  const reads = ofAllRevisions(readOperationsOf).map(([id, operation]) =>
    operation.kind === "list" || operation.kind === "poolList"
      ? `  ${id}: { path: "${operation.path}", itemsProperty: "${
        declaration(operation.list).itemsProperty
      }" }`
      : `  ${id}: { path: "${operation.path}" }`
  )
  const writes = ofAllRevisions(writeOperationsOf).map(([id, { method, path }]) =>
    `  ${id}: { path: "${path}", ${method === "PUT" ? "puts" : "posts"}: true }`
  )
  return `${banner}
/**
 * The path of each operation of any revision; lists have an items property, posts and puts have a
 * body.
 */
export const operations = {
${[...reads, ...writes].join(",\n")}
} as const

/** Integers that a double may not represent: they become bigint. */
export const wideNames: ReadonlySet<string> = new Set(
  "${wideNames().join(" ")}".split(" ")
)

/** The names of all problems; the \`type\` of a problem is \`urn:rollup-node-api:problem:\` and this name. */
export type ProblemName =
${Object.keys(problems).map((name) => `  | "${name}"`).join("\n")}
`
}

/** Returns the operations of all revisions, each once. */
const ofAllRevisions = <Id extends string, O>(
  of: (revision: Revision) => ReadonlyArray<readonly [Id, O]>
): ReadonlyArray<readonly [Id, O]> => [...new Map(revisionList.flatMap(of))]
