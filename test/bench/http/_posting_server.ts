import { Effect, Layer } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { verifierWorkers } from "../../../adapters/crypto/node.ts"
import { serverLayer } from "../../../adapters/http/node/mod.ts"
import { fundedNode, network } from "../../submission/_wallets.ts"

/*
 * A node that accepts posts, as `npm start` runs it: worker threads verify signatures. Its pool has
 * room for all of them.
 */
const node = fundedNode({
  verifier: verifierWorkers(network),
  pendingMax: 1_000_000,
  pendingPerAccountMax: 1_000_000
})
const delayMs = process.argv[2]
const limits = delayMs === undefined ? {} : { refusalDelayMaxMs: Number(delayMs) }

const program = Effect.gen(function*() {
  const { address } = yield* HttpServer.HttpServer
  console.log(`listening ${/\d+$/u.exec(HttpServer.formatAddress(address))?.[0]}`)
  return yield* Effect.never
}).pipe(
  Effect.provide(serverLayer({ port: 0, host: "127.0.0.1", limits }).pipe(Layer.provideMerge(node)))
)

Effect.runFork(program)
process.on("SIGTERM", () => process.exit(0))
