import { Effect, Layer } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { serverLayer } from "../../adapters/http/node.ts"
import { memoryNode } from "../../app/memory_node.ts"
import { prehistory, simulate } from "../../app/simulator/mod.ts"
import { Ledger } from "../../core/mod.ts"

/* What `npm start` serves, but that its blocks were made beforehand: one is applied in each period, whose length is the argument in milliseconds. */
const periodMs = Number(process.argv[2])
const simulation = simulate({ seed: 1 })
const before = [...prehistory(simulation, 3000)]
const later = Array.from({ length: 400 }, () => simulation.next())

const program = Effect.gen(function*() {
  const ledger = yield* Ledger
  for (const record of before) yield* ledger.applyRecord(record)
  const { address } = yield* HttpServer.HttpServer
  console.log(`listening ${/\d+$/u.exec(HttpServer.formatAddress(address))?.[0]}`)
  for (const record of later) {
    yield* Effect.sleep(periodMs)
    yield* ledger.applyRecord(record)
  }
  console.log("No block is left: the rest of the run stands still")
  return yield* Effect.never
}).pipe(Effect.provide(serverLayer({ port: 0, host: "127.0.0.1" }).pipe(Layer.provideMerge(memoryNode({ genesis: simulation.genesis })))))

Effect.runFork(program)
process.on("SIGTERM", () => process.exit(0))
