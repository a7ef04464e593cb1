import { problems } from "../../../adapters/http/mod.ts"
import {
  declaration,
  readOperationsOf,
  type Revision,
  revisionList,
  writeOperationsOf
} from "../../../core/contract/mod.ts"
import { answerComponents, isInteger, isWide, propertiesOf } from "./_schema.ts"

/** Returns the module with what the client knows of all revisions when it runs. */
export const operationsModule = (): string => {
  const reads = ofAllRevisions(readOperationsOf).map(([id, operation]) =>
    operation.kind === "list" || operation.kind === "poolList"
      ? `  ${id}: { path: "${operation.path}", list: "${
        declaration(operation.list).itemsProperty
      }" }`
      : `  ${id}: { path: "${operation.path}" }`
  )
  const writes = ofAllRevisions(writeOperationsOf).map(([id, { method, path }]) =>
    `  ${id}: { path: "${path}", ${method === "PUT" ? "puts" : "posts"}: true }`
  )
  return `/**
 * The path of each operation of any revision; lists name the property of their items, posts and puts
 * have a body.
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

/** Returns the names of all integers that become bigint; a name has the same type everywhere. */
const wideNames = (): ReadonlyArray<string> => {
  const wide = new Set<string>()
  const narrow = new Set<string>()
  for (const revision of revisionList) {
    for (const component of Object.values(answerComponents(revision))) {
      for (const [name, schema] of propertiesOf(component)) {
        if (isInteger(schema)) (isWide(schema) ? wide : narrow).add(name)
      }
    }
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
