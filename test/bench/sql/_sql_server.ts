import { Effect, Layer, Redacted } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { serverLayer } from "../../../adapters/http/node/mod.ts"
import { sqlStores } from "../../../adapters/sql/mod.ts"
import { nodeOver } from "../../../app/node/layers.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import { network } from "./_sql_ledger.ts"

/*
 * Serves the application of `npm start` over a database, without new blocks. The arguments are the
 * database's URL, and the bound of cached answers, in bytes.
 */
const { genesis } = simulate(network)
const stores = sqlStores({ url: Redacted.make(process.argv[2]!), genesis, lease: { waits: true } })

const program = Effect.gen(function*() {
  const { address } = yield* HttpServer.HttpServer
  console.log(`listening ${/\d+$/u.exec(HttpServer.formatAddress(address))?.[0]}`)
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.provide(
    serverLayer({ port: 0, host: "127.0.0.1" }).pipe(
      Layer.provideMerge(nodeOver(stores, { genesis, answersBytesMax: Number(process.argv[3]) }))
    )
  )
)

Effect.runFork(program)
process.on("SIGTERM", () => process.exit(0))
