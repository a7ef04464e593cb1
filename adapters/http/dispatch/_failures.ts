import { Cause, Effect, Option } from "effect"
import type { SnapshotId } from "../../../core/ports/mod.ts"
import type { ReadFailure } from "../../../core/use_cases/mod.ts"
import {
  type HeaderRecord,
  type HttpAnswer,
  type HttpRequest,
  type PostFailure,
  type Problem,
  problemOf,
  problemOfFaults,
  withBody
} from "../message/mod.ts"
import {
  type Match,
  type MountMatch,
  mountedPath,
  type Resource,
  type Routes
} from "../routes/mod.ts"

/** A request is refused with this answer before its operation runs. */
export interface Refusal {
  readonly _tag: "Refusal"
  readonly answer: HttpAnswer
}

export const refusal = (answer: HttpAnswer): Effect.Effect<never, Refusal> =>
  Effect.fail({ _tag: "Refusal", answer })

interface FailedRequest {
  readonly request: HttpRequest
  readonly routes: Routes
  readonly match: Match<Resource> | undefined
}

/** Returns the answer to a problem. Its headers name the snapshot, if one is passed. */
export const problemAnswer = (
  routes: Routes,
  problem: Problem,
  url: string,
  snapshotId: SnapshotId | undefined
): HttpAnswer => {
  const { body, status } = routes.problem(problem, url)
  const answer = {
    status,
    headers: { ...routes.headers(snapshotId), ...problem.headers },
    problem: problem.name,
    ...problem.limit === undefined ? {} : { limit: problem.limit },
    body
  }
  return withBody(answer, body)
}

/**
 * Returns the answer to a failure of a use case, and logs failures of the server. An interruption
 * remains one.
 *
 * @param latestSnapshotId reads the snapshot that the headers name if the failure names none
 */
export const failureAnswer = (
  { match, request: { url }, routes }: FailedRequest,
  cause: Cause.Cause<ReadFailure | PostFailure | Refusal>,
  latestSnapshotId: Effect.Effect<SnapshotId | undefined>
): Effect.Effect<HttpAnswer> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (failure?._tag === "Refusal") return Effect.succeed(failure.answer)
  const problem = problemOf(failure, match?.target.parameterOf)
  // name the snapshot in which the item was not found
  const snapshotId = failure?._tag === "NotFound" || failure?._tag === "NotRegistered"
    ? failure.snapshotId
    : undefined
  // do not read the snapshot id from a store that has just failed
  const isRead = snapshotId === undefined && failure?._tag !== "StoreFailure"
  const answer = Effect.map(
    isRead ? latestSnapshotId : Effect.succeed(snapshotId),
    (snapshotId) => problemAnswer(routes, problem, url, snapshotId)
  )
  switch (problem.name) {
    case "internal":
      return Effect.andThen(Effect.logError("Request failed", cause), answer)
    case "unavailable":
      // one line, without the cause: there may be many while the store is unavailable
      return Effect.andThen(
        Effect.logWarning(`Request refused temporarily: ${failure?.message}`),
        answer
      )
    default:
      return answer
  }
}

/**
 * Adds the faults of path and query to a fault of the header `Api-Revision`, so that the client
 * learns all of them at once.
 */
export const withInputFaults = (
  problem: Problem,
  routes: Routes,
  { path }: MountMatch,
  query: string,
  request: HttpRequest
): Effect.Effect<Problem> => {
  const isRead = request.method === "GET" || request.method === "HEAD"
  const match = problem.faults !== undefined && isRead ? routes.router.find(path) : undefined
  return match?.target.get === undefined
    ? Effect.succeed(problem)
    : Effect.matchCause(match.target.get(match.values, query, request), {
      onSuccess: () => problem,
      onFailure: (cause) => {
        const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
        return failure?._tag === "BadInput"
          ? problemOfFaults(problem.name, [...problem.faults!, ...failure.faults])
          : problem
      }
    })
}

/** Returns the problem of a path without a resource, with the nearest path that has one. */
export const unknownPath = (
  routes: Routes,
  { basePath, mount, path }: MountMatch
): Problem => {
  const pathOf = (path: string) => mountedPath(mount, path, basePath)
  const quoted = JSON.stringify(pathOf(path).slice(0, 200))
  // the nearest path to slashes only is the mount itself
  const nearest = /^\/+$/u.test(path) ? "" : routes.router.nearest(path)
  return {
    name: "unknown-path",
    message: nearest === undefined
      ? `There is no path ${quoted}: ${routes.docs(basePath)} lists all`
      : `There is no path ${quoted}: did you mean ${pathOf(nearest)}?`
  }
}

/** @param allow the methods of the path, as in the header `Allow` */
export const methodNotAllowed = (method: string, allow: string): Problem => ({
  name: "method-not-allowed",
  message: `The path does not support the method ${method.slice(0, 50)}: use one of ${allow}`,
  headers: { allow }
})

/**
 * Returns the redirect from a path with a slash at its end to the same path without it. The path
 * without the slash must be a known one: then its first segment is not empty, so that the location
 * names no other host.
 *
 * @param answerHeaders the headers of every answer
 */
export const redirectWithoutSlash = (
  { method, url }: HttpRequest,
  answerHeaders: HeaderRecord
): HttpAnswer => {
  const { "content-type": _, ...headers } = answerHeaders
  const mark = url.indexOf("?")
  const end = mark < 0 ? url.length : mark
  return {
    // 307 makes the client repeat method and body
    status: method === "GET" || method === "HEAD" ? 301 : 307,
    headers: { ...headers, location: url.slice(0, end - 1) + url.slice(end) },
    body: ""
  }
}
