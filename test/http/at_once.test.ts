import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { connect } from "node:net"
import { Application, defaultLimits, type HttpAnswer } from "../../adapters/http/mod.ts"
import { serverLayer } from "../../adapters/http/node.ts"

/** A server whose every answer is the same effect. */
const serve = Effect.fnUntraced(function*(answer: Effect.Effect<HttpAnswer>, scope: Scope.Scope) {
  const application = Layer.succeed(Application, {
    limits: defaultLimits, refuse: () => answer, handle: () => answer, answerStats: () => { throw new Error("Nobody asks") }
  })
  const context = yield* Layer.buildWithScope(Layer.provide(serverLayer({ port: 0, host: "127.0.0.1", shutdownTimeout: "50 millis" }), application), scope)
  return (yield* Effect.provide(HttpServer.HttpServer, context)).address as { readonly port: number }
})

const asking = (port: number) => {
  const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
  const ended = new Promise<string>((resolve) => {
    let said = ""
    socket.on("data", (chunk) => said += chunk).on("error", () => {}).on("close", () => resolve(said))
  })
  return { socket, ended }
}

/** An answer that never comes, and what begins and interrupts it. */
const endless = Effect.gen(function*() {
  const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const answer = Effect.andThen(Deferred.succeed(begun, undefined), Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined)))
  return { answer, begun: Deferred.await(begun), interrupted: Deferred.await(interrupted) }
})

describe("a GET that waits for its answer", () => {
  it.live("is interrupted when its client leaves", () => Effect.scoped(Effect.gen(function*() {
    const { answer, begun, interrupted } = yield* endless
    const { port } = yield* serve(answer, yield* Effect.scope)
    const { socket } = asking(port)
    yield* begun
    socket.destroy()
    yield* interrupted
  })))

  it.live("is interrupted when the server has waited for it as long as it may, and its connection ends without an answer", () => Effect.gen(function*() {
    const { answer, begun, interrupted } = yield* endless
    const scope = yield* Scope.make()
    const { port } = yield* serve(answer, scope)
    const { ended } = asking(port)
    yield* begun
    yield* Scope.close(scope, Exit.void)
    yield* interrupted
    assert.strictEqual(yield* Effect.promise(() => ended), "")
  }))

  it.live("is answered with whatever status it has, and with the length of what follows", () => Effect.scoped(Effect.gen(function*() {
    for (const [status, body] of [[200, "é"], [404, "none"], [302, ""], [304, ""]] as const) {
      for (const delayed of [false, true]) {
        const answer = Effect.succeed({ status, headers: { "x-test": "1" }, body })
        const { port } = yield* serve(delayed ? Effect.andThen(Effect.yieldNow, answer) : answer, yield* Effect.scope)
        const response = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/`, { redirect: "manual" }))
        assert.deepStrictEqual([response.status, yield* Effect.promise(() => response.text())], [status, body])
        assert.strictEqual(response.headers.get("content-length"), status === 304 ? null : String(new TextEncoder().encode(body).length))
      }
    }
  })))
})
