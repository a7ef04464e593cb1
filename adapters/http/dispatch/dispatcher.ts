import { Effect } from "effect"
import type { SnapshotId } from "../../../core/ports/mod.ts"
import type { ReadFailure } from "../../../core/use_cases/mod.ts"
import {
  failureAnswer,
  methodNotAllowed,
  problemAnswer,
  redirectWithoutSlash,
  type Refusal,
  refusal,
  unknownPath,
  withInputFaults
} from "./_failures.ts"
import {
  answerHeaders,
  bodyBytes,
  type BodyReadError,
  exceededLimit,
  type HttpAnswer,
  type HttpLimits,
  type HttpRequest,
  internal,
  isPreflight,
  type LimitName,
  overloaded,
  type PostFailure,
  preflightHeaders,
  type Problem,
  readBody,
  withLength,
  withoutBody
} from "../message/mod.ts"
import type {
  ComputedResponse,
  Match,
  MountMatch,
  MountMatcher,
  Resource,
  Routes
} from "../routes/mod.ts"

/** A request, and the mount and the resource that its URL names. */
export interface RoutedRequest {
  readonly request: HttpRequest
  readonly routes: Routes
  readonly mount: MountMatch
  /** Undefined if the request has a problem, or its path is unknown. */
  readonly match: Match<Resource> | undefined
  readonly query: string
  /** The batch whose finality makes the answer immutable; null if there is none. */
  readonly batch: number | null
  /** The reason to refuse the request, whatever its resource is. */
  readonly problem: Problem | undefined
  /** Name of the operation in metrics and logs. */
  readonly operation: string
}

/** How to compute the answer to a read. */
export interface Computation<E> {
  /** Runs an effect if the request is admitted, and fails if it is not. */
  readonly admit: <A>(read: RoutedRequest, run: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly compute: (read: RoutedRequest) => Effect.Effect<ComputedResponse, E>
}

/** Answers reads, such as a cache of their answers. */
export interface Answers {
  readonly answer: <E>(
    read: RoutedRequest,
    computation: Computation<E>
  ) => Effect.Effect<HttpAnswer, E>
  /** Returns the id of the latest snapshot, or undefined if it is unknown. */
  readonly latestSnapshotId: () => SnapshotId | undefined
}

export interface DispatcherOptions {
  readonly answers: Answers
  readonly limits: HttpLimits
  /** Returns the mount of a path, and its revision. */
  readonly matchMount: MountMatcher
  /** By name of the revision. */
  readonly routes: ReadonlyMap<string, Routes>
  /** Refuses a request before its resource sees it. If absent, every request is allowed. */
  readonly refuse?: (request: HttpRequest, resource: Resource) => HttpAnswer | undefined
  /** Number of requests whose answers are being computed. */
  readonly counts: { readonly inFlight: number }
  /** Reads the latest snapshot if it is not known; undefined while the store fails. */
  readonly latestSnapshotId: Effect.Effect<SnapshotId | undefined>
}

type Failure = ReadFailure | PostFailure | Refusal

const anyMethod = "GET, HEAD, POST, OPTIONS"

/** Routes requests to the resources of their revision, and answers them. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  /** The routes of requests that have no path. */
  readonly defaultRoutes: Routes

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.defaultRoutes = options.routes.get(options.matchMount("/", undefined).revision)!
  }

  /** Looks up the mount and the resource of a request. */
  route(request: HttpRequest): RoutedRequest {
    const { basePath = "", headers, method, url } = request
    const mark = url.indexOf("?")
    const revision = headers[answerHeaders.revision]
    const mount = this.#options.matchMount(
      url.slice(basePath.length, mark < 0 ? url.length : mark),
      revision === undefined ? undefined : String(revision),
      basePath
    )
    const routes = this.#options.routes.get(mount.revision)!
    const problem = request.refusal ?? exceededLimit(request, this.#options.limits) ?? mount.problem
    const match = problem === undefined ? routes.router.find(mount.path) : undefined
    return {
      request,
      mount,
      routes,
      match,
      query: mark < 0 ? "" : url.slice(mark + 1),
      batch: match?.target.batch?.(match.values) ?? null,
      problem,
      operation: problem === undefined && method === "OPTIONS"
        ? "options"
        : operationName(match?.target, method)
    }
  }

  /** Starts to answer a request. Run the returned effect at most once. */
  answer(routed: RoutedRequest): Effect.Effect<HttpAnswer> {
    const { request: { accepts, method, url }, routes } = routed
    let answer: Effect.Effect<HttpAnswer>
    try {
      answer = this.#answer(routed)
    } catch (defect) {
      answer = Effect.andThen(
        Effect.logError("Request failed", defect),
        this.refuse(this.defaultRoutes, internal, url)
      )
    }
    return Effect.mapEager(answer, (found) => {
      const answer = withLength(found)
      if (method === "HEAD") return withoutBody(answer)
      return accepts === undefined || accepts(bodyBytes(answer))
        ? answer
        : this.#refuseNow(routes, overloaded(), url)
    })
  }

  refuse(routes: Routes, problem: Problem, url: string): Effect.Effect<HttpAnswer> {
    return Effect.map(
      this.#options.latestSnapshotId,
      (snapshotId) => problemAnswer(routes, problem, url, snapshotId)
    )
  }

  /** Refuses without reading the store. */
  #refuseNow(routes: Routes, problem: Problem, url: string): HttpAnswer {
    return problemAnswer(routes, problem, url, this.#options.answers.latestSnapshotId())
  }

  #answer(routed: RoutedRequest): Effect.Effect<HttpAnswer> {
    const { match, problem, request: { method } } = routed
    if (problem !== undefined) return this.#refuseRouted(routed, problem)
    const refused = match && this.#options.refuse?.(routed.request, match.target)
    if (refused !== undefined) return Effect.succeed(refused)
    const isRead = (method === "GET" || method === "HEAD") && match?.target.get !== undefined
    const answer: Effect.Effect<HttpAnswer, Failure> = isRead
      ? this.#options.answers.answer(routed, this.#computation)
      // a browser shows a refused preflight as a network error, and its answer costs nothing
      : isPreflight(routed.request)
      ? this.#answerUncached(routed)
      : this.#admitted(routed, () => this.#answerUncached(routed))
    return Effect.matchCauseEffectEager(answer, {
      onSuccess: Effect.succeed,
      onFailure: (cause) => failureAnswer(routed, cause, this.#options.latestSnapshotId)
    })
  }

  readonly #computation: Computation<Failure> = {
    admit: (routed, run) => this.#admitted(routed, () => this.#withoutUndeclaredBody(routed, run)),
    compute: ({ match, query, request }) => match!.target.get!(match!.values, query, request)
  }

  #refuseRouted(routed: RoutedRequest, problem: Problem): Effect.Effect<HttpAnswer> {
    const { mount, query, request, routes } = routed
    const { refusal, url } = request
    if (refusal !== undefined) return Effect.succeed(this.#refuseNow(routes, refusal, url))
    const complete = problem === mount.problem
      ? withInputFaults(problem, routes, mount, query, request)
      : Effect.succeed(problem)
    return Effect.flatMap(complete, (problem) => this.refuse(routes, problem, url))
  }

  /** Runs an effect when the request is admitted, and fails if it is not. */
  #admitted<A, E>(
    { request, routes }: RoutedRequest,
    run: () => Effect.Effect<A, E>
  ): Effect.Effect<A, E | Refusal> {
    const { counts, limits } = this.#options
    const shed = (limit: LimitName) =>
      refusal(this.#refuseNow(routes, overloaded(limit), request.url))
    if (counts.inFlight >= limits.requestsMax) return shed("requestsMax")
    const admission = request.admit?.() ?? "run"
    if (admission === "run") return run()
    return admission === "shed"
      ? shed("queueDelayTargetMs")
      : Effect.flatMap(
        admission,
        (isAdmitted): Effect.Effect<A, E | Refusal> =>
          isAdmitted ? run() : shed("queueDelayTargetMs")
      )
  }

  /** Runs an effect after a body that the operation does not use, and fails if it is too long. */
  #withoutUndeclaredBody<A, E>(
    { request }: RoutedRequest,
    run: () => Effect.Effect<A, E>
  ): Effect.Effect<A, E | BodyReadError> {
    return request.headers["transfer-encoding"] === undefined
      ? run()
      : Effect.flatMap(readBody(request, this.#options.limits), run)
  }

  /** Answers a write, or a request without a resource. */
  #answerUncached(routed: RoutedRequest): Effect.Effect<HttpAnswer, Failure> {
    const { match, query, request } = routed
    const write = match?.target.write
    return match !== undefined && write !== undefined && request.method === write.method
      ? write.answer(match.values, query, request)
      : this.#withoutUndeclaredBody(routed, () => this.#answerWithoutResource(routed))
  }

  #answerWithoutResource(
    { match, mount, request, routes }: RoutedRequest
  ): Effect.Effect<HttpAnswer> {
    const { method, url } = request
    // the target of CONNECT is not a path
    if (method === "CONNECT") return this.refuse(routes, methodNotAllowed(method, anyMethod), url)
    if (match !== undefined) {
      const { allow } = match.target
      return method === "OPTIONS"
        ? this.#optionsAnswer(routes, allow)
        : this.refuse(routes, methodNotAllowed(method, allow), url)
    }
    const withoutSlash = routes.router.findWithoutSlash(mount.path)
    if (withoutSlash !== undefined) {
      // a browser does not follow the redirect of a preflight
      return method === "OPTIONS"
        ? this.#optionsAnswer(routes, withoutSlash.target.allow)
        : Effect.map(
          this.#options.latestSnapshotId,
          (snapshotId) => redirectWithoutSlash(request, routes.headers(snapshotId))
        )
    }
    // a browser cannot read a refused preflight, so every path answers it
    return isPreflight(request) || (method === "OPTIONS" && url === "*")
      ? this.#optionsAnswer(routes, anyMethod)
      : this.refuse(routes, unknownPath(routes, mount), url)
  }

  #optionsAnswer(routes: Routes, methods: string): Effect.Effect<HttpAnswer> {
    return Effect.map(this.#options.latestSnapshotId, (snapshotId): HttpAnswer => {
      const { "content-type": _, ...headers } = routes.headers(snapshotId)
      return { status: 204, headers: { ...headers, ...preflightHeaders(methods) }, body: "" }
    })
  }
}

/** Returns the name of the operation of a request in metrics and logs. */
const operationName = (resource: Resource | undefined, method: string): string =>
  resource === undefined
    ? "none"
    : method === resource.write?.method
    ? resource.write.operation
    : resource.operation
