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

/** Every way in which a request is refused: the one table from reason to status. The type of a problem is its name. */
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

export type ProblemName = keyof typeof problems

/** One refusal. */
export interface Problem {
  readonly name: ProblemName
  /** One sentence for a person. */
  readonly message: string
  readonly faults?: ReadonlyArray<InputFault>
  /** Headers that belong to it, such as `allow`. */
  readonly headers?: { readonly [name: string]: string }
  /** The limit that was hit. */
  readonly limit?: LimitName
}

/** Violations that the sentence for a person repeats; `errors` lists all. */
const toldMax = 5

/** What the core refuses, as problems. */
export const badInput = (failure: BadInput): Problem => faulty("invalid-input", failure)
export const refused = (failure: SubmissionRefused): Problem => faulty("invalid-input", failure)
/** The contract declares 400 for every refusal of a post: the type tells this one. */
export const conflicting = (failure: SubmissionConflict): Problem => faulty("conflict", failure)

const faulty = (
  name: ProblemName,
  { faults }: BadInput | SubmissionRefused | SubmissionConflict
): Problem => {
  const limit = faults.find(({ limit }) => limit !== undefined)?.limit
  return {
    name,
    message: told(faults),
    faults,
    ...limit === undefined ? {} : { limit: limit as LimitName }
  }
}
export const notFound = (failure: NotFound): Problem => ({
  name: "not-found",
  message: failure.message
})

/**
 * The first of the things that were never registered.
 *
 * @param parameter what the client calls its filter
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

/** The same refusal, with more violations beside its own. */
export const withFaults = (problem: Problem, more: ReadonlyArray<InputFault>): Problem => {
  const faults = [...problem.faults ?? [], ...more]
  return more.length === 0 ? problem : { ...problem, message: told(faults), faults }
}

const told = (faults: ReadonlyArray<InputFault>): string => {
  if (faults.length === 1) return faults[0]!.message
  const messages = faults.slice(0, toldMax).map((fault) => fault.message).join("; ")
  return `${faults.length} violations: ${messages}${
    faults.length > toldMax ? `; and ${faults.length - toldMax} more` : ""
  }`
}

/** Seconds after which a client may try again. */
const retryAfterSeconds = 1

export const poolFull = ({ message, retryAfterSeconds }: PoolFull): Problem =>
  later("pool-full", message, retryAfterSeconds)
export const busy = ({ retryAfterSeconds }: VerifierBusy): Problem =>
  later(
    "busy",
    `More is posted than can be verified now: try again in ${retryAfterSeconds} s`,
    retryAfterSeconds
  )

const later = (name: ProblemName, message: string, retryAfterSeconds: number): Problem => ({
  name,
  message,
  headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfterSeconds))) }
})

/** The server sheds load; without a limit, the transport counts it. */
export const overloaded = (limit?: LimitName): Problem => ({
  name: "overloaded",
  message: `The server is asked more than it can answer: try again in ${retryAfterSeconds} s`,
  headers: { "retry-after": String(retryAfterSeconds) },
  ...limit === undefined ? {} : { limit }
})

/** @param afterMs when the next request of the address is let in */
export const rateLimited = (perSecondMax: number, afterMs: number): Problem => ({
  ...later(
    "rate-limited",
    `The address asks more than ${perSecondMax} times a second: try again in ${
      Math.max(1, Math.ceil(afterMs / 1000))
    } s`,
    afterMs / 1000
  ),
  limit: "ratePerSecondMax"
})

/** Failures of the server tell nothing of its inside. */
export const unavailable: Problem = {
  name: "unavailable",
  message: `The server cannot answer for now: try again in ${retryAfterSeconds} s`,
  headers: { "retry-after": String(retryAfterSeconds) }
}
export const internal: Problem = {
  name: "internal",
  message: "The server failed to answer: the fault is not in the request"
}

export const problemType = (name: string): string => `urn:rollup-node-api:problem:${name}`

/** The one JSON object of every refusal: `message` and the members of RFC 9457. */
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

/** A fault of a body is at a JSON pointer; elsewhere it has the name of a parameter. */
const faultJson = ({ in: where, message, nearest, parameter, rule, value }: InputFault) => ({
  in: where,
  [where === "body" ? "pointer" : "parameter"]: parameter,
  value,
  rule,
  message,
  ...nearest === undefined ? {} : { nearest }
})

/** Longest part of a URL that an answer repeats, in characters. */
const instanceMax = 500

/** What was asked for, with all escaped that the path and query of a URI cannot hold: the target of a request may be anything. */
const uriReference = (url: string): string => {
  const given = url.slice(0, instanceMax)
  // with two slashes in front it would name a host, and before a first slash a colon would end a scheme
  const path = given.startsWith("//")
    ? `/%2F${given.slice(2)}`
    : given.startsWith("/")
    ? given
    : given.replaceAll(":", "%3A")
  return path.replaceAll(
    /%(?![0-9A-Fa-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]/gu,
    (character) =>
      [...new TextEncoder().encode(character)].map((byte) =>
        `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
      ).join("")
  )
}

const text = (description: string): JsonSchema => ({ type: "string", description })

/** The schema of what `problemJson` writes. */
export const problemSchema: JsonSchema = {
  type: "object",
  description: "Why a request was refused: RFC 9457, with one sentence for a person in message",
  properties: {
    message: text("One sentence for a person"),
    type: {
      type: "string",
      format: "uri",
      description: "Identifies the kind of problem",
      enum: Object.keys(problems).map((name) => problemType(name))
    },
    title: text("The kind of problem in words"),
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: text("The same as message"),
    instance: { type: "string", format: "uri-reference", description: "What was asked for" },
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
            description: "What was given; null where something is missing"
          },
          rule: text("What was expected"),
          message: text("One sentence for a person"),
          nearest: text("The known name that is nearest to an unknown one")
        },
        required: ["in", "value", "rule", "message"],
        additionalProperties: false
      }
    }
  },
  required: ["message", "type", "title", "status", "detail", "instance"],
  additionalProperties: false
}
