import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { createServer } from "node:http"
import { connect, type Socket } from "node:net"
import { Connections } from "../../../adapters/http/node/_connections.ts"
import { Application } from "../../../adapters/http/mod.ts"
import { type ServerLimits } from "../../../adapters/http/node/mod.ts"
import { application } from "../_application.ts"
import { talk, watchedApplication, watchedServer } from "../_limits.ts"
import { sendRaw } from "../_socket.ts"
import { application as bareApplication } from "./_bare_server.ts"

/*
 * Clients that try to block or exhaust a server: none of them keeps a connection or memory for
 * longer than the limits allow.
 */

/** Opens a connection whose client never closes its side. */
const open = Effect.fnUntraced(function*(port: number, bytes: string) {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {})
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
  yield* Effect.promise(() =>
    new Promise<void>((resolve) => socket.once("connect", () => resolve()))
  )
  socket.write(bytes)
  return socket
})

const request = (path: string, lines = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`
/** Sends requests over new connections until one is accepted. */
const served = (port: number) =>
  Effect.gen(function*() {
    for (;;) {
      const answer = yield* Effect.promise(() =>
        sendRaw(port, request("/short", "Connection: close\r\n"))
      )
      if (answer !== null) return answer.status
      yield* Effect.sleep("20 millis")
    }
  })

const largeBytes = 4_000_000
const large = Layer.succeed(
  Application,
  bareApplication(({ accepts, method, url }) => {
    const body = url === "/short" ? "short" : "x".repeat(largeBytes)
    return Effect.succeed(
      method === "CONNECT"
        ? { status: 405, headers: {}, body: "no" }
        : accepts?.(body.length) === false
        ? { status: 503, headers: { "retry-after": "1" }, body: "" }
        : { status: 200, headers: {}, body, isAscii: true }
    )
  }, ({ message }) => Effect.succeed({ status: 408, headers: {}, body: message }))
)

/** Starts a server in its own scope, so that a test can stop it. */
const serve = Effect.fnUntraced(function*(limits: Partial<ServerLimits>) {
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const { hits, port, read } = yield* Effect.provideService(
    watchedServer(large, limits),
    Scope.Scope,
    scope
  )
  return { hits, port, read, stop: Scope.close(scope, Exit.void) }
})

describe("a client that sends CONNECT and more", () => {
  it.live("gets an answer and loses its connection, which other clients can then use", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port } = yield* serve({ connectionsMax: 2 })
      for (let i = 0; i < 2; i++) yield* open(port, "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\nx")
      assert.strictEqual(yield* served(port), 200)
    })))

  it.live("does not keep a server from stopping", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port, stop } = yield* serve({})
      const sockets = yield* Effect.forEach([1, 2, 3], () =>
        open(port, "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\nx"))
      yield* Effect.promise(() =>
        Promise.all(sockets.map((socket) =>
          new Promise((resolve) => socket.once("data", resolve))
        ))
      )
      for (const socket of sockets) socket.write("more")
      // `stop` waits for all connections
      yield* stop
    })))
})

describe("a client that gets 408 and keeps its side open", () => {
  it.live("loses its connection, which other clients can then use", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port } = yield* serve({ connectionsMax: 1, headersTimeoutMs: 100 })
      const socket = yield* open(port, "GET / HTTP/1.1\r\nHost: x\r\nX-")
      const received = yield* Effect.promise(() =>
        new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))))
      )
      assert.match(received, /^HTTP\/1\.1 408 /u)
      assert.strictEqual(yield* served(port), 200)
    })))
})

describe("clients that do not read their responses", () => {
  it.live("leave at most the limit and one response unread: the slowest are disconnected, large responses are refused, small ones are sent", () =>
    Effect.scoped(Effect.gen(function*() {
      const unreadBytesMax = 16_000_000
      const { hits, port, read } = yield* serve({ unreadBytesMax })
      const sockets: Array<Socket> = []
      const statuses = new Map<Socket, string>()
      for (let i = 0; i < 40; i++) {
        const socket = yield* open(port, request("/large").repeat(3))
        sockets.push(socket)
        // reads only the status
        socket.once("readable", () => statuses.set(socket, String(socket.read(12))))
        yield* Effect.sleep("5 millis")
        assert.isAtMost(yield* read("rollup_http_unread_bytes"), unreadBytesMax + largeBytes)
      }
      assert.strictEqual(yield* served(port), 200)
      while (
        (yield* hits("unreadBytesMax")) === 0 || ![...statuses.values()].includes("HTTP/1.1 503")
      ) {
        const socket = yield* open(port, request("/large"))
        sockets.push(socket)
        socket.once("readable", () => statuses.set(socket, String(socket.read(12))))
        yield* Effect.sleep("5 millis")
      }
      // connections are closed until the unread bytes are below the limit; then large responses are
      // sent again
      for (;;) {
        const answer = yield* Effect.promise(() => sendRaw(port, request("/large")))
        if (answer?.status === 200) break
        assert.include([503, undefined], answer?.status)
        yield* Effect.sleep("10 millis")
      }
      while (sockets.every(({ destroyed, readableEnded }) => !destroyed && !readableEnded)) {
        for (const socket of sockets) socket.resume()
        yield* Effect.sleep("10 millis")
      }
      assert.isBelow(yield* read("rollup_http_unread_bytes"), unreadBytesMax + largeBytes)
    })))

  it("get no answer larger than 16 KiB while too many bytes are unread", () => {
    const limits = { sendTimeoutMs: 1000, unreadBytesMax: 100 }
    const connections = new Connections(createServer(), limits)
    assert.isTrue(connections.accepts(16_385))
    connections.unreadBytes = 100
    assert.deepStrictEqual([16_384, 16_385].map(connections.accepts), [true, false])
  })

  it.effect("share the bytes of a cached answer", () =>
    Effect.scoped(Effect.gen(function*() {
      const { handle } = yield* watchedApplication(application())
      const ask = () =>
        Effect.map(handle({ method: "GET", url: "/openapi.json", headers: {} }), ({ body }) => body)
      yield* ask()
      const [first, second] = [yield* ask(), yield* ask()]
      assert.instanceOf(first, Uint8Array)
      assert.strictEqual(first, second)
    })))
})

describe("endless pipelined requests", () => {
  it.live("wait in a bounded queue, and other clients are served", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port } = yield* serve({})
      const greedy = talk(port, request("/large").repeat(50_000))
      greedy.socket.pause()
      assert.strictEqual(yield* served(port), 200)
      greedy.socket.destroy()
    })))
})
