import { assert, it } from "@effect/vitest"
import { type Duration, Effect } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { connect, type Socket } from "node:net"
import { bareServer } from "./_bare_server.ts"

/* One connection that sends many requests at once does not starve the other clients. */

const greedyRequest = (id: number, padding = 0) =>
  `GET /greedy/${id} HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(padding)}\r\n\r\n`
const request = "GET /modest HTTP/1.1\r\nHost: x\r\n\r\n"

/**
 * Starts a server with answers of a given size; records the order in which requests reach the
 * application.
 */
const withServer = <A>(
  bodyBytes: number,
  use: (
    context: { readonly handled: ReadonlyArray<string>; readonly open: () => Socket }
  ) => Promise<A>,
  thinks?: Duration.Input
) =>
  Effect.gen(function*() {
    const handled: Array<string> = []
    const body = "x".repeat(bodyBytes)
    const answer = (body: string) => Effect.succeed({ status: 200, headers: {}, body })
    const { port } = yield* bareServer(
      ({ url }) =>
        Effect.suspend(() => {
          handled.push(url)
          const answered = answer(url === "/modest" ? "modest" : `${url} ${body}`)
          return thinks === undefined ? answered : Effect.delay(answered, thinks)
        }),
      yield* Effect.scope,
      { shutdownTimeout: "1 seconds" }
    )
    const sockets: Array<Socket> = []
    const open = () => {
      const socket = connect(port, "127.0.0.1")
      sockets.push(socket.on("error", () => {}))
      return socket
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
    )
    return yield* Effect.promise(() => use({ handled, open }))
  })

const event = (socket: Socket, name: string) =>
  new Promise<void>((resolve) => socket.once(name, () => resolve()))
const askModestly = async (socket: Socket) => {
  const answered = event(socket, "data")
  socket.write(request)
  await answered
}
const greedy = (handled: ReadonlyArray<string>) => handled.filter((url) => url !== "/modest").length

it.live("a connection that sends a thousand requests and reads nothing holds one answer beyond what the system buffers", () =>
  withServer(4_000_000, async ({ handled, open }) => {
    const [hog, other] = [open(), open()]
    hog.pause()
    hog.write(Array.from({ length: 1000 }, (_, id) => greedyRequest(id)).join(""))
    for (let round = 0; round < 100; round++) await askModestly(other)
    assert.isAtLeast(greedy(handled), 1)
    assert.isAtMost(greedy(handled), 8)
  }))

it.live("no client waits for all the requests of another connection", () =>
  withServer(10, async ({ handled, open }) => {
    const [hog, other] = [open(), open()]
    await Promise.all([event(hog, "connect"), event(other, "connect")])
    hog.resume()
    hog.write(Array.from({ length: 1000 }, (_, id) => greedyRequest(id)).join(""))
    await askModestly(other)
    assert.isAtMost(handled.indexOf("/modest"), 100)
  }))

it.live("a connection with waiting requests is read no further, and all are answered in order", () =>
  withServer(200_000, async ({ open }) => {
    const requests = 600
    let [unanswered, most] = [0, 0]
    const [begin, end] = [() => void (most = Math.max(most, ++unanswered)), () => void unanswered--]
    subscribe("http.server.request.start", begin)
    subscribe("http.server.response.finish", end)
    try {
      const hog = open()
      hog.write(Array.from({ length: requests }, (_, id) => greedyRequest(id, 8000)).join(""))
      const chunks: Array<Buffer> = []
      await new Promise<void>((resolve) => {
        let bytes = 0
        hog.on("data", (chunk: Buffer) => {
          chunks.push(chunk)
          bytes += chunk.length
          if (bytes > requests * 200_000) resolve()
        })
      })
      // 16 that wait, and those of two reads of 64 KiB
      assert.isAtLeast(most, 16)
      assert.isAtMost(most, 40)
      const seen = [...Buffer.concat(chunks).toString("latin1").matchAll(/\/greedy\/(\d+) /gu)].map(
        ([, id]) => Number(id)
      )
      assert.deepStrictEqual(seen, Array.from({ length: requests }, (_, id) => id))
    } finally {
      unsubscribe("http.server.request.start", begin)
      unsubscribe("http.server.response.finish", end)
    }
  }, "1 millis"))

it.live("a client that disconnects removes its waiting requests", () =>
  withServer(4_000_000, async ({ handled, open }) => {
    const [hog, other] = [open(), open()]
    hog.pause()
    hog.write(Array.from({ length: 1000 }, (_, id) => greedyRequest(id)).join(""))
    while (greedy(handled) === 0) await askModestly(other)
    hog.destroy()
    for (let round = 0; round < 100; round++) await askModestly(other)
    assert.isAtMost(greedy(handled), 8)
  }))
