import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { connect, type Socket } from "node:net"
import type { HttpAnswer } from "../../../adapters/http/mod.ts"
import { application } from "../_application.ts"
import { answersOf, bareServer } from "./_bare_server.ts"
import { talk, watchedServer } from "../_limits.ts"

/** Starts a server that answers every request with the same effect. */
const serve = (answer: Effect.Effect<HttpAnswer>, scope: Scope.Scope) =>
  bareServer(() => answer, scope)

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

/** Returns an answer that never completes, and records its starts and interruptions. */
const endless = Effect.gen(function*() {
  const [started, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const answer = Effect.andThen(
    Deferred.succeed(started, undefined),
    Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
  )
  return { answer, started: Deferred.await(started), interrupted: Deferred.await(interrupted) }
})

describe("a request that waits for its answer", () => {
  it.live("is interrupted when its client disconnects", () =>
    Effect.scoped(Effect.gen(function*() {
      const { answer, started, interrupted } = yield* endless
      const { port } = yield* serve(answer, yield* Effect.scope)
      const { socket } = talk(port, request)
      yield* started
      socket.destroy()
      yield* interrupted
    })))

  it.live("is interrupted after the shutdown timeout, and its connection closes without an answer", () =>
    Effect.gen(function*() {
      const { answer, started, interrupted } = yield* endless
      const scope = yield* Scope.make()
      const { port } = yield* serve(answer, scope)
      const { received } = talk(port, request)
      yield* started
      yield* Scope.close(scope, Exit.void)
      yield* interrupted
      assert.strictEqual(yield* Effect.promise(() => received), "")
    }))
})

describe("each request", () => {
  it.live("is published to diagnostics_channel, also if its answer is cached", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port } = yield* watchedServer(application(), {})
      let heard = 0
      const hear = (message: unknown) => {
        if ((message as { readonly socket: Socket }).socket.localPort === port) heard++
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => subscribe("http.server.request.start", hear)),
        () => Effect.sync(() => unsubscribe("http.server.request.start", hear))
      )
      const requests = Array.from({ length: 20 }, () => "GET /tokens/1 HTTP/1.1\r\nHost: x\r\n\r\n")
      assert.lengthOf(yield* Effect.promise(() => answersOf(port, requests)), 20)
      assert.strictEqual(heard, 20)
    })))
})

describe("a body that is refused before all of it has arrived", () => {
  it.live("leaves its client time to read the answer, and the connection closes in time though the client continues to send", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port } = yield* serve(
        Effect.succeed({ status: 413, headers: {}, body: "too large" }),
        yield* Effect.scope
      )
      const socket = connect(port, "127.0.0.1")
      socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
      const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`
      let received = ""
      const ended = new Promise<void>((resolve) =>
        socket.on("data", (data) => received += data).on("error", () => {}).on(
          "close",
          () => resolve()
        )
      )
      while (!socket.destroyed) {
        socket.write(chunk)
        yield* Effect.sleep("5 millis")
      }
      yield* Effect.promise(() => ended)
      assert.match(received, /^HTTP\/1\.1 413 [^]*connection: close\r\n[^]*\r\n\r\ntoo large$/u)
    })))
})
