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
import { type FeedFileError, feedFrom, type OpenFeed } from "./feed_file.ts"
import { followFeed } from "./follow_feed.ts"
import { type WriterChanged, patiently, startingInTurn } from "../store_retry.ts"
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
  settings.feed === undefined ? simulated(settings) : Effect.map(feedFrom(settings.feed), fed)

const fed = ({ genesis, records }: OpenFeed): BlockSource => ({
  genesis,
  start: ({ isShared, newOf }) =>
    Effect.asVoid(Effect.forkScoped(inOneSeries(told(Effect.gen(function*() {
      if (!isShared) return yield* followFeed(newOf(records))
      const last = yield* patiently(lastBlock)
      return yield* followFeed(newOf(records), {
        last,
        isEmpty: last.number === genesis.block.number
      })
    })))))
})

/** What the writes go on from is looked at again where another process may have written in between. */
const inOneSeries = <A, E, R>(writes: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => Effect.provideService(writes, WriteSession, newWriteSession()))

/** What the ledger refuses ends the feed, not the service. */
const told = <R>(
  following: Effect.Effect<void, BlockViolation | FeedFileError, R>
): Effect.Effect<void, never, R> =>
  Effect.matchEffect(following, {
    onSuccess: () => Effect.log("The feed has ended; the ledger stays as it is"),
    onFailure: (error) => Effect.logError(`The feed is not followed any further: ${error.message}`)
  })

const simulated = (
  { empty, paceSeconds, prefix, seed, transactions }: SourceSettings
): Effect.Effect<BlockSource> =>
  Effect.gen(function*() {
    const { defaultNetwork, drive, resume, simulate } = yield* Effect.promise(() =>
      import("../simulator/mod.ts")
    )
    const begun = () => simulate({ seed, network: { ...defaultNetwork, prefix } })
    const { genesis } = begun()

    const bringUp = Effect.gen(function*() {
      // where stores are shared, the process that writes now has the network in hand: to see the last block is to be the writer
      yield* startingInTurn(lastBlock)
      const simulation = begun()
      if ((yield* startingInTurn((yield* LedgerReader).stamp)).version > 0) {
        yield* resume(simulation)
      }
      return yield* drive(simulation, {
        transactions,
        paceMs: paceSeconds === 0 ? Infinity : paceSeconds * 1000
      })
    })
    /** From where the ledger stands, whoever brought it there. */
    const broughtUp: Effect.Effect<Network, BlockViolation | StoreFailure, Node> = Effect.catchTag(
      bringUp,
      "WriterChanged",
      () => broughtUp
    )
    const lives = (network: Network): Effect.Effect<void, BlockViolation | StoreFailure, Node> =>
      Effect.catchTag(Fiber.join(network), "WriterChanged", () =>
        Effect.andThen(
          Effect.log(
            "Another process has written the ledger: the simulated network goes on from its last block"
          ),
          Effect.flatMap(broughtUp, lives)
        ))
    const start = Effect.flatMap(broughtUp, (network) =>
      Effect.forkScoped(Effect.tapCause(lives(network), (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logError("The simulated network stands still", cause))))
    return {
      genesis,
      start: () =>
        empty ? Effect.void : inOneSeries(Effect.asVoid(start))
    }
  })

interface BlockSource {
  readonly genesis: GenesisFeed
  readonly start: (
    stores: Pick<OpenStores, "isShared" | "newOf">
  ) => Effect.Effect<void, BlockViolation | StoreFailure, Node>
}

type Node = Ledger | LedgerReader | LedgerWriter | Pool | PoolStore | Scope.Scope | Submission

type Network = Fiber.Fiber<void, BlockViolation | WriterChanged>
