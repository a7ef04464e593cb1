import { Cause, Effect, Exit, Fiber, Layer, Option, Stream } from "effect"
import { CliError, Command } from "effect/cli"
import * as HttpServer from "effect/http/HttpServer"
import { verifierWorkers } from "../adapters/crypto/node.ts"
import { serverLayer } from "../adapters/http/node.ts"
import { type FeedRecord, Ledger, LedgerReader, Pool } from "../core/mod.ts"
import { FeedFileError, openFeed } from "./feed_file.ts"
import { nodeOver } from "./layers.ts"
import * as options from "./options.ts"
import { newRecords } from "./resumed_feed.ts"
import { defaultNetwork, drive, resume, simulate, type Simulation } from "./simulator/mod.ts"
import { openStores } from "./stores.ts"

/** Serves the interface over a simulated network, over a feed, or over an empty ledger. */
export const serve = Command.make("serve", {
  port: options.port, host: options.host, data: options.data, memory: options.memory, seed: options.seed, transactions: options.transactions,
  pace: options.pace, prefix: options.prefix, empty: options.empty, feed: options.feed
}, (flags) =>
  Effect.scoped(Effect.gen(function*() {
    yield* checkTogether(flags)
    const place = flags.memory ? null : { directory: Option.getOrElse(flags.data, () => options.dataDefault) }
    const source = yield* sourceOf(flags)
    const { genesis } = source
    const { feedLines, stores } = yield* openStores(place, genesis)
    const node = nodeOver(stores, { genesis, verifier: verifierWorkers(genesis.network) })
    const { address } = yield* Layer.build(serverLayer(flags).pipe(Layer.provideMerge(node))).pipe(
      Effect.flatMap((context) => Effect.provide(Effect.gen(function*() {
        // a process may have ended between a block and what the pool makes of it
        yield* (yield* Pool).settle
        yield* source.start(feedLines)
        return yield* HttpServer.HttpServer
      }), context))
    )
    yield* Effect.log(`Listening on ${HttpServer.formatAddress(address)}, documentation at /docs`)
    return yield* Effect.never
  })).pipe(
    Effect.catchTag("ServeError", (cause) => fail(cause, `Port ${flags.port} of ${flags.host} cannot be listened on: ${reason(cause)}; choose another one with --port`)),
    Effect.catchTag("JournalError", (cause) => fail(cause, `${cause.message} (--data DIRECTORY, or --memory to keep nothing)`)),
    Effect.catchTag("FeedFileError", (cause) => fail(cause, cause.message))
  )).pipe(Command.withDescription("Serve the interface over a simulated network that lives, or over a feed"))

/** Ends the program with a sentence for its user; stacks are for what nobody expected. */
const fail = (cause: unknown, userMessage: string) => Effect.fail(new CliError.UserError({ cause, userMessage }))
const reason = ({ cause }: { readonly cause?: unknown }): string => cause instanceof Error ? cause.message : String(cause)

interface Flags {
  readonly data: Option.Option<string>
  readonly memory: boolean
  readonly seed: string
  readonly transactions: number
  readonly pace: number
  readonly prefix: string
  readonly empty: boolean
  readonly feed: Option.Option<string>
}

/** What one option says must not be ignored because of another one. */
const checkTogether = (flags: Flags) => {
  const simulated = [
    ...flags.seed === options.seedDefault ? [] : ["--seed"],
    ...flags.prefix === options.prefixDefault ? [] : ["--prefix"],
    ...flags.transactions === options.transactionsDefault ? [] : ["--transactions"],
    ...flags.pace === options.paceDefault ? [] : ["--pace"],
    ...flags.empty ? ["--empty"] : []
  ]
  if (Option.isSome(flags.feed) && simulated.length > 0) {
    const message = `What ${simulated.join(" and ")} says is for the simulated network, and --feed brings a network of its own: leave out one or the other`
    return fail(message, message)
  }
  if (flags.memory && Option.isSome(flags.data)) {
    const message = `--memory keeps nothing, and a directory is given to keep data in ("${flags.data.value}", by --data or DATA_DIR): leave out one or the other`
    return fail(message, message)
  }
  return Effect.void
}

/** Where blocks come from: the network they belong to, and what brings the first ones and then goes on in the background. */
const sourceOf = (flags: Flags) =>
  Option.match(flags.feed, {
    onSome: (path) => Effect.map(feedFrom(path), (feed) => ({ genesis: feed.genesis, start: (feedLines: () => Iterator<string>) => follow(newRecords(feed.records, feedLines())) })
    ),
    onNone: () => Effect.sync(() => {
      const simulation = simulate({ seed: flags.seed, network: { ...defaultNetwork, prefix: flags.prefix } })
      return { genesis: simulation.genesis, start: () => flags.empty ? Effect.void : live(simulation, flags) }
    })
  })

const live = (simulation: Simulation, { transactions, pace }: Flags) =>
  Effect.gen(function*() {
    const { version } = yield* (yield* LedgerReader).stamp
    if (version > 0) yield* resume(simulation)
    const fiber = yield* drive(simulation, { transactions, paceMs: pace === 0 ? Infinity : pace * 1000 })
    yield* Fiber.await(fiber).pipe(
      Effect.tap((exit) => Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? Effect.logError("The simulated network stands still", exit.cause) : Effect.void),
      Effect.forkScoped
    )
  })

/** Applies the records of a feed as they arrive. What the ledger refuses ends the feed, not the service. */
const follow = (records: AsyncIterable<FeedRecord>) =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    yield* Stream.fromAsyncIterable(records, (error) => error instanceof FeedFileError ? error : new FeedFileError({ message: String(error) })).pipe(
      Stream.runForEach((record) => ledger.applyRecord(record)),
      Effect.matchEffect({
        onSuccess: () => Effect.log("The feed has ended; the ledger stays as it is"),
        onFailure: (error) => Effect.logError(`The feed is not followed any further: ${error.message}`)
      }),
      Effect.forkScoped
    )
  })
