import { Cause, Effect, Fiber, type Scope } from "effect"
import {
  type BlockViolation,
  checkHealth,
  type GenesisFeed,
  type Health,
  feedPosition,
  type Ledger,
  LedgerReader,
  type LedgerWriter,
  type Pool,
  type PoolStore,
  type StoreFailure,
  type Submission,
  WriteSession
} from "../../core/mod.ts"
import type { LiveNetwork, NetworkSettings } from "../simulator/mod.ts"
import { retryUnlessWriterChanged, retryUntilAvailable } from "../stores/mod.ts"
import { type FeedFileError, feedFrom, genesisFrom, type OpenFeed } from "./feed_file.ts"
import { followFeed } from "./follow_feed.ts"
import type { OpenStores } from "./stores.ts"

/** Settings of the network and of its block source. */
export interface SourceSettings extends NetworkSettings {
  readonly transactions: number
  readonly transactionsMax: number
  readonly paceSeconds: number
  readonly empty: boolean
  readonly feed: string | undefined
  readonly genesis?: string | undefined
  readonly adminToken?: unknown
}

/**
 * Returns the source of blocks: a feed, the admin listener if only a genesis is set, or a simulated
 * network. `checkServer` has refused contradictory settings.
 */
export const sourceOf = (settings: SourceSettings): Effect.Effect<BlockSource, FeedFileError> => {
  if (settings.feed !== undefined) return Effect.map(feedFrom(settings.feed), feedSource)
  return settings.genesis === undefined
    ? simulatedSource(settings)
    : Effect.map(
      genesisFrom(settings.genesis),
      (genesis): BlockSource => ({
        genesis,
        start: () => settings.adminToken === undefined ? logNoWriter : Effect.void
      })
    )
}

const logNoWriter = Effect.logWarning(
  "Nothing can write to the ledger of this process: set --admin-token, and post blocks to /feed of the admin listener"
)

const feedSource = (feed: OpenFeed): BlockSource => {
  const { genesis, records } = feed
  return {
    genesis,
    start: ({ isShared, skipStored }) =>
      Effect.gen(function*() {
        const report = yield* openSourceReport(isShared ? awaitingLease : "Following the feed")
        const following = Effect.gen(function*() {
          if (!isShared) return yield* followFeed(skipStored(records))
          const { lastBlock: last } = yield* retryUntilAvailable(feedPosition)
          yield* report.ok("Following the feed")
          return yield* followFeed(skipStored(records), { genesis: genesis.block, last })
        })
        yield* Effect.forkScoped(reportFeedEnd(feed, inOneWriteSession(following), report))
      })
  }
}

const awaitingLease = "Waiting until this process is the writer of the ledger"

/** Logs the state of the block source, and sets its health check. */
interface SourceReport {
  readonly ok: (detail: string) => Effect.Effect<void>
  /** @param log the entry of the log; the detail by default */
  readonly failing: (detail: string, ...log: ReadonlyArray<unknown>) => Effect.Effect<void>
}

/** Registers the health check of the block source. */
const openSourceReport = (detail: string): Effect.Effect<SourceReport, never, Scope.Scope> =>
  Effect.gen(function*() {
    let health: Health = { state: "ok", detail }
    yield* checkHealth("source", Effect.sync(() => health))
    const set = (next: Health) => Effect.sync(() => void (health = next))
    return {
      ok: (detail) => Effect.andThen(set({ state: "ok", detail }), Effect.log(detail)),
      failing: (detail, ...log) =>
        Effect.andThen(
          set({ state: "failing", detail }),
          Effect.logError(...log.length === 0 ? [detail] : log)
        )
    }
  })

/**
 * Provides a `WriteSession`: a write fails if another process may have written since the last one.
 */
const inOneWriteSession = <A, E, R>(writes: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => Effect.provideService(writes, WriteSession, { since: null }))

/**
 * Logs and reports how the feed ended. A refused record stops the feed, not the server, which is no
 * longer ready: its ledger is outdated.
 */
const reportFeedEnd = <R>(
  feed: OpenFeed,
  following: Effect.Effect<void, BlockViolation | FeedFileError | StoreFailure, R>,
  report: SourceReport
): Effect.Effect<void, never, R> =>
  Effect.matchEffect(following, {
    onSuccess: () => report.ok("The feed has ended; no more blocks are applied"),
    onFailure: (error) => {
      const message = error._tag === "BlockViolation" ? feed.atLine(error.message) : error.message
      const remedy = error._tag === "StoreFailure" ? "repair the store" : "correct the feed"
      return report.failing(
        `Stopped following the feed: ${message}. The ledger stays at the record before: ${remedy} and restart the server`
      )
    }
  })

const simulatedSource = (settings: SourceSettings): Effect.Effect<BlockSource> =>
  Effect.gen(function*() {
    const [simulator, { openCallThread }] = yield* Effect.promise(() =>
      Promise.all([import("../simulator/mod.ts"), import("../threads/mod.ts")])
    )
    const options = simulator.networkOptions(settings)
    const { empty, paceSeconds, transactions, transactionsMax } = settings
    const isPaused = paceSeconds === 0
    const drive = Effect.gen(function*() {
      // generating blocks would delay the requests of this thread by up to some hundred milliseconds
      const simulation = yield* openCallThread<LiveNetwork>("_simulation_worker", options)
      if ((yield* retryUnlessWriterChanged((yield* LedgerReader).snapshotId)).version > 0) {
        yield* simulator.resume(simulation)
      }
      return yield* simulator.drive(simulation, {
        transactions,
        transactionsMax,
        usesClock: true,
        paceMs: isPaused ? Infinity : paceSeconds * 1000
      })
    })
    const start = ({ isShared }: Pick<OpenStores, "isShared">) =>
      Effect.gen(function*() {
        const applying = "The history of the simulated network is being applied"
        const report = yield* openSourceReport(isShared ? awaitingLease : applying)
        const running = Effect.gen(function*() {
          // if stores are shared, reading the last block waits until this process is the writer
          yield* retryUnlessWriterChanged(feedPosition)
          if (isShared) yield* report.ok(applying)
          const network = yield* drive
          yield* report.ok(
            isPaused
              ? "The simulated network adds no blocks: --pace is 0"
              : `The simulated network is live: a block arrives every ${paceSeconds} s`
          )
          yield* Fiber.join(network)
        }).pipe(
          Effect.scoped,
          Effect.tapErrorTag("WriterChanged", () =>
            report.ok(
              "Another process has written the ledger: resuming the simulated network after its last block"
            )),
          Effect.retry({ while: ({ _tag }) => _tag === "WriterChanged" })
        )
        const reportEnd = isPaused ? Effect.void : report.ok(
          `The simulated network has ended: it has ${transactionsMax} transactions, as many as --transactions-max allows`
        )
        yield* Effect.forkScoped(
          Effect.onError(Effect.andThen(running, reportEnd), reportFailure(report))
        )
      })
    return {
      genesis: simulator.simulate(options).genesis,
      start: (stores) => empty ? Effect.void : inOneWriteSession(start(stores))
    }
  })

const reportFailure = (report: SourceReport) => (cause: Cause.Cause<unknown>) =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : report.failing(
      `The simulated network has stopped: ${Cause.prettyErrors(cause)[0]?.message}`,
      "The simulated network has stopped",
      cause
    )

/** A source of blocks, and the genesis of its network. */
interface BlockSource {
  readonly genesis: GenesisFeed
  /** Starts adding blocks, until the scope closes. */
  readonly start: (
    stores: Pick<OpenStores, "isShared" | "skipStored">
  ) => Effect.Effect<void, never, Node>
}

type Node = Ledger | LedgerReader | LedgerWriter | Pool | PoolStore | Scope.Scope | Submission
