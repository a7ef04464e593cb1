import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Redacted, type Scope } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createServer } from "node:http"
import { verifierWorkers } from "../../adapters/crypto/node.ts"
import { Application } from "../../adapters/http/mod.ts"
import { nodeCompression, serverLayer } from "../../adapters/http/node/mod.ts"
import { sqlStores } from "../../adapters/sql/mod.ts"
import { type Node, nodeOver } from "../../app/node/mod.ts"
import { exitTreesInThread, verifierThreads } from "../../app/node/verifier.ts"
import { drive, initialHistory, simulate } from "../../app/simulator/mod.ts"
import { type FeedRecord, Ledger } from "../../core/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { fundedNode, network } from "../submission/_wallets.ts"
import { network as sqlNetwork } from "./sql/_sql_ledger.ts"

/*
 * Serves the application of `npm start`. The first argument is its kind:
 *
 *     memory ANSWERS_BYTES_MAX [REFUSAL_DELAY_MAX_MS]   without new blocks
 *     framework ANSWERS_BYTES_MAX                       the same behind `HttpServer.serve`
 *     blocks PERIOD_MS                                  applies a block in each period; Infinity: none
 *     posts UNUSED [REFUSAL_DELAY_MAX_MS]               accepts posts, which worker threads verify
 *     database ANSWERS_BYTES_MAX URL                    over a database, without new blocks
 */
const [kind, amount, other] = process.argv.slice(2)
const simulation = simulate({ seed: 1, placeholderRoots: kind === "blocks" })
const { genesis } = simulation
const host = "127.0.0.1"

interface Served {
  readonly node: Layer.Layer<Node, unknown>
  /** Runs before the server is ready, and afterwards. */
  readonly before?: Effect.Effect<unknown, unknown, Node | Scope.Scope>
  readonly after?: Effect.Effect<unknown, unknown, Node>
}

const inMemory = (): Served => ({
  node: memoryNode({ genesis, answersBytesMax: Number(amount), compression: nodeCompression }),
  before: drive(simulation, { transactions: 3000, paceMs: Infinity })
})

const withBlocks = (): Served => {
  const periodMs = Number(amount)
  const apply = (records: ReadonlyArray<FeedRecord>, pauseMs: number) =>
    Effect.flatMap(Ledger, (ledger) =>
      Effect.forEach(
        records,
        (record) => Effect.delay(ledger.applyRecord(record), pauseMs),
        { discard: true }
      ))
  const before = [...initialHistory(simulation, 3000)]
  // made beforehand
  const later = periodMs === Infinity ? [] : Array.from({ length: 600 }, () => simulation.next())
  const isOver = Effect.die(new Error("No block is left: make more of them for such a run"))
  return {
    node: memoryNode({
      genesis,
      exitTrees: exitTreesInThread,
      verifier: verifierThreads(genesis.network, {})
    }),
    before: apply(before, 0),
    after: periodMs === Infinity ? Effect.never : Effect.andThen(apply(later, periodMs), isOver)
  }
}

const withPosts = (): Served => ({
  node: fundedNode({
    verifier: verifierWorkers(network),
    pendingMax: 1_000_000,
    pendingPerAccountMax: 1_000_000
  })
})

const overDatabase = (): Served => {
  const { genesis } = simulate(sqlNetwork)
  const stores = sqlStores({ url: Redacted.make(other!), genesis, lease: { waits: true } })
  return { node: nodeOver(stores, { genesis, answersBytesMax: Number(amount) }) }
}

const kinds: { readonly [kind: string]: () => Served } = {
  memory: inMemory,
  framework: inMemory,
  blocks: withBlocks,
  posts: withPosts,
  database: overDatabase
}
const { after = Effect.never, before = Effect.void, node } = kinds[kind!]!()

const answered = Effect.gen(function*() {
  const { handle } = yield* Application
  const { headers, method, url } = yield* HttpServerRequest.HttpServerRequest
  const { body, ...answer } = yield* handle({ method, url, headers })
  const options = {
    ...answer,
    contentType: answer.headers["content-type"] ?? "application/json"
  }
  return typeof body === "string"
    ? HttpServerResponse.text(body, options)
    : HttpServerResponse.uint8Array(body as Uint8Array, options)
})
const delays = kind === "database" || other === undefined
  ? {}
  : { refusalDelayMaxMs: Number(other) }
const server = kind === "framework"
  ? HttpServer.serve(answered).pipe(
    Layer.provideMerge(NodeHttpServer.layerServer(createServer, { port: 0, host }))
  )
  : serverLayer({ port: 0, host, limits: delays })

const program = Effect.gen(function*() {
  yield* before
  const { address } = yield* HttpServer.HttpServer
  console.log(`listening ${/\d+$/u.exec(HttpServer.formatAddress(address))?.[0]}`)
  yield* after
}).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(server, node)))

Effect.runPromise(program).catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
process.on("SIGTERM", () => process.exit(0))
