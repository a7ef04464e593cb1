import { Cause, Effect, Exit, Fiber, Stream } from "effect"
import { type FeedRecord, type GenesisFeed, lastBlock, Ledger, LedgerReader } from "../core/mod.ts"
import { FeedFileError, feedFrom, type OpenFeed } from "./feed_file.ts"
import { patiently } from "./patience.ts"
import type { Simulation } from "./simulator/mod.ts"
import type { OpenStores } from "./stores.ts"

/** Which network, and how it goes on. */
export interface SourceSettings {
  readonly seed: string
  readonly transactions: number
  readonly paceSeconds: number
  readonly prefix: string
  readonly empty: boolean
  readonly feed: string | undefined
}

/** Where blocks come from: the network they belong to, and what brings the first ones and then goes on in the background. */
export const sourceOf = (settings: SourceSettings): Effect.Effect<BlockSource, FeedFileError> =>
  Effect.gen(function*() {
    if (settings.feed !== undefined) {
      const feed: OpenFeed = yield* feedFrom(settings.feed)
      return { genesis: feed.genesis, start: ({ newOf }: OpenStores) => follow(newOf(feed.records)) }
    }
    const simulator = yield* Effect.promise(() => import("./simulator/mod.ts"))
    const simulation = simulator.simulate({ seed: settings.seed, network: { ...simulator.defaultNetwork, prefix: settings.prefix } })
    return { genesis: simulation.genesis, start: () => settings.empty ? Effect.void : live(simulation, simulator, settings) }
  })

interface BlockSource {
  readonly genesis: GenesisFeed
  readonly start: (stores: OpenStores) => ReturnType<typeof live> | ReturnType<typeof follow> | typeof Effect.void
}

const live = (simulation: Simulation, { drive, resume }: typeof import("./simulator/mod.ts"), { paceSeconds, transactions }: SourceSettings) =>
  Effect.gen(function*() {
    // where stores are shared, the process that writes now has the network in hand: to see the last block is to be the writer
    yield* patiently(lastBlock)
    const { version } = yield* (yield* LedgerReader).stamp
    if (version > 0) yield* resume(simulation)
    const fiber = yield* drive(simulation, { transactions, paceMs: paceSeconds === 0 ? Infinity : paceSeconds * 1000 })
    yield* Fiber.await(fiber).pipe(
      Effect.tap((exit) => Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? Effect.logError("The simulated network stands still", exit.cause) : Effect.void),
      Effect.forkScoped
    )
  })

/** Applies the records of a feed as they arrive, and waits where the store does not answer. What the ledger refuses ends the feed, not the service. */
const follow = (records: AsyncIterable<FeedRecord>) =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    yield* Stream.fromAsyncIterable(records, (error) => error instanceof FeedFileError ? error : new FeedFileError({ message: String(error) })).pipe(
      Stream.runForEach((record) => patiently(ledger.applyRecord(record))),
      Effect.matchEffect({
        onSuccess: () => Effect.log("The feed has ended; the ledger stays as it is"),
        onFailure: (error) => Effect.logError(`The feed is not followed any further: ${error.message}`)
      }),
      Effect.forkScoped
    )
  })
