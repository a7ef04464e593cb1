import { Cause, Effect, Fiber, type Scope } from "effect"
import {
  type BlockViolation,
  type GenesisFeed,
  lastBlock,
  type Ledger,
  LedgerReader,
  type LedgerWriter,
  newWriteSession,
  type Pool,
  type PoolStore,
  type StoreFailure,
  type Submission,
  WriteSession
} from "../../core/mod.ts"
import { retryTransient, retryUntilAvailable, type WriterChanged } from "../store_retry.ts"
import { type FeedFileError, feedFrom, type OpenFeed } from "./feed_file.ts"
import { followFeed } from "./follow_feed.ts"
import type { OpenStores } from "./stores.ts"

/** Settings of the network and of its block source. */
export interface SourceSettings {
  readonly seed: string
  readonly transactions: number
  readonly paceSeconds: number
  readonly prefix: string
  readonly empty: boolean
  readonly feed: string | undefined
}

/** Returns the source of blocks: a feed if one is set, otherwise a simulated network. */
export const sourceOf = (settings: SourceSettings): Effect.Effect<BlockSource, FeedFileError> =>
  settings.feed === undefined
    ? simulatedSource(settings)
    : Effect.map(feedFrom(settings.feed), feedSource)

const feedSource = ({ genesis, records }: OpenFeed): BlockSource => ({
  genesis,
  start: ({ isShared, skipStored }) =>
    Effect.asVoid(Effect.forkScoped(inOneWriteSession(logFeedEnd(Effect.gen(function*() {
      if (!isShared) return yield* followFeed(skipStored(records))
      const last = yield* retryUntilAvailable(lastBlock)
      return yield* followFeed(skipStored(records), {
        last,
        isEmpty: last.number === genesis.block.number
      })
    })))))
})

/**
 * Provides a `WriteSession`: a write fails if another process may have written since the last one.
 */
const inOneWriteSession = <A, E, R>(writes: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => Effect.provideService(writes, WriteSession, newWriteSession()))

/** Logs how the feed ended. A refused record stops the feed, not the server. */
const logFeedEnd = <R>(
  following: Effect.Effect<void, BlockViolation | FeedFileError, R>
): Effect.Effect<void, never, R> =>
  Effect.matchEffect(following, {
    onSuccess: () => Effect.log("The feed has ended; no more blocks are applied"),
    onFailure: (error) => Effect.logError(`Stopped following the feed: ${error.message}`)
  })

const simulatedSource = (
  { empty, paceSeconds, prefix, seed, transactions }: SourceSettings
): Effect.Effect<BlockSource> =>
  Effect.gen(function*() {
    const { defaultNetwork, drive, resume, simulate } = yield* Effect.promise(() =>
      import("../simulator/mod.ts")
    )
    const newSimulation = () => simulate({ seed, network: { ...defaultNetwork, prefix } })
    const { genesis } = newSimulation()

    const bootstrapOnce = Effect.gen(function*() {
      // if stores are shared, reading the last block waits until this process is the writer
      yield* retryTransient(lastBlock)
      const simulation = newSimulation()
      if ((yield* retryTransient((yield* LedgerReader).stamp)).version > 0) {
        yield* resume(simulation)
      }
      return yield* drive(simulation, {
        transactions,
        paceMs: paceSeconds === 0 ? Infinity : paceSeconds * 1000
      })
    })
    /**
     * Starts the simulated network after the last block of the ledger. Repeats if the writer
     * changes.
     */
    const bootstrap: Effect.Effect<Network, BlockViolation | StoreFailure, Node> = Effect.catchTag(
      bootstrapOnce,
      "WriterChanged",
      () => bootstrap
    )
    const keepRunning = (
      network: Network
    ): Effect.Effect<void, BlockViolation | StoreFailure, Node> =>
      Effect.catchTag(Fiber.join(network), "WriterChanged", () =>
        Effect.andThen(
          Effect.log(
            "Another process has written the ledger: resuming the simulated network after its last block"
          ),
          Effect.flatMap(bootstrap, keepRunning)
        ))
    const start = Effect.flatMap(bootstrap, (network) =>
      Effect.forkScoped(Effect.tapCause(keepRunning(network), (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logError("The simulated network has stopped", cause))))
    return {
      genesis,
      start: () =>
        empty ? Effect.void : inOneWriteSession(Effect.asVoid(start))
    }
  })

/** A source of blocks, and the genesis of its network. */
interface BlockSource {
  readonly genesis: GenesisFeed
  /** Applies the initial blocks, and starts adding the rest until the scope closes. */
  readonly start: (
    stores: Pick<OpenStores, "isShared" | "skipStored">
  ) => Effect.Effect<void, BlockViolation | StoreFailure, Node>
}

type Node = Ledger | LedgerReader | LedgerWriter | Pool | PoolStore | Scope.Scope | Submission

/** The running simulation. */
type Network = Fiber.Fiber<void, BlockViolation | WriterChanged>
