import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createServer } from "node:http"
import { Application } from "../../../adapters/http/mod.ts"
import { memoryNode } from "../../_memory_node.ts"
import { drive, simulate } from "../../../app/simulator/mod.ts"

/*
 * The same application behind `HttpServer.serve` instead of a request listener: shows the cost of
 * the fiber, the scope and the copies for each request.
 */
const simulation = simulate({ seed: 1 })
const served = Effect.gen(function*() {
  const { handle } = yield* Application
  const request = yield* HttpServerRequest.HttpServerRequest
  const { body, headers, status } = yield* handle({
    method: request.method,
    url: request.url,
    headers: request.headers
  })
  const contentType = headers["content-type"] ?? "application/json"
  return typeof body === "string"
    ? HttpServerResponse.text(body, { status, headers, contentType })
    : HttpServerResponse.uint8Array(body, { status, headers, contentType })
})
const program = Effect.gen(function*() {
  yield* drive(simulation, { transactions: 3000, paceMs: Infinity })
  const { address } = yield* HttpServer.HttpServer
  console.log(`listening ${/\d+$/u.exec(HttpServer.formatAddress(address))?.[0]}`)
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.provide(
    HttpServer.serve(served).pipe(
      Layer.provideMerge(NodeHttpServer.layerServer(createServer, { port: 0, host: "127.0.0.1" })),
      Layer.provideMerge(memoryNode({ genesis: simulation.genesis }))
    )
  )
)
Effect.runFork(program)
process.on("SIGTERM", () => process.exit(0))
