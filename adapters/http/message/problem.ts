import type { InputFault, JsonSchema, Revision } from "../../../core/contract/mod.ts"
import type { LimitName } from "./limit.ts"

/**
 * The problems of the interface by name, with the status and the title of their answers. The name
 * is the end of the URI in `type`; `problemType` returns the whole URI.
 *
 * @example
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import { problems, problemType } from "rollup-node-api/http"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const response = await node.fetch(new Request("http://node/tokens/7"))
 * const { message, type } = await response.json()
 * console.log(message) // => There is no token with id 7
 * console.log(response.status === problems["not-found"].status) // => true
 * console.log(type === problemType("not-found")) // => true
 * await node.close()
 * ```
 */
export const problems = {
  "invalid-input": { status: 400, title: "The request is invalid" },
  "conflict": { status: 400, title: "Other content is stored under the same identifier" },
  "unknown-revision": { status: 400, title: "The revision is unknown" },
  "revision-conflict": { status: 400, title: "The path and the header select different revisions" },
  "malformed-request": { status: 400, title: "The request is not well-formed HTTP" },
  "not-found": { status: 404, title: "The item does not exist" },
  "not-registered": {
    status: 404,
    title: "A filter refers to an unregistered account, token or batch"
  },
  "unknown-path": { status: 404, title: "The path is unknown" },
  "method-not-allowed": { status: 405, title: "The path does not support this method" },
  "request-timeout": { status: 408, title: "The request took too long to arrive" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "url-too-long": { status: 414, title: "The URL is too long" },
  "unsupported-media-type": { status: 415, title: "The type of the body is not supported" },
  "rate-limited": { status: 429, title: "Too many requests from one address" },
  "headers-too-large": { status: 431, title: "The headers are too large" },
  "internal": { status: 500, title: "An internal error occurred" },
  "pool-full": { status: 503, title: "The transaction pool is full" },
  "busy": { status: 503, title: "Too many signatures wait for verification" },
  "overloaded": { status: 503, title: "The server is overloaded" },
  "unavailable": { status: 503, title: "The server is temporarily unavailable" }
} as const satisfies {
  readonly [name: string]: { readonly status: number; readonly title: string }
}

/** The name of a problem in `problems`. */
export type ProblemName = keyof typeof problems

/** The reason why a request is refused. */
export interface Problem {
  readonly name: ProblemName
  /** One sentence for a person. */
  readonly message: string
  /** All faults of the input. */
  readonly faults?: ReadonlyArray<InputFault>
  /** Additional headers of the answer, such as `allow`. */
  readonly headers?: { readonly [name: string]: string }
  /** The limit that was hit. */
  readonly limit?: LimitName
  /** Whether the faults are rules of the network that a readable post breaks. */
  readonly isRefusedPost?: boolean
}

/**
 * Returns the URI that identifies a kind of problem, the member `type` of its answer.
 *
 * @example
 * ```ts
 * import { problemType } from "rollup-node-api/http"
 *
 * console.log(problemType("pool-full")) // => urn:rollup-node-api:problem:pool-full
 * ```
 */
export const problemType = (name: string): string => `urn:rollup-node-api:problem:${name}`

/** Returns the status of a problem in a revision. */
export const problemStatus = ({ name }: Problem, { conflictStatus }: Revision): number =>
  name === "conflict" ? conflictStatus ?? problems.conflict.status : problems[name].status

/**
 * Returns the JSON of a problem: `message`, and the members of RFC 9457. In a revision with error
 * codes, `code` and `type` are the error, and `problem` is the type of the problem.
 */
export const problemJson = (problem: Problem, url: string, revision: Revision): string => {
  const { faults, isRefusedPost, name } = problem
  const type = problemType(name)
  const error = revision.error?.(
    name,
    isRefusedPost === true ? faults : faults?.filter(({ ruleName }) => ruleName !== undefined)
  )
  const kind = { title: problems[name].title, status: problemStatus(problem, revision) }
  return JSON.stringify(problemObject(
    problem,
    kind,
    url,
    revision.error === undefined ? { type } : { ...error ?? { type }, problem: type }
  ))
}

/** A fault in a line of a body that has many. */
export interface LineFault extends InputFault {
  /** Line number in the body from 1; blank lines count. */
  readonly line?: number
  /** The invariant of the ledger, if one is violated. */
  readonly invariant?: string
}

/**
 * Returns `message` and the members of RFC 9457, the body of every refusal. Members that do not
 * apply are undefined.
 *
 * @param type the members that identify the problem
 * @param members more members, before the faults
 */
export const problemObject = (
  { faults, message }: {
    readonly message: string
    readonly faults?: ReadonlyArray<LineFault>
  },
  { status, title }: { readonly status: number; readonly title: string },
  url: string,
  type: object,
  members: object = {}
) => ({
  message,
  ...type,
  title,
  status,
  detail: message,
  instance: uriReference(url),
  ...members,
  errors: faults?.map(faultJson)
})

/** The position of a fault is a JSON pointer in a body, and the name of a parameter elsewhere. */
const faultJson = (
  { in: part, invariant, line, message, nearest, parameter, rule, value }: LineFault
) => ({
  in: part,
  line,
  [part === "body" ? "pointer" : "parameter"]: parameter,
  value,
  rule,
  message,
  nearest,
  invariant
})

/** Maximum characters of a URL in an answer. */
const instanceMax = 500

/**
 * Returns the target of a request as a URI reference. The target may be any text, so characters
 * that a path and a query cannot contain are escaped.
 */
const uriReference = (url: string): string => {
  const target = url.slice(0, instanceMax)
  // two leading slashes would start a host, and a colon before the first slash would end a scheme
  const path = target.startsWith("//")
    ? `/%2F${target.slice(2)}`
    : target.startsWith("/")
    ? target
    : target.replaceAll(":", "%3A")
  return path.replaceAll(
    /%(?![0-9A-Fa-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]/gu,
    (character) =>
      [...new TextEncoder().encode(character)].map((byte) =>
        `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
      ).join("")
  )
}

const text = (description: string): JsonSchema => ({ type: "string", description })

/** Returns the JSON schema of a problem answer in a revision. */
export const problemSchemaOf = ({ error, errorTypes = [] }: Revision): JsonSchema => {
  const { properties, ...schema } = problemSchema
  const { message, type, ...others } = properties as { readonly [name: string]: JsonSchema }
  return error === undefined ? problemSchema : {
    ...schema,
    properties: {
      message,
      code: { type: "integer", minimum: 1, maximum: 25, description: "Number of the error" },
      type: {
        type: "string",
        description: "Name of the error; the same as problem if the error has no number",
        enum: [...errorTypes, ...Object.keys(problems).map((name) => problemType(name))]
      },
      problem: {
        ...type,
        description:
          "Identifies the kind of problem; missing if the request was refused before its revision was known"
      },
      ...others
    }
  }
}

/** The JSON schema of a problem answer in the revisions without error codes. */
export const problemSchema: JsonSchema = {
  type: "object",
  description: "Why a request was refused (RFC 9457); message is one sentence for a person",
  properties: {
    message: text("One sentence for a person"),
    type: {
      type: "string",
      format: "uri",
      description: "Identifies the kind of problem",
      enum: Object.keys(problems).map((name) => problemType(name))
    },
    title: text("Title of the kind of problem"),
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: text("The same as message"),
    instance: { type: "string", format: "uri-reference", description: "The target of the request" },
    errors: {
      type: "array",
      description: "Every rule that the input violates",
      items: {
        type: "object",
        properties: {
          in: { type: "string", enum: ["path", "query", "header", "body"] },
          parameter: text("Name of the parameter"),
          pointer: text("JSON pointer into the body"),
          value: {
            type: ["string", "null"],
            description: "The value in the request; null if it is missing"
          },
          rule: text("The expected value"),
          message: text("One sentence for a person"),
          nearest: text("The known name nearest to an unknown one")
        },
        required: ["in", "value", "rule", "message"],
        additionalProperties: false
      }
    }
  },
  required: ["message", "type", "title", "status", "detail", "instance"],
  additionalProperties: false
}
