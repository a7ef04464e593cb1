import { Record, Struct } from "effect"
import { programVersion } from "../../core/mod.ts"
import type { OpenApiDocument } from "../http/mod.ts"
import { documentHead, jsonContent, pathsOf } from "../http/openapi/mod.ts"
import { adminSchemas } from "./_schemas.ts"

/** The operations of the admin listener: method and path. */
export type AdminOperation = keyof typeof operations

interface Operation {
  readonly id: string
  readonly summary: string
  /** Whether the operation requires the token. */
  readonly isGuarded?: true
  /** The schema of each line of the body, if there is one. */
  readonly lines?: { readonly schema: string; readonly example: object }
  readonly parameters?: ReadonlyArray<object>
  /** The schema of the answer, or its content type if it is not JSON in a component. */
  readonly answer: { readonly schema: string } | { readonly contentType: string }
  /** Statuses of refusals besides 503, with their reasons. */
  readonly refusals?: { readonly [status: number]: string }
}

const lineRefusals = {
  400: "A line does not have the required form",
  408: "The body did not arrive in time",
  413: "The body, or a line of it, is too large",
  415: "The body is not application/x-ndjson"
} as const

const feedAfter = {
  name: "Feed-After",
  in: "header",
  description:
    "The hash of the block that the sender considers the last one: if another block is the last one, nothing is applied",
  schema: { type: "string", pattern: "^0x[0-9a-fA-F]{64}$" }
} as const

const transactionId = {
  name: "id",
  in: "path",
  required: true,
  description: "Identifier of the transaction",
  schema: { type: "string", pattern: "^0x[0-9a-f]{66}$" }
} as const

/** The operations, in the order of the list of paths. */
const operations = {
  "GET /": { id: "getIndex", summary: "The list of paths", answer: { schema: "Index" } },
  "GET /livez": {
    id: "getLiveness",
    summary: "Whether the process is alive",
    answer: { schema: "Alive" }
  },
  "GET /readyz": {
    id: "getReadiness",
    summary: "Whether the process accepts requests, with the state of each check",
    answer: { schema: "Readiness" }
  },
  "GET /metrics": {
    id: "getMetrics",
    summary: "Metrics in the text format of Prometheus",
    answer: { contentType: "text/plain" }
  },
  "GET /openapi.json": {
    id: "getOpenApi",
    summary: "This interface as an OpenAPI document",
    answer: { contentType: "application/json" }
  },
  "GET /schemas/feed.json": {
    id: "getFeedSchema",
    summary: "The JSON Schema of one line of a feed",
    answer: { contentType: "application/schema+json" }
  },
  "GET /verification": {
    id: "getVerification",
    summary: "The result of the last verification of the store",
    answer: { schema: "Verification" },
    refusals: { 404: "The store has not been verified yet" }
  },
  "GET /feed": {
    id: "getLastBlock",
    summary: "The last block and the head of the ledger",
    isGuarded: true,
    answer: { schema: "LastBlock" }
  },
  "POST /feed": {
    id: "applyFeed",
    summary: "Applies the records of a feed, NDJSON",
    isGuarded: true,
    lines: { schema: "FeedRecord", example: { kind: "rollBack", toBlock: "18000000" } },
    parameters: [feedAfter],
    answer: { schema: "FeedReport" },
    refusals: {
      ...lineRefusals,
      412: "Feed-After does not name the last block",
      422: "A record contradicts the ledger or itself; the records before it are applied",
      428: "A rollback needs the header Feed-After"
    }
  },
  "POST /pool": {
    id: "runPoolCommands",
    summary: "Runs the pool commands of a coordinator, NDJSON",
    isGuarded: true,
    lines: { schema: "PoolCommand", example: { kind: "reconcile" } },
    answer: { schema: "PoolResults" },
    refusals: lineRefusals
  },
  "GET /pool/{id}": {
    id: "getPoolTransaction",
    summary: "A transaction of the pool and its state transitions",
    isGuarded: true,
    parameters: [transactionId],
    answer: { schema: "PoolTransaction" },
    refusals: { 404: "The pool never held this transaction" }
  }
} as const satisfies { readonly [operation: string]: Operation }

export const operationNames = Struct.keys(operations)

/** Returns the method and the path of an operation. */
export const methodAndPath = (operation: AdminOperation): readonly [string, string] => {
  const at = operation.indexOf(" ")
  return [operation.slice(0, at), operation.slice(at + 1)]
}

/** Returns what an operation does, in one phrase. */
export const summaryOf = (operation: AdminOperation): string => operations[operation].summary

/** Returns whether an operation requires the token. */
export const isGuarded = (operation: AdminOperation): boolean =>
  "isGuarded" in operations[operation]

/**
 * Returns the OpenAPI 3.1 document of the admin listener.
 *
 * @param isOffered returns whether the listener has an operation; by default it has all of them
 *
 * @example
 * ```ts
 * import { adminOpenApi } from "rollup-node-api/admin"
 *
 * const { openapi, paths } = adminOpenApi()
 * console.log(openapi, Object.keys(Object(paths)["/feed"])) // => 3.1.0 [ 'get', 'post' ]
 * ```
 */
export const adminOpenApi = (
  isOffered: (operation: AdminOperation) => boolean = () => true
): OpenApiDocument => ({
  ...documentHead({
    title: "Rollup node, admin listener",
    version: programVersion,
    summary: "The interface for operators, a synchroniser and a coordinator"
  }, { url: "/", description: "The admin listener" }),
  paths: pathsOf(
    operationNames.filter(isOffered).map((name) => {
      const [method, path] = methodAndPath(name)
      return [path, { [method.toLowerCase()]: operationObject(operations[name], path) }]
    })
  ),
  components: {
    schemas: adminSchemas(),
    securitySchemes: {
      token: { type: "http", scheme: "bearer", description: "The token of --admin-token" }
    }
  }
})

const operationObject = (
  { answer, id, isGuarded, lines, parameters = [], refusals = {}, summary }: Operation,
  path: string
) => ({
  operationId: id,
  summary,
  parameters,
  ...lines === undefined ? {} : {
    requestBody: {
      required: true,
      content: {
        "application/x-ndjson": {
          schema: {
            type: "string",
            description:
              `Lines of JSON; each one has the schema #/components/schemas/${lines.schema}`
          },
          example: `${JSON.stringify(lines.example)}\n`
        }
      }
    }
  },
  responses: {
    200: { description: summary, content: contentOf(answer) },
    ...Record.map(refusals, problem),
    ...isGuarded === true
      ? {
        401: problem("The token is missing or wrong"),
        503: problem("The node does not serve, or another process is the writer: retry later")
      }
      : {},
    ...path === "/readyz"
      ? { 503: { description: "The process does not accept requests", content: contentOf(answer) } }
      : {},
    default: problem("The request is refused")
  },
  ...isGuarded === true ? { security: [{ token: [] }] } : {}
})

const contentOf = (answer: Operation["answer"]) =>
  "schema" in answer ? jsonContent(answer.schema) : {
    [answer.contentType]: {
      schema: answer.contentType === "text/plain" ? { type: "string" } : { type: "object" }
    }
  }

const problem = (description: string) => ({ description, content: jsonContent("Problem") })
