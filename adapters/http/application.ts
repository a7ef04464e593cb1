import { Context, Effect, Layer } from "effect"
import { programVersion, type WireContext } from "../../core/contract/mod.ts"
import type { NetworkConstants } from "../../core/domain/mod.ts"
import {
  LedgerReader,
  type LedgerStamp,
  LedgerTip,
  Monitor,
  type PoolStore,
  PoolTip
} from "../../core/ports/mod.ts"
import { type ReadFailure, readInterfaces, Submission } from "../../core/use_cases/mod.ts"
import {
  failureAnswer,
  methodNotAllowed,
  problemAnswer,
  type Refusal,
  refusal,
  unknownPath,
  withInputFaults
} from "./_failures.ts"
import { redirectWithoutSlash } from "./_redirect.ts"
import { measureResponseCache, type ReadRequest, ResponseCache } from "./cache/mod.ts"
import { type CompressionOptions, defaultCompression } from "./compression/mod.ts"
import {
  answerHeaders,
  type AnswerStats,
  defaultLimits,
  type HttpAnswer,
  type HttpLimits,
  type HttpRequest,
  internal,
  type LimitName,
  exceededLimit,
  overloaded,
  preflightHeaders,
  type Problem,
  problems,
  readUndeclaredBody,
  withoutBody
} from "./message/mod.ts"
import {
  instrument,
  measureRequests,
  type RequestContext,
  RequestCounts,
  telemetryHeaderNames,
  type TelemetryOptions
} from "./observability/mod.ts"
import {
  type ComputedResponse,
  defaultMounts,
  makeMountMatcher,
  makePostHandlers,
  makeRevisionRoutes,
  type Match,
  type Mount,
  type MountMatch,
  operationName,
  type PostFailure,
  type Resource,
  type RevisionRoutes
} from "./routes/mod.ts"

/** Options of `Application.layer`. */
export interface ApplicationOptions {
  /** The network and its spelling of names, as `wireContext` returns it. */
  readonly context: WireContext
  /** The constants of the network, such as those of a genesis record. */
  readonly constants: NetworkConstants
  /** The revisions and their paths; `later` at `/` and `earlier` at `/earlier` by default. */
  readonly mounts?: ReadonlyArray<Mount>
  /** Each limit is that of `defaultLimits` by default. */
  readonly limits?: Partial<HttpLimits>
  /** Maximum bytes of the response cache; 64 MiB by default, 0 disables it. */
  readonly answersBytesMax?: number
  /**
   * Number of later batches after which a batch is final and its answer immutable; 1000 by default.
   */
  readonly finalAfterBatches?: number
  /**
   * Seconds that the coordinator waits between two batches, which revision `v1` shows in its state;
   * 0 by default.
   */
  readonly forgeDelaySeconds?: number
  /**
   * Compression of answers by `Accept-Encoding`; gzip from 1024 bytes by default. `false` disables
   * it.
   */
  readonly compression?: CompressionOptions | false
  /** Logging, timing and tracing; none by default. Requests are counted if there is a `Monitor`. */
  readonly telemetry?: TelemetryOptions
}

/**
 * The HTTP interface as one function from request to answer, independent of the transport.
 * `fetchHandler` adapts it to web-standard requests, `serverLayer` of `./http/node` to a server.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Submission, wireContext } from "rollup-node-api"
 * import { keccak256, inlineVerifier } from "rollup-node-api/crypto"
 * import { Application } from "rollup-node-api/http"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const { constants, network } = genesis
 * const layer = Application.layer({ constants, context: wireContext(network, keccak256) }).pipe(
 *   Layer.provide(Submission.layer({ network, keccak256 })),
 *   Layer.provide(inlineVerifier(network)),
 *   Layer.provide(Layer.merge(Memory.layer(genesis), Memory.poolLayer))
 * )
 * const answer = Effect.flatMap(Application, (application) =>
 *   application.handle({ method: "GET", url: "/slots/7", headers: {} }))
 * const { status, headers } = await Effect.runPromise(Effect.provide(answer, layer))
 * console.log(status, headers["api-revision"]) // => 200 later
 * ```
 */
export class Application extends Context.Service<Application, {
  /**
   * Starts to answer when called. Run the returned effect at most once; it is an `Exit` if the
   * answer is known at once. It never fails: errors become answers, and errors of the server are
   * also logged.
   */
  readonly handle: (request: HttpRequest) => Effect.Effect<HttpAnswer>
  /** Returns the answer to a request that the transport refuses, such as malformed HTTP. */
  readonly refuse: (problem: Problem) => Effect.Effect<HttpAnswer>
  /** The limits of this application, including the defaults. */
  readonly limits: HttpLimits
  /** Returns the counters of the response cache. */
  readonly answerStats: () => AnswerStats
}>()("rollup/http/Application") {
  /** Returns the application over stores. Throws if the mounts are invalid. */
  static readonly layer = (
    options: ApplicationOptions
  ): Layer.Layer<Application, never, LedgerReader | PoolStore | Submission> =>
    Layer.effect(Application, make(options))
}

/** A request, and the resource that its URL names. */
interface RoutedRequest {
  readonly request: HttpRequest
  readonly mount: MountMatch
  readonly routes: RevisionRoutes
  readonly match: Match<Resource> | undefined
  readonly query: string
}

/** A request that reads a resource. */
interface RoutedRead extends RoutedRequest, ReadRequest {
  readonly match: Match<Resource>
  readonly get: NonNullable<Resource["get"]>
}

const make = Effect.fnUntraced(function*(options: ApplicationOptions) {
  const {
    answersBytesMax = 64 * 2 ** 20,
    compression = defaultCompression,
    constants,
    context,
    finalAfterBatches = 1000,
    mounts = defaultMounts,
    telemetry = {}
  } = options
  const limits = { ...defaultLimits, ...options.limits }
  const counts = (yield* Monitor) === null ? null : new RequestCounts()
  const inFlight = { count: 0 }
  if (counts !== null) yield* measureRequests(counts, inFlight)
  const reader = yield* LedgerReader
  const answers = new ResponseCache({
    tip: yield* LedgerTip,
    poolTip: yield* PoolTip,
    constants,
    revisions: mounts.map(({ revision }) => revision),
    bytesMax: answersBytesMax,
    program: JSON.stringify([
      programVersion,
      context.network,
      mounts.map(({ path, revision }) => [path, revision.name])
    ]),
    finalAfterBatches,
    compression: compression === false ? { codings: [] } : compression
  })
  yield* measureResponseCache(() => answers.stats())
  // answers that do not read the ledger work while the store fails
  const stampFromStore = Effect.match(reader.stamp, {
    onSuccess: (stamp): LedgerStamp | undefined => stamp,
    onFailure: () => undefined
  })
  const newestStamp = Effect.suspend(() => {
    const known = answers.currentStamp()
    return known === undefined ? stampFromStore : Effect.succeed(known)
  })

  const routesByRevision = new Map<string, RevisionRoutes>()
  const submission = yield* Submission
  const exposedHeaders = telemetryHeaderNames(telemetry)
  for (
    const reading of yield* readInterfaces({
      context,
      constants,
      revisions: mounts.map(({ revision }) => revision),
      listItemsMax: limits.listItemsMax,
      forgeDelaySeconds: options.forgeDelaySeconds ?? 0
    })
  ) {
    const { revision } = reading
    routesByRevision.set(
      revision.name,
      makeRevisionRoutes({
        mount: mounts.find((mount) => mount.revision === revision)!,
        mounts,
        reading,
        postHandlers: makePostHandlers({ revision, context, submission, limits }),
        context,
        stamp: newestStamp,
        exposedHeaders,
        isCompressed: compression !== false
      })
    )
  }
  const matchMount = makeMountMatcher(mounts)
  const mountOf = ({ basePath = "", headers, url }: HttpRequest) => {
    const mark = url.indexOf("?")
    const revision = headers[answerHeaders.revision]
    const mount = matchMount(
      url.slice(basePath.length, mark < 0 ? url.length : mark),
      revision === undefined ? undefined : String(revision),
      basePath
    )
    return {
      mount,
      routes: routesByRevision.get(mount.revision)!,
      query: mark < 0 ? "" : url.slice(mark + 1)
    }
  }

  const refuse = (
    routes: RevisionRoutes,
    problem: Problem,
    url: string
  ): Effect.Effect<HttpAnswer> =>
    Effect.map(newestStamp, (stamp) => problemAnswer(routes, problem, url, stamp))
  /** Refuses without reading the store. */
  const refuseNow = (routes: RevisionRoutes, problem: Problem, url: string): HttpAnswer =>
    problemAnswer(routes, problem, url, answers.currentStamp())

  const answerOf = (
    { request: { url }, routes }: RoutedRequest,
    resource: Resource,
    answer: Effect.Effect<HttpAnswer, ReadFailure | PostFailure | Refusal>
  ) =>
    Effect.matchCauseEffectEager(answer, {
      onSuccess: Effect.succeed,
      onFailure: (cause) => failureAnswer(routes, resource, url, cause, newestStamp)
    })

  const dispatch = (
    request: HttpRequest,
    requestContext: RequestContext
  ): Effect.Effect<HttpAnswer> => {
    const { method, url } = request
    const { mount, query, routes } = mountOf(request)
    requestContext.revision = mount.revision
    if (request.refusal !== undefined) {
      return Effect.succeed(refuseNow(routes, request.refusal, url))
    }
    const limitProblem = exceededLimit(request, limits)
    if (limitProblem !== undefined) return refuse(routes, limitProblem, url)
    if (mount.problem !== undefined) {
      return Effect.flatMap(
        withInputFaults(mount.problem, routes, mount, query, request),
        (problem) => refuse(routes, problem, url)
      )
    }
    const match = routes.router.find(mount.path)
    requestContext.operation = method === "OPTIONS"
      ? "options"
      : operationName(match?.target, method)
    const routed = { request, mount, routes, match, query }
    const get = method === "GET" || method === "HEAD" ? match?.target.get : undefined
    if (match === undefined || get === undefined) {
      return admitted(routed, () => compute(routed), Effect.succeed)
    }
    const batch = match.target.batch?.(match.values) ?? null
    const read: RoutedRead = { request, mount, routes, match, query, get, batch }
    const computing = () =>
      admitted(read, () => withoutUndeclaredBody(read, () => computed(read), refusal), refusal)
    return answerOf(read, match.target, answers.answer(read, computing))
  }

  /** Runs an effect when the request is admitted, and `refused` with the answer if it is not. */
  const admitted = <A, E>(
    { request, routes }: RoutedRequest,
    run: () => Effect.Effect<A, E>,
    refused: (answer: HttpAnswer) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> => {
    const shed = (limit: LimitName) => refused(refuseNow(routes, overloaded(limit), request.url))
    if (inFlight.count >= limits.requestsMax) return shed("requestsMax")
    const admission = request.admit?.() ?? "run"
    if (admission === "run") return run()
    return admission === "shed"
      ? shed("queueDelayTargetMs")
      : Effect.flatMap(admission, (isAdmitted) => isAdmitted ? run() : shed("queueDelayTargetMs"))
  }

  /** Runs an effect after a body that the operation does not use, and `refused` if it is too long. */
  const withoutUndeclaredBody = <A, E>(
    { request, routes }: RoutedRequest,
    run: () => Effect.Effect<A, E>,
    refused: (answer: HttpAnswer) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> => {
    const bodyRead = readUndeclaredBody(request, limits)
    return bodyRead === undefined
      ? run()
      : Effect.flatMap(bodyRead, (problem) =>
        problem === undefined
          ? run()
          : Effect.flatMap(refuse(routes, problem, request.url), refused))
  }

  const computed = (
    { get, match, query, request }: RoutedRead
  ): Effect.Effect<ComputedResponse, ReadFailure | Refusal> => get(match.values, query, request)

  const compute = (routed: RoutedRequest): Effect.Effect<HttpAnswer> => {
    const { match, query, request } = routed
    const write = match?.target.write
    return match !== undefined && write !== undefined && request.method === write.method
      ? answerOf(routed, match.target, write.answer(match.values, query, request))
      : withoutUndeclaredBody(routed, () => answerWithoutResource(routed), Effect.succeed)
  }

  const answerWithoutResource = (
    { match, mount, request, routes }: RoutedRequest
  ): Effect.Effect<HttpAnswer> => {
    const { headers, method, url } = request
    // the target of CONNECT is not a path
    if (method === "CONNECT") return refuse(routes, methodNotAllowed(method, anyMethod), url)
    if (match !== undefined) {
      const { allow } = match.target
      return method === "OPTIONS"
        ? optionsAnswer(routes, allow)
        : refuse(routes, methodNotAllowed(method, allow), url)
    }
    const withoutSlash = routes.findWithoutSlash(mount.path)
    if (withoutSlash !== undefined) {
      // a browser does not follow the redirect of a preflight
      return method === "OPTIONS"
        ? optionsAnswer(routes, withoutSlash.target.allow)
        : Effect.map(newestStamp, (stamp) => redirectWithoutSlash(request, routes.headers(stamp)))
    }
    // a browser cannot read a refused preflight, so every path answers it
    const isPreflight = method === "OPTIONS" &&
      (url === "*" || headers["access-control-request-method"] !== undefined)
    return isPreflight
      ? optionsAnswer(routes, anyMethod)
      : refuse(routes, unknownPath(routes, mount), url)
  }

  const optionsAnswer = (routes: RevisionRoutes, methods: string) =>
    Effect.map(newestStamp, (stamp): HttpAnswer => {
      const { "content-type": _, ...headers } = routes.headers(stamp)
      return { status: 204, headers: { ...headers, ...preflightHeaders(methods) }, body: "" }
    })

  const defaultRoutes = routesByRevision.get(matchMount("/", undefined).revision)!
  const handle = instrument({
    counts,
    inFlight,
    telemetry,
    answer: (request, requestContext) => {
      let answer: Effect.Effect<HttpAnswer>
      try {
        answer = dispatch(request, requestContext)
      } catch (defect) {
        answer = Effect.andThen(
          Effect.logError("Request failed", defect),
          refuse(defaultRoutes, internal, request.url)
        )
      }
      if (request.method === "HEAD") return Effect.mapEager(answer, withoutBody)
      const { accepts } = request
      return accepts === undefined ?
        answer :
        Effect.mapEager(answer, (answer) =>
          accepts(answer.body.length)
            ? answer
            : refuseNow(mountOf(request).routes, overloaded(), request.url))
    },
    operationOf: (request) => {
      const { mount, routes } = mountOf(request)
      return operationName(routes.router.find(mount.path)?.target, request.method)
    }
  })
  return Application.of({
    limits,
    answerStats: () => answers.stats(),
    handle,
    refuse: (problem) => {
      counts?.add(defaultRoutes.revision.name, "none", problems[problem.name].status, {
        problem: problem.name,
        ...problem.limit === undefined ? {} : { limit: problem.limit }
      }, 0)
      return refuse(defaultRoutes, problem, "")
    }
  })
})

const anyMethod = "GET, HEAD, POST, OPTIONS"
