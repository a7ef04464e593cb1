import { Effect, Layer } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { nodeCompression, serverLayer } from "../../../adapters/http/node/mod.ts"
import { memoryNode } from "../../_memory_node.ts"
import { drive, simulate } from "../../../app/simulator/mod.ts"

/*
 * Serves the application of `npm start` without new blocks. The first argument bounds the cached
 * answers, in bytes.
 */
const simulation = simulate({ seed: 1 })
const node = memoryNode({
  genesis: simulation.genesis,
  answersBytesMax: Number(process.argv[2]),
  compression: nodeCompression
})
const delayMs = process.argv[3]
const limits = delayMs === undefined ? {} : { refusalDelayMaxMs: Number(delayMs) }

const program = Effect.gen(function*() {
  yield* drive(simulation, { transactions: 3000, paceMs: Infinity })
  const { address } = yield* HttpServer.HttpServer
  console.log(`listening ${/\d+$/u.exec(HttpServer.formatAddress(address))?.[0]}`)
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.provide(serverLayer({ port: 0, host: "127.0.0.1", limits }).pipe(Layer.provideMerge(node)))
)

Effect.runFork(program)
process.on("SIGTERM", () => process.exit(0))
