import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, beforeEach, vi } from "vitest"
import { Connections } from "../../../adapters/http/node/_connections.ts"
import { RefusalPacer } from "../../../adapters/http/node/_refusal_pacer.ts"
import { makeRequestHandler } from "../../../adapters/http/node/_request_handler.ts"
import { shutDown } from "../../../adapters/http/node/_shutdown.ts"
import { application } from "./_bare_server.ts"

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

interface Client {
  readonly socket: Socket
  readonly text: () => string
  readonly closed: Promise<unknown>
}

/**
 * A server that refuses every request except `/cached`. Its pacer has a clock of its own, which only
 * the test moves.
 */
const refusing = Effect.gen(function*() {
  const handled: Array<string> = []
  let nowMs = 0
  const server = createServer()
  const connections = new Connections(server, { sendTimeoutMs: 60_000, unreadBytesMax: 2 ** 30 })
  const refusals = new RefusalPacer({ delayMaxMs: 60_000, nowMs: () => nowMs })
  server.on(
    "request",
    makeRequestHandler({
      admit: () => "run",
      application: application(({ url }) =>
        Effect.sync(() => {
          handled.push(url)
          return url === "/cached"
            ? { status: 200, headers: {}, body: "cached" }
            : { status: 503, headers: { "retry-after": "1" }, body: `no ${url}` }
        })
      ),
      connections,
      refusals,
      run: Effect.runFork,
      scope: yield* Effect.scope
    })
  )
  yield* Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening"))
  const { port } = server.address() as AddressInfo
  const sockets: Array<Socket> = []
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      refusals.stop()
      server.close()
      for (const socket of sockets) socket.destroy()
    })
  )
  const open = (bytes: string): Client => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes)).on("error", () => {})
    sockets.push(socket)
    let received = ""
    socket.on("data", (chunk) => received += String(chunk))
    return { socket, text: () => received, closed: once(socket, "close") }
  }
  /** Returns after the server has read what arrived before, and has answered another client. */
  const turn = Effect.promise(async () => {
    const { closed, text } = open(get("/cached", "Connection: close\r\n"))
    await closed
    assert.match(text(), /^HTTP\/1\.1 200 /u)
  })
  const until = (isTrue: () => boolean) =>
    Effect.gen(function*() {
      while (!isTrue()) yield* turn
    })
  /** Returns the refused requests that reached the application. */
  const refused = () => handled.filter((url) => url !== "/cached")
  const pass = (ms: number) => void (nowMs += ms)
  const stop = shutDown(server, connections, refusals, { drainMs: 0, timeoutMs: 3_600_000 })
  return { open, pass, refused, stop, turn, until }
})

const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/gu) ?? []

describe("a client that ignores Retry-After", () => {
  it.live("gets its next refusal after a delay, while other clients get cached answers at once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { open, pass, refused, turn, until } = yield* refusing
      const { socket, text } = open(get("/first"))
      yield* until(() => text().endsWith("no /first"))
      socket.write(get("/second"))
      yield* until(() => refused().length === 2)
      for (let i = 0; i < 20; i++) yield* turn
      assert.lengthOf(statuses(text()), 1)
      pass(5)
      yield* until(() => text().endsWith("no /second"))
    })))

  it.live("has no pipelined request handled before the refusal of the one before is sent", () =>
    Effect.scoped(Effect.gen(function*() {
      const { open, pass, refused, turn, until } = yield* refusing
      const { text } = open(["/1", "/2", "/3", "/4"].map((path) => get(path)).join(""))
      yield* until(() => refused().length === 2)
      for (let i = 0; i < 20; i++) yield* turn
      assert.deepStrictEqual(refused(), ["/1", "/2"])
      assert.lengthOf(statuses(text()), 1)
      pass(0.25)
      yield* until(() => refused().length === 3)
      assert.deepStrictEqual(refused(), ["/1", "/2", "/3"])
      pass(0.25)
      yield* until(() => refused().length === 4)
      pass(0.25)
      yield* until(() => text().endsWith("no /4"))
      assert.deepStrictEqual(text().match(/no \/\d/gu), ["no /1", "no /2", "no /3", "no /4"])
    })))

  it.live("may disconnect while its refusal waits, and others still get theirs", () =>
    Effect.scoped(Effect.gen(function*() {
      const { open, pass, refused, until } = yield* refusing
      const clients: Array<Client> = []
      for (const path of ["/1", "/2", "/3"]) {
        clients.push(open(get(path)))
        yield* until(() => refused().length === clients.length)
      }
      clients[1]!.socket.destroy()
      yield* Effect.promise(() => clients[1]!.closed)
      pass(5)
      yield* until(() => clients[2]!.text().endsWith("no /3"))
      assert.strictEqual(clients[1]!.text(), "")
    })))

  it.live("gets a waiting refusal in HTTP/1.0 too, and then its connection closes", () =>
    Effect.scoped(Effect.gen(function*() {
      const { open, pass, refused, until } = yield* refusing
      open(get("/1"))
      yield* until(() => refused().length === 1)
      const { closed, text } = open("GET /2 HTTP/1.0\r\n\r\n")
      yield* until(() => refused().length === 2)
      assert.strictEqual(text(), "")
      pass(5)
      yield* Effect.promise(() => closed)
      assert.match(text(), /503[^]*connection: close[^]*no \/2$/iu)
    })))

  it.live("gets its waiting refusal at once when the server shuts down, which does not wait for the delay", () =>
    Effect.scoped(Effect.gen(function*() {
      const { open, refused, stop, until } = yield* refusing
      const clients: Array<Client> = []
      for (let i = 0; i < 20; i++) clients.push(open(get(`/${i}`)))
      yield* until(() => refused().length === 20)
      yield* until(() => clients.some(({ text }) => text() !== ""))
      assert.lengthOf(clients.filter(({ text }) => text() !== ""), 1)
      const stopping = Effect.runFork(stop)
      yield* Effect.promise(() =>
        Promise.all(clients.filter(({ text }) => text() === "").map(({ closed }) => closed))
      )
      for (const { text } of clients) assert.lengthOf(statuses(text()), 1)
      assert.lengthOf(clients.filter(({ text }) => /connection: close/iu.test(text())), 19)
      clients.find(({ text }) => !/connection: close/iu.test(text()))!.socket.destroy()
      yield* Fiber.join(stopping)
    })))
})
