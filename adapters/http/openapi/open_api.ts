import { Record, Schema } from "effect"
import {
  type AnyListName,
  answerShape,
  type Body,
  bodyExamples,
  booleanTexts,
  componentsOf,
  declaration,
  type JsonSchema,
  type Operation,
  operations,
  parameterName,
  readOperationsOf,
  type RequestRules,
  type Revision,
  type WireContext,
  type WriteOperation,
  writeOperationsOf
} from "../../../core/contract/mod.ts"
import { problemSchemaOf } from "../message/mod.ts"
import {
  exampleMaker,
  jsonContent,
  operationResponses,
  problemResponses,
  responseHeaders,
  unhealthyResponse,
  writeResponses
} from "./_responses.ts"
import { operationParameters, pathParameters } from "./_parameters.ts"

/**
 * An OpenAPI 3.1 document. Bounds that a double cannot hold are bigint: write it with `exactJson`.
 */
export type OpenApiDocument = { readonly [key: string]: unknown }

/** Options of `openApi`. */
export interface OpenApiOptions {
  readonly revision: Revision
  /** The network and its spelling of names, as `wireContext` returns it. */
  readonly context: WireContext
  /** Path of the mount: `/`, or a path such as `/earlier`. */
  readonly path: string
}

/**
 * Returns the OpenAPI document of one revision, with the parameter names of the network. It is
 * derived from the declarations of the contract.
 *
 * @example
 * ```ts
 * import { later, wireContext } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { exactJson, openApi } from "rollup-node-api/http"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const context = wireContext(simulate({ seed: 1 }).genesis.network, keccak256)
 * const document = openApi({ revision: later, context, path: "/" })
 * const json = exactJson(document)
 * console.log(document.openapi, json.includes("18446744073709551615")) // => 3.1.0 true
 * ```
 */
export const openApi = ({ revision, context, path }: OpenApiOptions): OpenApiDocument => {
  const schemas = componentSchemas(revision, context)
  const exampleOf = exampleMaker(schemas)
  const reads = readOperationsOf(revision)
  return {
    ...documentHead({
      title: `Rollup node, revision ${revision.name}`,
      version: revision.name,
      summary: "The public interface of a layer-two rollup node",
      description: `${revision.doc}.\n\n${requestDoc(revision)}\n${general}`
    }, { url: path, description: `Revision ${revision.name}` }),
    tags: [...new Set(reads.map(([, { tag }]) => tag))].map((name) => ({
      name,
      description: tagDocs[name]
    })),
    paths: pathsOf([
      ...reads.map(([id, operation]) =>
        [localPath(operation, context), {
          get: operationObject(id, operation, revision, context, exampleOf)
        }] as const
      ),
      ...writeOperationsOf(revision).map(([id, operation]) =>
        [localPath(operation, context), {
          [operation.method.toLowerCase()]: writeOperationObject(id, operation, revision, context)
        }] as const
      )
    ]),
    components: {
      schemas: { ...schemas, Problem: problemSchemaOf(revision) },
      parameters: { ApiRevision: revisionParameter(revision) },
      headers: responseHeaders,
      responses: problemResponses(revision)
    }
  }
}

/** Returns the members with which the document of an interface begins. */
export const documentHead = (
  info: object,
  server: { readonly url: string; readonly description: string }
) => ({
  openapi: "3.1.0",
  info: { ...info, license: { name: "MIT", identifier: "MIT" } },
  servers: [server],
  security: []
})

/** Returns the operations of each path by method. */
export const pathsOf = (
  operations: ReadonlyArray<readonly [path: string, byMethod: object]>
): { readonly [path: string]: object } => {
  const paths: { [path: string]: object } = {}
  for (const [path, byMethod] of operations) paths[path] = { ...paths[path], ...byMethod }
  return paths
}

/** States how the revision reads requests, one sentence for each of its rules. */
const requestDoc = ({ requestRules: rules }: Revision): string =>
  [
    ...parameterRules(rules),
    rules.unknownProperties === "refused"
      ? "Unknown properties of a body are refused"
      : "Unknown properties of a body are ignored",
    "A refusal lists all violated rules",
    ...rules.spelling === "canonical" ? [] : [
      "Numbers in paths, parameters and strings of bodies may have leading zeros, and no sign",
      `A boolean parameter is ${booleanTexts[rules.spelling].rule}`
    ],
    "A path with a slash at its end is redirected to the path without it, with its query: with 301 for GET and HEAD, with 307 for other methods"
  ].map((sentence) => `${sentence}.`).join(" ")

const parameterRules = (
  { closedLists, emptyParameters, repeatedParameters, separators, unknownParameters }: RequestRules
): ReadonlyArray<string> => {
  const closed = readOperationPaths(closedLists)
  return [
    unknownParameters === "refused"
      ? "Unknown parameters are refused, never ignored"
      : closed.length === 0
      ? "Unknown parameters are ignored"
      : `Unknown parameters are ignored, except on ${closed.join(", ")}, where they are refused`,
    repeatedParameters === "refused"
      ? "Repeated parameters are refused"
      : "Of a repeated parameter the first one counts",
    emptyParameters === "refused"
      ? "A parameter without a value is refused"
      : "A parameter without a value is absent",
    ...separators.length === 1
      ? []
      : [`The values of a list are separated by any of ${separators.join(" ")}`]
  ]
}

/** Returns the paths of lists. */
const readOperationPaths = (lists: ReadonlyArray<AnyListName>): ReadonlyArray<string> =>
  Object.values<Operation>(operations).flatMap((operation) =>
    operation.kind === "list" && lists.includes(operation.list) ? [operation.path] : []
  )

const general =
  `Integers are written with all their digits: values above 2^53 do not fit into a double. Amounts are decimal strings.
Every answer is computed on one snapshot of the ledger, which the headers Ledger-Ethereum-Block, Ledger-Batch and Ledger-Version name.
Lists are paged by itemId, which increases and is never reused: the fromItem of the next page is the value after the last itemId.`

const tagDocs: { readonly [tag in Operation["tag"]]: string } = {
  "Account": "Accounts, exits, and authorizations to create accounts",
  "Transaction": "Transactions of the history and of the pool",
  "Network status": "Batches, slots, bids, tokens, coordinators and the network as a whole"
}

const operationObject = (
  id: string,
  operation: Operation,
  revision: Revision,
  context: WireContext,
  exampleOf: (component: string) => unknown
) => {
  const name = nameOf(answerShape(operation, revision).schema)
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    ...("list" in operation
      ? { description: listDoc(operation.list, revision, context) }
      : {}),
    parameters: [...operationParameters(operation, revision, context), {
      $ref: "#/components/parameters/ApiRevision"
    }],
    responses: {
      ...operationResponses(
        operation.kind === "list" && revision.unregistered !== undefined
          ? operation.statuses.filter((status) => status !== 404)
          : operation.statuses,
        name,
        exampleOf(name)
      ),
      ...operation.kind === "health" ? { 503: unhealthyResponse(name) } : {}
    }
  }
}

const writeOperationObject = (
  id: string,
  operation: WriteOperation,
  revision: Revision,
  context: WireContext
) => {
  const body = revision.bodies[operation.body] as Body<unknown>
  const isReplacement = operation.method === "PUT"
  const refused = `is refused${
    revision.conflictStatus === undefined ? "" : ` with ${revision.conflictStatus}`
  }`
  const examples = Record.map(bodyExamples(body, context), (value) => ({ value }))
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    description: isReplacement
      ? `${replacing} A transaction that is forging or forged ${refused} under its own identifier, and so is content that was replaced under it. ${
        repeating("Sending")
      }`
      : `${
        repeating("Posting")
      } Other content under the same identifier ${refused}, and the stored content does not change.`,
    parameters: [...pathParameters(operation.parameters, context), {
      $ref: "#/components/parameters/ApiRevision"
    }],
    requestBody: {
      required: true,
      content: jsonContent(nameOf(body.schema), { examples })
    },
    responses: writeResponses(operation, revision, context)
  }
}

const nameOf = (schema: Schema.Constraint): string => Schema.resolveAnnotations(schema)!.identifier!

const replacing =
  "The transaction that the path names leaves the pool, and the one in the body becomes pending. Both have the same sender and nonce. The identifier does not cover the destination and maxNumBatch: if only these differ, it is the same, and the signature tells the transactions apart."
const repeating = (sending: string): string =>
  `${sending} the same content again changes nothing and gets the same answer.`

const listDoc = (list: AnyListName, revision: Revision, context: WireContext): string => {
  const { atLeastOne = [], order, title } = declaration(list)
  if (revision.unrestricted.includes(list)) {
    return `Ordered by ${order}. Without filters, all ${title.toLowerCase()} are listed in this order, that of itemId.`
  }
  const rules = atLeastOne.map((group) => {
    const names = group.flatMap((filter) => parameterName(revision, list, filter) ?? []).map(
      context.name
    )
    return names.length === 0 ? "" : ` At least one of ${names.join(", ")} must be given.`
  })
  return `Ordered by ${order}.${rules.join("")}`
}

const revisionParameter = (revision: Revision) => ({
  name: "Api-Revision",
  in: "header",
  description:
    "Selects the revision. At a path that has a revision of its own, it must name that one",
  schema: { type: "string", default: revision.name, examples: [revision.name] }
})

/** Returns the schemas of all answers and bodies by name. */
const componentSchemas = (
  revision: Revision,
  context: WireContext
): { readonly [name: string]: JsonSchema } => {
  const answers = readOperationsOf(revision).map(([, operation]) =>
    answerShape(operation, revision).schema
  )
  const bodies = writeOperationsOf(revision).map(([, { body }]) => revision.bodies[body].schema)
  const schemas = {
    ...componentsOf(answers, context),
    ...componentsOf(
      bodies,
      context,
      revision.requestRules.unknownProperties === "ignored" ? "ignore" : "error"
    )
  }
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the path of an operation with the parameter names of the network, in braces. */
export const localPath = ({ path }: Pick<Operation, "path">, { name }: WireContext): string =>
  path.replaceAll(/\{(\w+)\}/gu, (_, parameter: string) => `{${name(parameter)}}`)

/**
 * Returns JSON in which a bigint is a number with all its digits.
 *
 * @example
 * ```ts
 * import { exactJson } from "rollup-node-api/http"
 *
 * console.log(exactJson({ maximum: 2n ** 64n })) // => {"maximum":18446744073709551616}
 * ```
 */
export const exactJson = (value: unknown): string => {
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return `[${value.map(exactJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${
    members.map(([name, member]) => `${JSON.stringify(name)}:${exactJson(member)}`).join(",")
  }}`
}
