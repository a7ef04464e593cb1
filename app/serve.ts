import { Effect, Layer, Option, type Redacted } from "effect"
import { Command } from "effect/cli"
import * as HttpServer from "effect/http/HttpServer"
import { verifierWorkers } from "../adapters/crypto/node.ts"
import { serverLayer } from "../adapters/http/node.ts"
import { Pool } from "../core/mod.ts"
import { type SourceFlags, sourceOf } from "./block_source.ts"
import { userError, userErrors } from "./database.ts"
import { nodeOver } from "./layers.ts"
import * as options from "./options.ts"
import { type DataPlace, openStores } from "./stores.ts"

/** Serves the interface over a simulated network, over a feed, or over an empty ledger. */
export const serve = Command.make("serve", {
  port: options.port, host: options.host, data: options.data, database: options.database, replica: options.replica, memory: options.memory,
  seed: options.seed, transactions: options.transactions, pace: options.pace, prefix: options.prefix, empty: options.empty, feed: options.feed
}, (flags) =>
  Effect.scoped(Effect.gen(function*() {
    yield* checkTogether(flags)
    const place = placeOf(flags)
    const source = yield* sourceOf(flags)
    const { genesis } = source
    const stores = yield* openStores(place, genesis)
    // whoever starts waits for signatures first: the first ones are verified here, until the threads are there
    const verifier = verifierWorkers(genesis.network, { inPlaceFirst: 64 })
    const node = yield* Layer.build(nodeOver(stores.stores, { genesis, verifier }))
    // a process may have ended between a block and what the pool makes of it
    yield* Effect.provide(Effect.flatMap(Pool, (pool) => pool.settle), node)
    const started = Effect.provide(source.start(stores), node)
    // where others may write, this process serves until it is its turn
    yield* place.kind === "database" ? Effect.forkScoped(Effect.catchCause(started, (cause) => Effect.logError("No blocks are written", cause))) : started
    const { address } = yield* Layer.build(Layer.provide(serverLayer(flags), Layer.succeedContext(node))).pipe(
      Effect.flatMap((server) => Effect.provide(HttpServer.HttpServer, server))
    )
    yield* Effect.log(`Listening on ${HttpServer.formatAddress(address)}, documentation at /docs`)
    return yield* Effect.never
  })).pipe(
    Effect.catchTag("ServeError", (cause) =>
      userError(`Port ${flags.port} of ${flags.host} cannot be listened on: ${reason(cause)}; choose another one with --port`, cause)),
    Effect.catchTag("JournalError", (cause) => userError(`${cause.message} (--data DIRECTORY, or --memory to keep nothing)`, cause)),
    userErrors
  )).pipe(Command.withDescription("Serve the interface over a simulated network that lives, or over a feed"))

const reason = ({ cause }: { readonly cause?: unknown }): string => cause instanceof Error ? cause.message : String(cause)

interface Flags extends SourceFlags {
  readonly data: Option.Option<string>
  readonly database: Option.Option<Redacted.Redacted>
  readonly replica: Option.Option<Redacted.Redacted>
  readonly memory: boolean
}

const placeOf = ({ data, database, memory, replica }: Flags): DataPlace => {
  if (memory) return { kind: "memory" }
  return Option.isSome(database)
    ? { kind: "database", url: database.value, ...Option.isSome(replica) ? { replicaUrl: replica.value } : {} }
    : { kind: "directory", directory: Option.getOrElse(data, () => options.dataDefault) }
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
    return userError(`What ${simulated.join(" and ")} says is for the simulated network, and --feed brings a network of its own: leave out one or the other`)
  }
  const places = [
    ...flags.memory ? ["--memory, which keeps nothing"] : [],
    ...Option.isSome(flags.data) ? [`the directory "${flags.data.value}" (--data or DATA_DIR)`] : [],
    ...Option.isSome(flags.database) ? ["a database (--database or DATABASE_URL)"] : []
  ]
  if (places.length > 1) return userError(`Data can be kept in one place, and more are given: ${places.join(", ")}; leave out all but one`)
  return Option.isSome(flags.replica) && Option.isNone(flags.database)
    ? userError("A replica is given and no database: name the one that it copies with --database or DATABASE_URL")
    : Effect.void
}
