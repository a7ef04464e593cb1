import { Context, Effect, Layer } from "effect"
import { programVersion, type WireContext } from "../../core/contract/mod.ts"
import type { NetworkConstants } from "../../core/domain/mod.ts"
import {
  LedgerReader,
  type SnapshotId,
  LatestLedgerVersion,
  type PoolStore,
  LatestPoolVersion
} from "../../core/ports/mod.ts"
import { readInterfaces, Submission } from "../../core/use_cases/mod.ts"
import { measureResponseCache, ResponseCache } from "./cache/mod.ts"
import { type CompressionOptions, defaultCompression } from "./compression/mod.ts"
import { Dispatcher } from "./dispatch/mod.ts"
import {
  defaultLimits,
  type HttpAnswer,
  type HttpLimits,
  type HttpRequest,
  type Problem
} from "./message/mod.ts"
import {
  instrument,
  measureRequests,
  RequestCounts,
  telemetryHeaderNames,
  type TelemetryOptions
} from "./observability/mod.ts"
import {
  defaultMounts,
  makeMountMatcher,
  makePostHandlers,
  makeRevisionRoutes,
  type Mount,
  type Routes
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
}>()("rollup/http/Application") {
  /** Returns the application over stores. Throws if the mounts are invalid. */
  static readonly layer = (
    options: ApplicationOptions
  ): Layer.Layer<Application, never, LedgerReader | PoolStore | Submission> =>
    Layer.effect(Application, make(options))
}

const make = Effect.fnUntraced(function*(options: ApplicationOptions) {
  const { mounts = defaultMounts, telemetry = {} } = options
  const limits = { ...defaultLimits, ...options.limits }
  const counts = new RequestCounts()
  yield* measureRequests(counts)
  const answers = yield* openResponseCache(options, mounts)
  const latestSnapshotId = makeLatestSnapshotId(answers, yield* LedgerReader)
  const routes = yield* openRoutes(options, mounts, limits, latestSnapshotId)
  const matchMount = makeMountMatcher(mounts)
  const dispatcher = new Dispatcher({
    answers,
    counts,
    latestSnapshotId,
    limits,
    matchMount,
    routes
  })
  return Application.of({
    limits,
    handle: instrument({ counts, dispatcher, telemetry }),
    refuse: (problem) =>
      Effect.map(dispatcher.refuse(dispatcher.defaultRoutes, problem, ""), (answer) => {
        counts.add(dispatcher.defaultRoutes.revision, "none", answer.status, answer, 0)
        return answer
      })
  })
})

const openResponseCache = Effect.fnUntraced(
  function*(
    {
      answersBytesMax = 64 * 2 ** 20,
      compression = defaultCompression,
      constants,
      context,
      finalAfterBatches = 1000
    }: ApplicationOptions,
    mounts: ReadonlyArray<Mount>
  ) {
    const answers = new ResponseCache({
      latestVersion: yield* LatestLedgerVersion,
      latestPoolVersion: yield* LatestPoolVersion,
      constants,
      revisions: mounts.map(({ revision }) => revision.name),
      bytesMax: answersBytesMax,
      program: JSON.stringify([
        programVersion,
        context.network,
        mounts.map(({ path, revision }) => [path, revision.name])
      ]),
      finalAfterBatches,
      compression: compression === false ? { codings: [] } : compression
    })
    yield* measureResponseCache(answers)
    return answers
  }
)

/** Returns the id of the latest snapshot; undefined while the store fails. */
const makeLatestSnapshotId = (
  answers: ResponseCache,
  reader: LedgerReader["Service"]
): Effect.Effect<SnapshotId | undefined> => {
  // answers that do not read the ledger work while the store fails
  const snapshotIdFromStore = Effect.match(reader.snapshotId, {
    onSuccess: (snapshotId): SnapshotId | undefined => snapshotId,
    onFailure: () => undefined
  })
  return Effect.suspend(() => {
    const known = answers.latestSnapshotId()
    return known === undefined ? snapshotIdFromStore : Effect.succeed(known)
  })
}

/** Returns the routes of each revision by its name. */
const openRoutes = Effect.fnUntraced(function*(
  { compression, constants, context, forgeDelaySeconds = 0, telemetry = {} }: ApplicationOptions,
  mounts: ReadonlyArray<Mount>,
  limits: HttpLimits,
  latestSnapshotId: Effect.Effect<SnapshotId | undefined>
) {
  const submission = yield* Submission
  const readings = yield* readInterfaces({
    context,
    constants,
    revisions: mounts.map(({ revision }) => revision),
    listItemsMax: limits.listItemsMax,
    forgeDelaySeconds
  })
  return new Map(readings.map((reading, i): [string, Routes] => [
    reading.revision.name,
    makeRevisionRoutes({
      mount: mounts[i]!,
      mounts,
      reading,
      postHandlers: makePostHandlers({ revision: reading.revision, context, submission, limits }),
      context,
      latestSnapshotId,
      exposedHeaders: telemetryHeaderNames(telemetry),
      isCompressed: compression !== false
    })
  ]))
})
