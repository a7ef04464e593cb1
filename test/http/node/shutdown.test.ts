import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { connect } from "node:net"
import { Application } from "../../../adapters/http/mod.ts"
import { serverLayer } from "../../../adapters/http/node/mod.ts"
import { application } from "./_bare_server.ts"

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

/**
 * Clients that send a request after each response, each over a connection that stays open as long
 * as the server allows.
 */
class Clients {
  readonly lostMs: Array<number> = []
  answers = 0
  isOver = false
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  ask(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, "127.0.0.1")
      let sentMs: number | undefined
      let received = ""
      const send = () => {
        if (this.isOver) return void socket.destroy()
        sentMs = performance.now()
        socket.write(request)
      }
      socket.on("connect", send).on("error", () => {}).on("data", (data) => {
        received += data
        if (!received.endsWith("answer")) return
        this.answers++
        sentMs = undefined
        const isLast = /connection: close/iu.test(received)
        received = ""
        if (isLast) socket.destroy()
        else send()
      }).on("close", () => {
        if (sentMs !== undefined) this.lostMs.push(sentMs)
        resolve()
      })
    })
  }
}

describe("a server that shuts down", () => {
  it.live("loses no request that was sent before", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const handle = () =>
        Effect.delay(Effect.succeed({ status: 200, headers: {}, body: "answer" }), "2 millis")
      const layer = Layer.provide(
        serverLayer({ port: 0, host: "127.0.0.1", drain: "300 millis" }),
        Layer.succeed(Application, application(handle))
      )
      const { address } = yield* Layer.buildWithScope(layer, scope).pipe(
        Effect.flatMap((context) => Effect.provide(HttpServer.HttpServer, context))
      )
      const clients = new Clients((address as { readonly port: number }).port)
      const all = Array.from({ length: 250 }, () => clients.ask())
      while (clients.answers < 2000) yield* Effect.sleep("5 millis")
      const stoppedMs = performance.now()
      const before = clients.answers
      yield* Scope.close(scope, Exit.void)
      clients.isOver = true
      yield* Effect.promise(() => Promise.all(all))
      assert.deepStrictEqual(clients.lostMs.filter((sentMs) => sentMs < stoppedMs), [])
      assert.isAtLeast(clients.answers, before + 250)
    }))

  it.live("stops at once if no client is connected", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const layer = Layer.provide(
        serverLayer({ port: 0, host: "127.0.0.1", drain: "1 hour", shutdownTimeout: "2 hours" }),
        Layer.succeed(Application, application(() => Effect.never))
      )
      yield* Layer.buildWithScope(layer, scope)
      yield* Scope.close(scope, Exit.void)
    }))
})
