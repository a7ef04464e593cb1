import type { BadInput, InputFault, JsonSchema } from "../../../core/contract/mod.ts"
import {
  type NotRegistered,
  notRegisteredMessage,
  type VerifierBusy
} from "../../../core/ports/mod.ts"
import type {
  NotFound,
  PoolFull,
  SubmissionConflict,
  SubmissionRefused
} from "../../../core/use_cases/mod.ts"
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
  "invalid-input": { status: 400, title: "The request breaks rules of the contract" },
  "conflict": { status: 400, title: "Other content is stored under the same identifier" },
  "unknown-revision": { status: 400, title: "The contract has no such revision" },
  "revision-conflict": { status: 400, title: "Path and header name different revisions" },
  "malformed-request": { status: 400, title: "The request is no well-formed HTTP" },
  "not-found": { status: 404, title: "There is no such item" },
  "not-registered": { status: 404, title: "A filter names what was never registered" },
  "unknown-path": { status: 404, title: "There is no such path" },
  "method-not-allowed": { status: 405, title: "The path does not have this method" },
  "request-timeout": { status: 408, title: "The request took too long to arrive" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "url-too-long": { status: 414, title: "The URL is too long" },
  "unsupported-media-type": { status: 415, title: "The body is of a type that is not read" },
  "rate-limited": { status: 429, title: "The address asks too often" },
  "headers-too-large": { status: 431, title: "The headers are too large" },
  "internal": { status: 500, title: "The server failed" },
  "pool-full": { status: 503, title: "The pool takes no more for now" },
  "busy": { status: 503, title: "More is posted than can be verified" },
  "overloaded": { status: 503, title: "More is asked than can be answered" },
  "unavailable": { status: 503, title: "The server cannot answer for now" }
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
}

/** Maximum number of faults in `message`; `errors` lists all of them. */
const summarizedMax = 5

export const badInput = (failure: BadInput): Problem => faulty("invalid-input", failure)
export const submissionRefused = (failure: SubmissionRefused): Problem =>
  faulty("invalid-input", failure)
/** The contract declares 400 for every refused POST; the type distinguishes a conflict. */
export const submissionConflict = (failure: SubmissionConflict): Problem =>
  faulty("conflict", failure)

const faulty = (
  name: ProblemName,
  { faults }: BadInput | SubmissionRefused | SubmissionConflict
): Problem => {
  const limit = faults.find(({ limit }) => limit !== undefined)?.limit
  return {
    name,
    message: summarize(faults),
    faults,
    ...limit === undefined ? {} : { limit: limit as LimitName }
  }
}
export const notFound = (failure: NotFound): Problem => ({
  name: "not-found",
  message: failure.message
})

/**
 * Returns the problem for the first unregistered account, token or batch.
 *
 * @param parameter name of its filter in the request
 */
export const notRegistered = ({ things: [thing] }: NotRegistered, parameter: string): Problem => {
  const message = notRegisteredMessage(thing)
  return {
    name: "not-registered",
    message,
    faults: [{
      in: "query",
      parameter,
      value: String(thing.value),
      rule: `a registered ${thing.kind}`,
      message
    }]
  }
}

/** Returns the problem with further faults. */
export const withFaults = (problem: Problem, more: ReadonlyArray<InputFault>): Problem => {
  const faults = [...problem.faults ?? [], ...more]
  return more.length === 0 ? problem : { ...problem, message: summarize(faults), faults }
}

const summarize = (faults: ReadonlyArray<InputFault>): string => {
  if (faults.length === 1) return faults[0]!.message
  const messages = faults.slice(0, summarizedMax).map((fault) => fault.message).join("; ")
  return `${faults.length} violations: ${messages}${
    faults.length > summarizedMax ? `; and ${faults.length - summarizedMax} more` : ""
  }`
}

/** Value of `Retry-After` if the cause does not say more. */
const retryAfterSeconds = 1

export const poolFull = ({ message, retryAfterSeconds }: PoolFull): Problem =>
  retryLater("pool-full", message, retryAfterSeconds)
export const busy = ({ retryAfterSeconds }: VerifierBusy): Problem =>
  retryLater(
    "busy",
    `More is posted than can be verified now: try again in ${retryAfterSeconds} s`,
    retryAfterSeconds
  )

const retryLater = (name: ProblemName, message: string, retryAfterSeconds: number): Problem => ({
  name,
  message,
  headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfterSeconds))) }
})

/** @param limit the limit that was hit, if this adapter counts it; otherwise the transport does */
export const overloaded = (limit?: LimitName): Problem => ({
  name: "overloaded",
  message: `The server is asked more than it can answer: try again in ${retryAfterSeconds} s`,
  headers: { "retry-after": String(retryAfterSeconds) },
  ...limit === undefined ? {} : { limit }
})

/** @param afterMs time until the next request of the address is allowed */
export const rateLimited = (perSecondMax: number, afterMs: number): Problem => ({
  ...retryLater(
    "rate-limited",
    `The address asks more than ${perSecondMax} times a second: try again in ${
      Math.max(1, Math.ceil(afterMs / 1000))
    } s`,
    afterMs / 1000
  ),
  limit: "ratePerSecondMax"
})

// the messages of these two do not disclose internals of the server
export const unavailable: Problem = {
  name: "unavailable",
  message: `The server cannot answer for now: try again in ${retryAfterSeconds} s`,
  headers: { "retry-after": String(retryAfterSeconds) }
}
export const internal: Problem = {
  name: "internal",
  message: "The server failed to answer: the fault is not in the request"
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

/** Returns the JSON of a problem: `message`, and the members of RFC 9457. */
export const problemJson = ({ name, message, faults }: Problem, url: string): string =>
  JSON.stringify({
    message,
    type: problemType(name),
    title: problems[name].title,
    status: problems[name].status,
    detail: message,
    instance: uriReference(url),
    ...(faults === undefined ? {} : { errors: faults.map(faultJson) })
  })

/** The position of a fault is a JSON pointer in a body, and the name of a parameter elsewhere. */
const faultJson = ({ in: part, message, nearest, parameter, rule, value }: InputFault) => ({
  in: part,
  [part === "body" ? "pointer" : "parameter"]: parameter,
  value,
  rule,
  message,
  ...nearest === undefined ? {} : { nearest }
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

/** The JSON schema of a problem answer. */
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
