import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterEach, beforeEach, vi } from "vitest"
import { RefusalPacer } from "../../../adapters/http/node/_refusal_pacer.ts"
import { bareServer } from "./_bare_server.ts"

describe("the pacer of refusals", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Adds refusals at once; returns those that are sent, and a function that moves the clock. */
  const pacing = (count: number, delayMaxMs: number) => {
    const sent: Array<number> = []
    const pacer = new RefusalPacer({ delayMaxMs })
    const add = (first: number, count: number) => {
      for (let id = first; id < first + count; id++) pacer.add(() => void sent.push(id))
    }
    add(0, count)
    return { add, pacer, sent, pass: (ms: number) => void vi.advanceTimersByTime(ms) }
  }

  it("sends the first refusal at once, and the next ones four in a millisecond, in order", () => {
    const { pass, sent } = pacing(41, 1000)
    assert.deepStrictEqual(sent, [0])
    pass(5)
    assert.isAtLeast(sent.length, 17)
    assert.isAtMost(sent.length, 21)
    pass(6)
    assert.deepStrictEqual(sent, Array.from({ length: 41 }, (_, id) => id))
  })

  it("delays no refusal for longer than the maximum", () => {
    const { add, pass, sent } = pacing(10_000, 20)
    pass(21)
    assert.lengthOf(sent, 10_000)
    add(10_000, 10_000)
    pass(21)
    assert.lengthOf(sent, 20_000)
  })

  it("sends a refusal at once again after a pause", () => {
    const { add, pass, sent } = pacing(3, 1000)
    pass(10)
    add(3, 1)
    assert.deepStrictEqual(sent, [0, 1, 2, 3])
  })

  it("delays nothing if the maximum is 0", () => {
    assert.lengthOf(pacing(1000, 0).sent, 1000)
  })

  it("sends the waiting refusals when it stops, and later ones at once", () => {
    const { add, pacer, sent } = pacing(100, 1000)
    assert.lengthOf(sent, 1)
    pacer.stop()
    assert.lengthOf(sent, 100)
    add(100, 5)
    assert.lengthOf(sent, 105)
    assert.strictEqual(vi.getTimerCount(), 0)
  })
})

const get = (path: string, lines = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`
const refusal = { status: 503, headers: { "retry-after": "1" }, body: "busy" }

/**
 * Starts a server that refuses every request except `/cached`, and records the order in which
 * requests reach the application. A refusal before has made later ones wait until the server stops:
 * the delay is longer than the test.
 */
const crowded = Effect.gen(function*() {
  const handled: Array<string> = []
  const scope = yield* Scope.make()
  const stop = Scope.close(scope, Exit.void)
  yield* Effect.addFinalizer(() => stop)
  const { port } = yield* bareServer(
    ({ url }) =>
      Effect.sync(() => {
        handled.push(url)
        return url === "/cached" ? { status: 200, headers: {}, body: "cached" } : refusal
      }),
    scope,
    { shutdownTimeout: "1 hour", drain: 0, limits: { refusalDelayMaxMs: 3_600_000 } }
  )
  const open = (bytes: string) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes)).on("error", () => {})
    const received: Array<string> = []
    socket.on("data", (chunk) => received.push(String(chunk)))
    return { socket, text: () => received.join("") }
  }
  const cached = Effect.promise(async () => {
    const { socket, text } = open(get("/cached", "Connection: close\r\n"))
    await once(socket, "close")
    return text()
  })
  /** Waits until the application has got this many requests. */
  const reached = (count: number) =>
    Effect.gen(function*() {
      while (handled.filter((url) => url !== "/cached").length < count) yield* cached
    })
  /** Makes refusals wait: the next one is due after a quarter of a second. */
  const flood = Effect.promise(async () => {
    const sockets: Array<Socket> = []
    for (let i = 0; i < 1000; i++) sockets.push(open(get("/flood")).socket)
    await Promise.all(sockets.map((socket) => once(socket, "connect")))
    return sockets
  })
  return { cached, flood, handled, open, reached, stop }
})
