import { Data, Effect } from "effect"
import type { BadInput, InputFault } from "../../../core/contract/mod.ts"
import { notRegisteredMessage, type StoreFailure } from "../../../core/ports/mod.ts"
import type {
  NothingToReplace,
  ReadFailure,
  SubmissionFailure
} from "../../../core/use_cases/mod.ts"
import type { HttpLimits, LimitName } from "./limit.ts"
import { bodyTooLarge, type HttpRequest } from "./message.ts"
import type { Problem, ProblemName } from "./problem.ts"

/** The body of a request cannot be read: it is too long, malformed or of an unsupported type. */
export class BodyReadError
  extends Data.TaggedError("BodyReadError")<{ readonly problem: Problem }>
{}

export type PostFailure = BadInput | BodyReadError | SubmissionFailure | NothingToReplace

/**
 * Returns the problem of a failure of the core, or of a defect, which is undefined. Nothing else maps
 * failures to problems.
 *
 * @param parameterOf returns the parameter of a filter in the request
 */
export const problemOf = (
  failure: ReadFailure | PostFailure | undefined,
  parameterOf = (filter: string) => filter
): Problem => {
  switch (failure?._tag) {
    case "BadInput":
      return problemOfFaults("invalid-input", failure.faults)
    case "SubmissionRefused":
      return { ...problemOfFaults("invalid-input", failure.faults), isRefusedPost: true }
    case "SubmissionConflict":
      // the older revisions declare 400 for every refused POST; the type distinguishes a conflict
      return problemOfFaults("conflict", failure.faults)
    case "NothingToReplace":
      return nothingToReplace(failure)
    case "NotFound":
      return { name: "not-found", message: failure.message }
    case "NotRegistered":
      return problemOfFaults(
        "not-registered",
        failure.things.map((thing) => ({
          in: "query",
          parameter: parameterOf(thing.filter),
          value: String(thing.value),
          rule: `a registered ${thing.kind}`,
          message: notRegisteredMessage(thing)
        }))
      )
    case "BodyReadError":
      return failure.problem
    case "PoolFull":
      return retryLater("pool-full", failure.message, failure.retryAfterSeconds)
    case "VerifierBusy":
      return retryLater(
        "busy",
        `Too many signatures wait for verification: try again in ${failure.retryAfterSeconds} s`,
        failure.retryAfterSeconds
      )
    case "StoreFailure":
      return storeProblem(failure)
    case undefined:
      return internal
  }
}

/** Maximum number of faults in `message`; `errors` lists all of them. */
const summarizedMax = 5

export const problemOfFaults = (name: ProblemName, faults: ReadonlyArray<InputFault>): Problem => {
  const limit = faults.find(({ limit }) => limit !== undefined)?.limit
  const messages = faults.slice(0, summarizedMax).map(({ message }) => message).join("; ")
  const more = faults.length - summarizedMax
  return {
    name,
    message: faults.length === 1
      ? messages
      : `${faults.length} violations: ${messages}${more > 0 ? `; and ${more} more` : ""}`,
    faults,
    ...limit === undefined ? {} : { limit: limit as LimitName }
  }
}

/** The fault is in the path, which names the transaction to replace. */
const nothingToReplace = ({ message, replaced }: NothingToReplace): Problem => ({
  name: "invalid-input",
  message,
  faults: [{
    in: "path",
    ...typeof replaced === "string"
      ? { parameter: "id", value: replaced }
      : { parameter: "nonce", value: String(replaced.nonce) },
    rule: "a pending or invalid transaction",
    ruleName: "replaceable",
    message
  }],
  isRefusedPost: true
})

/** The messages disclose no internals of the server. */
const storeProblem = ({ message, reason, retry }: StoreFailure): Problem => {
  if (!retry) return internal
  if (reason === "busy") return retryLater("overloaded", message)
  if (reason === undefined) {
    return retryLater(
      "unavailable",
      `The server is temporarily unavailable: try again in ${retryAfterSeconds} s`
    )
  }
  const resource = reason === "disk" ? "disk space" : "memory"
  return retryLater(
    "unavailable",
    `The server has no ${resource} for writes, and nothing was stored: try again in ${noRoomRetrySeconds} s; reads are answered meanwhile`,
    noRoomRetrySeconds
  )
}

/** Value of `Retry-After` if the cause does not say more. */
const retryAfterSeconds = 1
/** An operator has to free disk space or memory. */
const noRoomRetrySeconds = 10

const retryLater = (name: ProblemName, message: string, seconds = retryAfterSeconds): Problem => ({
  name,
  message,
  headers: { "retry-after": String(Math.max(1, Math.ceil(seconds))) }
})

/** @param limit the limit that was hit, if this adapter counts it; otherwise the transport does */
export const overloaded = (limit?: LimitName): Problem => ({
  ...retryLater("overloaded", `The server is overloaded: try again in ${retryAfterSeconds} s`),
  ...limit === undefined ? {} : { limit }
})

/** @param afterMs time until the next request of the address is allowed */
export const rateLimited = (perSecondMax: number, afterMs: number): Problem => ({
  ...retryLater(
    "rate-limited",
    `The address sends more than ${perSecondMax} requests a second: try again in ${
      Math.max(1, Math.ceil(afterMs / 1000))
    } s`,
    afterMs / 1000
  ),
  limit: "ratePerSecondMax"
})

export const internal: Problem = {
  name: "internal",
  message: "An internal error occurred: the request is not the cause"
}

/** Reads the body of a request; a request without one has an empty body. */
export const readBody = (
  { body }: HttpRequest,
  limits: HttpLimits
): Effect.Effect<Uint8Array, BodyReadError> =>
  body === undefined
    ? Effect.succeed(new Uint8Array())
    : Effect.mapError(body(limits.bodyBytesMax), (name) =>
      new BodyReadError({
        problem: name === "body-too-large"
          ? bodyTooLarge(limits)
          : { name, message: "The body cannot be read" }
      }))
