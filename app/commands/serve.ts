import { type Context, Effect, Layer } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { availableParallelism } from "node:os"
import { nodeCompression, serverLayer, type ServerLimits } from "../../adapters/http/node/mod.ts"
import { CurrencyPrices, Monitor, Pool } from "../../core/mod.ts"
import { mountsOf, optionsOf, settings } from "../config/mod.ts"
import { exitCodes, type HeapWatch, ProgramFailure, watchHeap } from "../process/mod.ts"
import { guardStores } from "../stores/mod.ts"
import { exitTreesInThread, feesOf, type Node, nodeOver, verifierThreads } from "../node/mod.ts"
import {
  openCurrencyFile,
  openStores,
  readCurrencyFile,
  sourceOf,
  storeOf
} from "../sources/mod.ts"
import { verifyStateRootsInThread } from "../threads/mod.ts"
import {
  isSupervisor,
  runAsWorker,
  supervise,
  workerCount,
  WorkerGroup,
  type WorkerSelf
} from "../workers/mod.ts"
import { isAddressFault, type Monitoring, openGroupMonitoring, openMonitoring } from "./admin.ts"

type ServeSettings = settings.ServeSettings

/** Serves the API until it is interrupted: in this process, or in workers that it supervises. */
export const serve = (settings: ServeSettings): Effect.Effect<void, unknown> =>
  isSupervisor(settings.workers) ? superviseServers(settings) : serveHere(settings)

/** Serves the API in this process, which may be a worker. */
const serveHere = (settings: ServeSettings) =>
  runAsWorker((self) =>
    Effect.scoped(Effect.gen(function*() {
      const monitoring = yield* openMonitoring(settings, self)
      const serving = serveNode(settings, self, monitoring)
      yield* Effect.provideService(serving, Monitor, monitoring.monitor)
    }))
  ).pipe(
    Effect.catchTag("ServeError", (cause) =>
      Effect.fail(
        new ProgramFailure({
          exitReason: "inUse",
          cause,
          message: `Port ${settings.port} of ${settings.host} cannot be listened on: ${
            reason(cause)
          }; choose another ${
            isAddressFault(reason(cause)) ? "address with --host" : "one with --port"
          }`
        })
      )),
    Effect.catchTag("JournalError", (cause) =>
      Effect.fail(
        new ProgramFailure({
          exitReason: cause.reason === "inUse" ? "inUse" : "store",
          cause,
          message: `${cause.message} (--data DIRECTORY, or --memory to store nothing on disk)`
        })
      ))
  )

/** Runs several processes that serve the API over one database, and their common monitoring. */
const superviseServers = (settings: ServeSettings) =>
  Effect.scoped(Effect.gen(function*() {
    // the workers read it too, but would be restarted on and on if it is invalid
    if (settings.currenciesFile !== undefined) yield* readCurrencyFile(settings.currenciesFile)
    const group = new WorkerGroup(workerCount(settings.workers))
    const markServing = yield* openGroupMonitoring(settings, group)
    // a worker closes its connections to the database after its last answer; this ends before the
    // limit of this process (`process/running.ts`)
    const supervised = supervise({ group, drainMaxMs: settings.shutdownTimeoutMs + 4000 })
    if (markServing === null) return yield* supervised
    // both are interrupted at once, so that the group is not ready while it drains
    return yield* Effect.raceFirst(
      supervised,
      Effect.scoped(Effect.andThen(markServing, Effect.never))
    )
  }))

/** Opens the stores, starts the source of blocks and serves them. */
const serveNode = (settings: ServeSettings, self: WorkerSelf | undefined, monitoring: Monitoring) =>
  Effect.scoped(Effect.gen(function*() {
    const store = storeOf(settings)
    const currencies = settings.currenciesFile === undefined
      ? yield* CurrencyPrices
      : yield* openCurrencyFile(settings.currenciesFile)
    const source = yield* sourceOf(settings)
    const { genesis } = source
    const heap = yield* watchHeap(settings.heapBytesMax)
    const replay = replayNeed(heap)
    const { onProgress } = replay
    const opening = openStores("directory" in store ? { ...store, onProgress } : store, {
      genesis,
      ...feesOf(settings)
    })
    const isShared = "database" in store
    const stores = yield* isShared
      ? opening
      : Effect.raceFirst(opening, Effect.flatMap(heap.full, () => heapFull(replay.describe())))
    const node = yield* Layer.build(
      nodeOver(isShared ? stores.stores : guardStores(stores.stores, heap.refuseIfFull), {
        genesis,
        ...nodeOptions(settings),
        telemetry: monitoring.telemetry,
        verifier: verifierThreads(genesis.network, verifierOptions(settings, self)),
        exitTrees: exitTreesInThread,
        ...settings.checkStateRoots ? { verifyStateRoots: verifyStateRootsInThread } : {}
      })
    ).pipe(Effect.provideService(CurrencyPrices, currencies))
    // a process may have stopped between a block and the update of the pool
    yield* Effect.provide(Effect.flatMap(Pool, (pool) => pool.reconcile), node)
    yield* Effect.provide(source.start(stores), node)
    const serving = listen(settings, node, self, monitoring)
    return yield* Effect.raceFirst(
      Effect.raceFirst(serving, stores.failed),
      Effect.flatMap(heap.exhausted, () => exitBeforeOutOfMemory(heap))
    )
  }))

/** Serves requests until it is interrupted. */
const listen = (
  settings: ServeSettings,
  node: Context.Context<Node>,
  self: WorkerSelf | undefined,
  { attachNode, snapshotMetrics }: Monitoring
) =>
  Effect.gen(function*() {
    yield* Effect.addFinalizer(() => snapshotMetrics)
    const { host, port, shutdownTimeoutMs } = settings
    const server = serverLayer({
      host,
      port,
      shutdownTimeout: shutdownTimeoutMs,
      limits: serverLimitsOf(settings)
    })
    const { address } = yield* Layer.build(Layer.provide(server, Layer.succeedContext(node))).pipe(
      Effect.flatMap((server) => Effect.provide(HttpServer.HttpServer, server))
    )
    yield* attachNode(node)
    const url = HttpServer.formatAddress(address)
    yield* self === undefined
      ? Effect.log(`Listening on ${url}, documentation at /docs`)
      : self.serving(url)
    return yield* Effect.never
  })

/** Measures how much heap the data of a directory need. */
const replayNeed = (heap: HeapWatch) => {
  const before = heap.usedBytes()
  let [done, total] = [0, 0]
  return {
    onProgress: (recordsDone: number, recordsTotal: number) => {
      done = recordsDone
      total = recordsTotal
    },
    describe: () => {
      const factor = Math.max(1, total) / Math.max(1, done)
      const bytes = Math.max(
        heap.limitBytes,
        before + (heap.usedBytes() - before) * factor
      )
      return `${done} of ${total} records of the data directory were read, and all of them need about ${
        Math.ceil(bytes / 2 ** 20)
      } MiB: ${heap.moreHeap(bytes / 0.6)}`
    }
  }
}

const heapFull = (need: string) =>
  Effect.fail(new ProgramFailure({ exitReason: "memory", message: `The heap is full: ${need}` }))

/** Logs the reason and exits at once: closing the server would need memory. */
const exitBeforeOutOfMemory = (
  { limitBytes, moreHeap, usage }: HeapWatch
): Effect.Effect<never> =>
  Effect.andThen(
    Effect.logError(
      `The heap is full: ${usage()}; exiting before V8 aborts, all acknowledged writes are stored: ${
        moreHeap(limitBytes * 1.5)
      }`
    ),
    Effect.sync((): never => process.exit(exitCodes.memory.code))
  )

/** By default, workers share the cores. */
const verifierOptions = (resolved: ServeSettings, self: WorkerSelf | undefined) => ({
  ...self === undefined
    ? {}
    : { workersMax: Math.ceil(availableParallelism() / workerCount(resolved.workers)) },
  ...optionsOf("verifier", settings.serverSettings, resolved)
})

const serverLimitsOf = (resolved: ServeSettings): Partial<ServerLimits> => ({
  ...optionsOf("server", settings.serverSettings, resolved),
  trustedProxies: resolved.trustedProxies?.split(",") ?? []
})

const nodeOptions = (resolved: ServeSettings) => ({
  ...optionsOf("node", settings.serverSettings, resolved),
  compression: resolved.compression &&
    { ...nodeCompression, bytesMin: resolved.compressionBytesMin },
  limits: optionsOf("http", settings.serverSettings, resolved),
  mounts: mountsOf(resolved)
})

const reason = ({ cause }: { readonly cause?: unknown }): string =>
  cause instanceof Error ? cause.message : String(cause)
