import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import type { HttpAnswer, HttpRequest } from "../../../adapters/http/mod.ts"
import type { ServerOptions } from "../../../adapters/http/node/mod.ts"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { Random } from "../../memory/_random.ts"
import { replayOf, rounds } from "../../rounds.ts"
import { bareServer } from "./_bare_server.ts"

/*
 * The server gives the same responses as a plain `node:http` server, however the bytes of the
 * requests are split.
 */

const get = (url: string, lines = "") => `GET ${url} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`
const bodied = (method: string, url: string, body: string, lines = "") =>
  `${method} ${url} HTTP/1.1\r\nHost: x\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`

/** Answers in every form; the text repeats the request. */
const answerTo = (url: string, request: ReadonlyArray<unknown>): HttpAnswer => {
  const text = JSON.stringify(request).replaceAll(
    /[^ -~]/gu,
    (character) => encodeURIComponent(character)
  )
  const headers = { "x-test": "1" }
  switch (url) {
    case "/304":
      return { status: 304, headers: { ...headers, etag: `"${text.length}"` }, body: "" }
    case "/404":
      return {
        status: 404,
        headers: { ...headers, "content-length": String(text.length) },
        body: text
      }
    case "/bytes":
      return { status: 200, headers, body: new TextEncoder().encode(`é${text}`) }
    case "/text":
      return { status: 200, headers, body: `é𝄞${text}` }
    default:
      return {
        status: 200,
        headers: { ...headers, "content-length": String(text.length) },
        body: text
      }
  }
}

const isLate = (url: string) => url === "/late"
const turnsOfTheLoop = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Repeats the request and its body. */
const echo = ({ body, headers, method, url }: HttpRequest): Effect.Effect<HttpAnswer> => {
  if (method === "CONNECT") return Effect.succeed({ status: 400, headers: {}, body: "" })
  const hasBody = headers["content-length"] !== undefined ||
    headers["transfer-encoding"] !== undefined
  const answer = (text: string) => answerTo(url, [method, url, headers, text])
  const now = !hasBody || body === undefined
    ? Effect.succeed(answer(""))
    : Effect.match(body(100_000), {
      onSuccess: (bytes) => answer(Buffer.from(bytes).toString("latin1")),
      onFailure: () => answer("failed")
    })
  return isLate(url) ? Effect.flatMap(Effect.promise(() => turnsOfTheLoop(15)), () => now) : now
}

/**
 * The reference: the same answers by `node:http` alone, except that malformed bytes are refused
 * after the requests before them are answered.
 */
const plainServer = (): Server => {
  const unanswered = new WeakMap<Socket, Set<IncomingMessage>>()
  const answer = (source: IncomingMessage, response: ServerResponse): void => {
    const { headers, httpVersion, method, socket } = source
    const url = source.url!.replace(/^http:\/\/x/u, "")
    const requests = unanswered.get(socket) ?? new Set()
    unanswered.set(socket, requests.add(source))
    response.once("close", () => void requests.delete(source))
    const chunks: Array<Buffer> = []
    source.on("error", () => {}).on("data", (chunk: Buffer) => chunks.push(chunk)).on(
      "end",
      () =>
        void (async () => {
          if (httpVersion === "1.1" && headers.host === undefined) {
            return response.writeHead(400, { "content-length": "0" }).end()
          }
          if (isLate(url)) await turnsOfTheLoop(15)
          const { body, headers: own, status } = answerTo(url, [
            method,
            url,
            headers,
            Buffer.concat(chunks).toString("latin1")
          ])
          response.writeHead(status, {
            ...own,
            ...status === 304 ? {} : { "content-length": String(Buffer.byteLength(body as string)) }
          }).end(body)
        })()
    )
  }
  const refuse = (socket: Socket): unknown =>
    [...unanswered.get(socket) ?? []].some(({ complete }) => complete) && !socket.destroyed
      ? setImmediate(() => refuse(socket))
      : socket.writable
      ? socket.resume().end(
        "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
      )
      : socket.destroy()
  const refused = new WeakSet<object>()
  return createServer({ requireHostHeader: false, keepAliveTimeout: 60_000 }, answer)
    .on("checkExpectation", answer)
    .on("clientError", (_, socket) => {
      if (refused.has(socket)) return
      refused.add(socket)
      refuse(socket as Socket)
    })
    .on("connect", (_, socket) => refuse(socket as Socket))
}

/**
 * Sends each piece after the server has read the one before it; returns all responses, without
 * dates.
 */
const converse = async (
  port: number,
  readBytes: (client: Socket) => number | undefined,
  pieces: ReadonlyArray<string>
): Promise<string> => {
  const client = connect({ port, host: "127.0.0.1", noDelay: true })
  let received = ""
  client.on("data", (chunk: Buffer) => received += chunk.toString("latin1")).on("error", () => {})
  await new Promise((resolve) => client.once("connect", resolve))
  let sent = 0
  for (const piece of pieces) {
    if (client.destroyed) break
    client.write(piece, "latin1")
    sent += piece.length
    while ((readBytes(client) ?? 0) < sent && !client.destroyed) await turnsOfTheLoop(1)
    // answers without delay have arrived by then, and responses have ended
    await turnsOfTheLoop(4)
  }
  // more turns than a delayed answer takes, and time for the bytes to arrive
  for (
    let quiet = 0, before = "";
    quiet < 12 && !client.destroyed;
    quiet = received === before ? quiet + 1 : 0
  ) {
    before = received
    await turnsOfTheLoop(4)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  client.destroy()
  return received.replace(/Date: [^\r]+/gu, "Date")
}

/** Returns how many bytes of a client's connection a server of this process has read. */
const bytesReadBy = () => {
  const sockets = new Map<number, Socket>()
  return {
    watch: (socket: Socket) => {
      const port = socket.remotePort!
      sockets.set(port, socket)
      socket.once("close", () => sockets.get(port) === socket && sockets.delete(port))
    },
    bytesRead: (client: Socket) => sockets.get(client.localPort!)?.bytesRead
  }
}

const usual = [
  ...["/a", "/late", "/304", "/404", "/bytes", "/text"].map((url) => get(url)),
  get("/b?c=1"),
  get("/a", "Accept: text/html\r\n"),
  get("/a", "Connection: keep-alive\r\nX-Request-Id: 1\r\n"),
  get("/a", "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"),
  bodied("POST", "/a", "12345")
]
const unusual = [
  bodied("POST", "/a", get("/b")),
  bodied("GET", "/a", "12345"),
  bodied("GET", "/a", get("/a")),
  bodied("POST", "/a", `${get("/a")}GET `),
  // the next request or the chunks are the body
  get("/a", `Content-Length: ${get("/a").length}\r\n`),
  get("/a", "Transfer-Encoding: chunked\r\n"),
  "1b\r\n",
  "0\r\n\r\n",
  "GET /a HTTP/1.0\r\n\r\n",
  "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
  get("/a", "Connection: close\r\n"),
  get("/a", "Expect: 100-continue\r\n"),
  get("/a", "Expect: something\r\n"),
  get("/a", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
  get("/a", "Connection: Upgrade\r\nUpgrade: h2c\r\n").repeat(2),
  "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET http://x/a HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /a HTTP/1.1\r\n\r\n",
  "GET /a  HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /\u00e4 HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /a\tHTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n",
  "\r\n\r\n",
  "\r\n",
  "GET /a HTTP/1.1\nHost: x\n\n",
  "GET /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n",
  get("/a", "X: y\nContent-Length: 5\r\n"),
  get("/a", " folded\r\n"),
  get("/a").repeat(3),
  get("/late").repeat(20),
  get("/a") + get("/b").slice(0, 9),
  "GET /a HT",
  "TP/1.1\r\nHost: x\r\n\r\n",
  "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
  "?"
]

const seed = process.env["SEED"] ?? "1"
/** Conversations that run at the same time. */
const CONVERSATIONS_AT_ONCE = 50
const conversations = rounds({ short: 200, long: 2000 })

describe(`${conversations} random conversations over a socket`, () => {
  it.live(`get the responses of a plain node:http server (replay: ${replayOf(seed, "test/http/node/conversations.test.ts")})`, () =>
    Effect.scoped(Effect.gen(function*() {
      const random = new Random(Number(seed))
      const [ours, peers] = [bytesReadBy(), bytesReadBy()]
      const plain = plainServer().on("connection", peers.watch)
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve))),
        () =>
          Effect.sync(() => {
            plain.close()
            plain.closeAllConnections()
          })
      )
      const { port } = yield* bareServer(echo, yield* Effect.scope)
      const hear = (message: unknown) => {
        const { socket } = message as { readonly socket: Socket }
        if (socket.localPort === port) ours.watch(socket)
      }
      const plainPort = (plain.address() as AddressInfo).port
      yield* Effect.acquireRelease(
        Effect.sync(() => subscribe("net.server.socket", hear)),
        () => Effect.sync(() => unsubscribe("net.server.socket", hear))
      )
      const pieces = () => {
        const messages = Array.from(
          { length: 8 },
          () => random.of(random.chance(0.75) ? usual : unusual)
        )
        // bytes that a client sends after its last request reset the connection, and responses are
        // lost
        const last = messages.findIndex((message) =>
          /Connection: close|HTTP\/1\.0\r\n\r\n/u.test(message)
        )
        return (last < 0 ? messages : messages.slice(0, last + 1)).flatMap((message) => {
          const at = random.chance(0.08) ? random.below(message.length) : 0
          return [message.slice(0, at), message.slice(at)].filter((piece) => piece !== "")
        })
      }
      for (let done = 0; done < conversations; done += CONVERSATIONS_AT_ONCE) {
        const all = Array.from({ length: CONVERSATIONS_AT_ONCE }, pieces)
        yield* Effect.promise(() =>
          Promise.all(all.map(async (conversation) => {
            const [actual, expected] = await Promise.all([
              converse(port, ours.bytesRead, conversation),
              converse(plainPort, peers.bytesRead, conversation)
            ])
            assert.strictEqual(actual, expected, JSON.stringify(conversation))
          }))
        )
      }
    })))
})

describe("a client that reads slowly", () => {
  const bytes = 7_900_000

  /** Returns a client that has requested a large answer and reads nothing of it yet. */
  const unread = Effect.fnUntraced(function*(scope: Scope.Scope, options: Partial<ServerOptions>) {
    const requested = yield* Deferred.make<void>()
    const { port } = yield* bareServer(
      () =>
        Effect.as(Deferred.succeed(requested, undefined), {
          status: 200,
          headers: {},
          body: "x".repeat(bytes),
          isAscii: true
        }),
      scope,
      options
    )
    const socket = connect(port, "127.0.0.1")
    let length = 0
    const ended = new Promise<number>((resolve) =>
      socket.on("data", (chunk) => length += chunk.length).on("error", () => {}).on(
        "close",
        () => resolve(length)
      )
    )
    socket.pause().write(get("/"))
    yield* Deferred.await(requested)
    return { socket, ended: Effect.promise(() => ended) }
  })

  it.live("gets the whole answer during a shutdown", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { ended, socket } = yield* unread(scope, { shutdownTimeout: "10 seconds" })
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.sleep("1200 millis")
      socket.resume()
      assert.isAtLeast(yield* ended, bytes)
      yield* Fiber.join(closing)
    }))

  it.live("is not idle while it reads an answer", () =>
    Effect.scoped(Effect.gen(function*() {
      const { ended, socket } = yield* unread(yield* Effect.scope, {
        limits: { idleTimeoutMs: 50 }
      })
      // Node closes an idle connection up to a second after the limit
      yield* Effect.sleep("1300 millis")
      socket.resume()
      assert.isAtLeast(yield* ended, bytes)
    })))
})
