import { Effect, Layer } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { serverLayer } from "../../../adapters/http/node/mod.ts"
import { memoryNode } from "../../_memory_node.ts"
import { initialHistory, simulate } from "../../../app/simulator/mod.ts"
import { exitTreesInThread, verifierThreads } from "../../../app/node/verifier.ts"
import { Ledger } from "../../../core/mod.ts"

/*
 * Serves the application of `npm start`, with blocks made beforehand and dummy state roots. It
 * applies one block in each period; the argument is its length in milliseconds, or Infinity for
 * none.
 */
const periodMs = Number(process.argv[2])
const simulation = simulate({ seed: 1, placeholderRoots: true })
const { genesis } = simulation
const before = [...initialHistory(simulation, 3000)]
const later = periodMs === Infinity ? [] : Array.from({ length: 600 }, () => simulation.next())
const node = memoryNode({
  genesis,
  exitTrees: exitTreesInThread(genesis.network),
  verifier: verifierThreads(genesis.network, {})
})

const program = Effect.gen(function*() {
  const ledger = yield* Ledger
  for (const record of before) yield* ledger.applyRecord(record)
  const { address } = yield* HttpServer.HttpServer
  console.log(`listening ${/\d+$/u.exec(HttpServer.formatAddress(address))?.[0]}`)
  for (const record of later) {
    yield* Effect.sleep(periodMs)
    yield* ledger.applyRecord(record)
  }
  if (periodMs !== Infinity) {
    return yield* Effect.die(
      new Error("No block is left: make more of them for a run of this length")
    )
  }
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.provide(serverLayer({ port: 0, host: "127.0.0.1" }).pipe(Layer.provideMerge(node)))
)

Effect.runPromise(program).catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
process.on("SIGTERM", () => process.exit(0))
