import { Cause, Clock, Context, Effect, Layer, Option } from "effect"
import { programVersion, type WireContext } from "../../core/contract/mod.ts"
import type { NetworkConstants } from "../../core/domain/mod.ts"
import {
  LedgerReader,
  type LedgerStamp,
  LedgerTip,
  Monitor,
  NotRegistered,
  type PoolStore,
  PoolTip
} from "../../core/ports/mod.ts"
import { type ReadFailure, readInterfaces, Submission } from "../../core/use_cases/mod.ts"
import { makeResponseCache, measureResponseCache } from "./cache/mod.ts"
import {
  answerHeaders,
  type AnswerStats,
  badInput,
  busy,
  conflicting,
  defaultLimits,
  type HttpAnswer,
  type HttpLimits,
  type HttpRequest,
  internal,
  type LimitName,
  notFound,
  overLimit,
  overloaded,
  poolFull,
  preflightHeaders,
  type Problem,
  problemJson,
  problems,
  refused,
  unavailable,
  undeclaredBody,
  utf8Body,
  withFaults,
  withoutBody
} from "./message/mod.ts"
import {
  measureRequests,
  instrument,
  type TelemetryOptions,
  RequestCounts,
  type RequestContext,
  telemetryHeaderNames
} from "./observability/mod.ts"
import {
  type MountMatch,
  defaultMounts,
  makeMountMatcher,
  makePostHandlers,
  makeRevisionRoutes,
  type Match,
  type Mount,
  mountedPath,
  type PostFailure,
  type Resource,
  type RevisionRoutes
} from "./routes/mod.ts"

export interface ApplicationOptions {
  readonly context: WireContext
  readonly constants: NetworkConstants
  /** The revisions and their paths; `later` at `/` and `earlier` at `/earlier` by default. */
  readonly mounts?: ReadonlyArray<Mount>
  readonly limits?: Partial<HttpLimits>
  /** Bound of the response cache; 64 MiB by default, 0 disables it. */
  readonly answersBytesMax?: number
  /**
   * Number of later batches that makes a batch final, so that its answer is immutable for caches;
   * 1000 by default.
   */
  readonly finalAfterBatches?: number
  /** Logging, timing and tracing; none by default. Requests are counted if there is a `Monitor`. */
  readonly telemetry?: TelemetryOptions
}

/**
 * The HTTP interface as one function from request to answer; servers and fetch handlers adapt it to
 * a transport.
 */
export class Application extends Context.Service<Application, {
  /**
   * Starts to answer when called. The returned effect is an `Exit` if the answer is known at once;
   * run it at most once. It never fails: an error becomes an answer, and errors of the server are
   * logged.
   */
  readonly handle: (request: HttpRequest) => Effect.Effect<HttpAnswer>
  /** Returns the answer to a request that the transport refuses, such as malformed HTTP. */
  readonly refuse: (problem: Problem) => Effect.Effect<HttpAnswer>
  readonly limits: HttpLimits
  /** Returns the counters of the response cache. */
  readonly answerStats: () => AnswerStats
}>()("rollup/http/Application") {
  static readonly layer = (
    options: ApplicationOptions
  ): Layer.Layer<Application, never, LedgerReader | PoolStore | Submission> =>
    Layer.effect(Application, make(options))
}

const make = Effect.fnUntraced(function*(options: ApplicationOptions) {
  const {
    mounts = defaultMounts,
    context,
    constants,
    answersBytesMax = 64 * 2 ** 20,
    finalAfterBatches = 1000
  } = options
  const limits = { ...defaultLimits, ...options.limits }
  const { telemetry = {} } = options
  const isObserved = Object.keys(telemetry).length > 0
  const counts = (yield* Monitor) === null ? null : new RequestCounts()
  const inFlight = { count: 0 }
  if (counts !== null) yield* measureRequests(counts, inFlight)
  const reader = yield* LedgerReader
  const submission = yield* Submission
  const program = JSON.stringify([
    programVersion,
    context.network,
    mounts.map(({ path, revision }) => [path, revision.name])
  ])
  const clock = yield* Clock.Clock
  const answers = makeResponseCache({
    tip: yield* LedgerTip,
    poolTip: yield* PoolTip,
    constants,
    bytesMax: answersBytesMax,
    program,
    finalAfterBatches,
    nowMs: () => clock.currentTimeMillisUnsafe()
  })
  yield* measureResponseCache(answers.stats)
  // answers that do not read the ledger work while the store fails
  const read = Effect.match(reader.stamp, {
    onSuccess: (stamp): LedgerStamp | undefined => stamp,
    onFailure: () => undefined
  })
  const stamp = Effect.suspend(() => {
    const known = answers.currentStamp()
    return known === undefined ? read : Effect.succeed(known)
  })
  const matchMount = makeMountMatcher(mounts)
  const routesByRevision = new Map<string, RevisionRoutes>()
  const exposedHeaders = telemetryHeaderNames(telemetry)
  for (
    const reading of yield* readInterfaces({
      context,
      constants,
      revisions: mounts.map(({ revision }) => revision),
      listItemsMax: limits.listItemsMax
    })
  ) {
    const mount = mounts.find(({ revision }) => revision === reading.revision)!
    const postHandlers = makePostHandlers({
      revision: reading.revision,
      context,
      submission,
      limits
    })
    routesByRevision.set(
      reading.revision.name,
      yield* makeRevisionRoutes({
        mount,
        mounts,
        reading,
        postHandlers,
        context,
        stamp,
        exposedHeaders
      })
    )
  }

  const refusal = (
    routes: RevisionRoutes,
    problem: Problem,
    url: string,
    stamp: LedgerStamp | undefined
  ): HttpAnswer => {
    const { body, bytes } = utf8Body(problemJson(problem, url))
    return {
      status: problems[problem.name].status,
      headers: { ...routes.headers(stamp), ...problem.headers, "content-length": `${bytes}` },
      body,
      isAscii: typeof body === "string",
      problem: problem.name,
      ...problem.limit === undefined ? {} : { limit: problem.limit }
    }
  }
  const refuse = (
    routes: RevisionRoutes,
    problem: Problem,
    url: string
  ): Effect.Effect<HttpAnswer> => Effect.map(stamp, (stamp) => refusal(routes, problem, url, stamp))

  const failed = (
    routes: RevisionRoutes,
    resource: Resource,
    cause: Cause.Cause<ReadFailure | PostFailure>,
    url: string
  ): Effect.Effect<HttpAnswer> => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
    const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
    const problem = problemOf(failure, resource)
    // name the snapshot in which the thing was not found
    const known = failure?._tag === "NotFound" || failure?._tag === "NotRegistered"
      ? failure.stamp
      : undefined
    // do not read the stamp from a store that has just failed
    const answer = known === undefined && failure?._tag !== "StoreFailure"
      ? refuse(routes, problem, url)
      : Effect.succeed(refusal(routes, problem, url, known))
    switch (problem.name) {
      case "internal":
        return Effect.andThen(Effect.logError("Request failed", cause), answer)
      case "unavailable":
        // one line, without the cause: there may be many while the store is unavailable
        return Effect.andThen(
          Effect.logWarning(`Request refused for now: ${failure?.message}`),
          answer
        )
      default:
        return answer
    }
  }

  const answered = (
    routes: RevisionRoutes,
    resource: Resource,
    answer: Effect.Effect<HttpAnswer, ReadFailure | PostFailure>,
    url: string
  ) =>
    Effect.matchCauseEffectEager(answer, {
      onSuccess: Effect.succeed,
      onFailure: (cause) => failed(routes, resource, cause, url)
    })

  const answerAt = (
    routes: RevisionRoutes,
    choice: MountMatch,
    match: Match<Resource> | undefined,
    query: string,
    request: HttpRequest
  ): Effect.Effect<HttpAnswer> => {
    const { method, url } = request
    // a browser cannot read a refused preflight, so every path answers it
    const preflight = method === "OPTIONS" &&
      (url === "*" || request.headers["access-control-request-method"] !== undefined)
    // the target of CONNECT is not a path
    if (method === "CONNECT") return refuse(routes, methodNotAllowed(method, anyMethod), url)
    if (match === undefined) {
      return preflight
        ? options204(routes, anyMethod)
        : refuse(routes, unknownPath(routes, choice), url)
    }
    const { target, values } = match
    if (method === "OPTIONS") return options204(routes, target.allow)
    return target.get !== undefined && (method === "GET" || method === "HEAD")
      ? answered(
        routes,
        target,
        answers.get(routes, request, target.get(values, query, request)),
        url
      )
      : refuse(routes, methodNotAllowed(method, target.allow), url)
  }
  const options204 = (routes: RevisionRoutes, methods: string) =>
    Effect.map(stamp, (stamp): HttpAnswer => {
      const { "content-type": _, ...headers } = routes.headers(stamp)
      return { status: 204, headers: { ...headers, ...preflightHeaders(methods) }, body: "" }
    })

  const dispatch = (
    request: HttpRequest,
    requestContext: RequestContext
  ): Effect.Effect<HttpAnswer> => {
    const { url } = request
    const mark = url.indexOf("?")
    const revision = request.headers[answerHeaders.revision]
    const choice = matchMount(
      mark < 0 ? url : url.slice(0, mark),
      revision === undefined ? undefined : String(revision)
    )
    const routes = routesByRevision.get(choice.revision)!
    const query = mark < 0 ? "" : url.slice(mark + 1)
    requestContext.revision = choice.revision
    // uses the known stamp, without reading the store
    const refuseNow = (problem: Problem) =>
      Effect.succeed(refusal(routes, problem, url, answers.currentStamp()))
    const shed = (limit: LimitName) => refuseNow(overloaded(limit))
    if (request.refused !== undefined) return refuseNow(request.refused)
    const refused = overLimit(request, limits)
    if (refused !== undefined) return refuse(routes, refused, url)
    if (choice.problem !== undefined) {
      return Effect.flatMap(
        withInputFaults(choice.problem, routes, choice, query, request),
        (problem) => refuse(routes, problem, url)
      )
    }
    const cached = answers.lookup(routes, request, () => {
      const match = routes.router.find(choice.path)
      return match?.target.batch?.(match.values) ?? null
    })
    if (cached !== undefined && cached !== "stale-hot") {
      if (counts !== null || isObserved) {
        requestContext.operation = routes.router.find(choice.path)?.target.operation ?? "none"
      }
      return Effect.succeed(cached)
    }
    const match = routes.router.find(choice.path)
    requestContext.operation = request.method === "OPTIONS"
      ? "options"
      : match?.target.operation ?? "none"
    if (inFlight.count >= limits.requestsMax) return shed("requestsMax")
    const admission = cached === "stale-hot" ? "run" : request.admit?.() ?? "run"
    if (admission === "shed") return shed("queueDelayTargetMs")
    const compute = () => computed(routes, choice, match, query, request)
    return admission === "run"
      ? compute()
      : Effect.flatMap(
        admission,
        (isAdmitted) => isAdmitted ? compute() : shed("queueDelayTargetMs")
      )
  }
  const computed = (
    routes: RevisionRoutes,
    choice: MountMatch,
    match: Match<Resource> | undefined,
    query: string,
    request: HttpRequest
  ): Effect.Effect<HttpAnswer> => {
    const { url } = request
    if (request.method === "POST" && match?.target.post !== undefined) {
      return answered(routes, match.target, match.target.post(query, request), url)
    }
    const answer = () => answerAt(routes, choice, match, query, request)
    const body = undeclaredBody(request, limits)
    return body === undefined
      ? answer()
      : Effect.flatMap(
        body,
        (refused) => refused === undefined ? answer() : refuse(routes, refused, url)
      )
  }

  const fallback = routesByRevision.get(matchMount("/", undefined).revision)!
  const guarded = (request: HttpRequest, requestContext: RequestContext) => {
    try {
      return dispatch(request, requestContext)
    } catch (defect) {
      return Effect.andThen(
        Effect.logError("Request failed", defect),
        refuse(fallback, internal, request.url)
      )
    }
  }
  const routeOf = (
    { headers, url }: HttpRequest
  ): { readonly path: string; readonly routes: RevisionRoutes } => {
    const revision = headers[answerHeaders.revision]
    const choice = matchMount(
      url.split("?", 1)[0]!,
      typeof revision === "string" ? revision : undefined
    )
    return { path: choice.path, routes: routesByRevision.get(choice.revision)! }
  }
  const handle = instrument({
    counts,
    inFlight,
    telemetry,
    answer: (request, requestContext) => {
      const answer = guarded(request, requestContext)
      if (request.method === "HEAD") return Effect.mapEager(answer, withoutBody)
      const { accepts } = request
      return accepts === undefined ?
        answer :
        Effect.mapEager(answer, (answer) =>
          accepts(answer.body.length)
            ? answer
            : refusal(routeOf(request).routes, overloaded(), request.url, answers.currentStamp()))
    },
    operationOf: (request) => {
      const { path, routes } = routeOf(request)
      return routes.router.find(path)?.target.operation ?? "none"
    }
  })
  return Application.of({
    limits,
    answerStats: answers.stats,
    handle,
    refuse: (problem) => {
      counts?.add(fallback.revision.name, "none", problems[problem.name].status, {
        problem: problem.name,
        ...problem.limit === undefined ? {} : { limit: problem.limit }
      }, 0)
      return refuse(fallback, problem, "")
    }
  })
})

const anyMethod = "GET, HEAD, POST, OPTIONS"

/**
 * Adds to a fault of the header the faults of path and query in the revision of the mount, to
 * report all at once.
 */
const withInputFaults = (
  problem: Problem,
  routes: RevisionRoutes,
  { path }: MountMatch,
  query: string,
  request: HttpRequest
): Effect.Effect<Problem> => {
  const match =
    problem.faults === undefined || !(request.method === "GET" || request.method === "HEAD")
      ? undefined
      : routes.router.find(path)
  return match?.target.get === undefined ?
    Effect.succeed(problem) :
    Effect.matchCause(match.target.get(match.values, query, request), {
      onSuccess: () => problem,
      onFailure: (cause) => {
        const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
        return failure?._tag === "BadInput" ? withFaults(problem, failure.faults) : problem
      }
    })
}

/** Maps a failure of the core to a problem; the only place that does. */
const problemOf = (failure: ReadFailure | PostFailure | undefined, resource: Resource): Problem => {
  switch (failure?._tag) {
    case "BadInput":
      return badInput(failure)
    case "NotFound":
      return notFound(failure)
    case "NotRegistered":
      // each thing names its own filter
      return withFaults(
        resource.notRegistered(failure),
        failure.things.slice(1).flatMap((thing) =>
          resource.notRegistered(new NotRegistered({ ...failure, things: [thing] })).faults ?? []
        )
      )
    case "BodyReadError":
      return failure.problem
    case "SubmissionRefused":
      return refused(failure)
    case "SubmissionConflict":
      return conflicting(failure)
    case "PoolFull":
      return poolFull(failure)
    case "VerifierBusy":
      return busy(failure)
    case "StoreFailure":
      return failure.retry ? unavailable : internal
    case undefined:
      return internal
  }
}

const unknownPath = (routes: RevisionRoutes, { mount, path }: MountMatch): Problem => {
  const given = JSON.stringify(mountedPath(mount, path).slice(0, 200))
  // the nearest path to slashes only is the mount itself
  const nearest = /^\/+$/u.test(path) ? "" : routes.router.nearest(path)
  return {
    name: "unknown-path",
    message: nearest === undefined
      ? `There is no path ${given}: ${routes.docs} lists the known ones`
      : `There is no path ${given}: did you mean ${mountedPath(mount, nearest)}?`
  }
}

const methodNotAllowed = (method: string, allow: string): Problem => ({
  name: "method-not-allowed",
  message: `The path does not have the method ${method.slice(0, 50)}: use one of ${allow}`,
  headers: { allow }
})
