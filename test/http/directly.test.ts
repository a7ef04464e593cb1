import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { createServer, type Server } from "node:http"
import { connect } from "node:net"
import { answerAtOnce, write } from "../../adapters/http/_at_once.ts"
import { cutSlowReaders, openConnections } from "../../adapters/http/_slow_readers.ts"
import { ToldAnswer } from "../../adapters/http/_told.ts"
import { Unsent } from "../../adapters/http/_unsent.ts"
import { type HttpAnswer, type HttpRequest, keptAnswers } from "../../adapters/http/message.ts"
import type { ServerOptions } from "../../adapters/http/node.ts"
import { Random } from "../memory/_random.ts"
import { answersOf, application, bareServer } from "./_bare_server.ts"
import { connectedTo } from "./_loopback.ts"

/* Requests whose bytes Node has read before are answered without it, as it would have answered them. */

const get = (url: string, lines = "") => `GET ${url} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`

/** So many turns of the event loop. */
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** All forms of an answer. */
const answerTo = (url: string, said: string): HttpAnswer => {
  const headers = { "x-test": "1" }
  switch (url) {
    case "/304":
      return { status: 304, headers: { ...headers, etag: `"${said.length}"` }, body: "" }
    case "/404":
      return { status: 404, headers: { ...headers, "content-length": String(said.length) }, body: said }
    case "/bytes":
      return { status: 200, headers, body: new TextEncoder().encode(`é${said}`) }
    case "/text":
      return { status: 200, headers, body: `é𝄞${said}` }
    case "/latin":
      return { status: 200, headers: { ...headers, "x-name": "é" }, body: said, isAscii: true }
    default:
      return { status: 200, headers: { ...headers, "content-length": String(said.length) }, body: said, isAscii: true }
  }
}

/** Says what was asked, in an answer that is kept or not. What is answered without Node has no body to be read. */
const echoing = (isKept: boolean, padding = 0) => {
  const known = new Map<string, HttpAnswer>()
  const counts = { nodes: 0, direct: 0 }
  const handle = ({ body, headers, method, url }: HttpRequest): Effect.Effect<HttpAnswer> => {
    counts[body === undefined ? "direct" : "nodes"]++
    const said = JSON.stringify([method, url, headers])
    const answer = known.get(said) ?? answerTo(url, said + "x".repeat(padding))
    if (isKept && url !== "/anew") {
      known.set(said, answer)
      keptAnswers.add(answer)
    }
    const told = url === "/told" ? new ToldAnswer(answer, { "x-own": "1", "x-other": "2" }) : answer
    return url === "/late" ? Effect.as(Effect.promise(() => turns(15)), told) : Effect.succeed(told)
  }
  return { counts, handle }
}

/** A server without the framework; one that does not listen answers nothing by itself. */
const nodeServer = Effect.fnUntraced(function*(handle: (request: HttpRequest) => Effect.Effect<HttpAnswer>, isListening: boolean, unsent = new Unsent()) {
  const server = createServer({ requireHostHeader: false, shouldUpgradeCallback: () => false }, (source, response) => {
    // whether or not a body is still to come
    const { headers, method, url } = source.resume()
    void Effect.runPromise(handle({ method: method!, url: url!, headers, body: () => Effect.die("Nobody reads") })).then((answer) => write(answer, response))
  })
  server.on("clientError", (_, socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
  yield* answerAtOnce(server, { application: application(handle), run: Effect.runFork, unsent })
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  if (isListening) yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
  return server
})

/** All that a connection is told, until it ends or the last piece was sent; without dates. */
const talk = async (server: Server, pieces: ReadonlyArray<string>): Promise<string> => {
  const client = connectedTo(server)
  let said = ""
  client.on("data", (chunk: Buffer) => said += chunk.toString("latin1"))
  for (const piece of pieces) {
    client.write(piece, "latin1")
    // most answers are there, and responses have ended
    await turns(6)
  }
  await turns(50)
  client.destroy()
  return said.replace(/Date: [^\r]+/gu, "Date")
}

describe("requests whose lines were read before", () => {
  it.live("are answered without Node, as it would have answered them", () => Effect.scoped(Effect.gen(function*() {
    const { counts, handle } = echoing(true)
    const { port } = yield* bareServer(handle, yield* Effect.scope)
    const answers = yield* Effect.promise(() => answersOf(port, Array.from({ length: 20 }, (_, i) => get(`/${i % 2}?a=b%20c`))))
    assert.strictEqual(new Set(answers).size, 2)
    assert.match(answers[0]!, /^HTTP\/1\.1 200 OK\r\nx-test: 1\r\ncontent-length: 33\r\nDate\r\nConnection: keep-alive\r\nKeep-Alive: timeout=60\r\n\r\n\["GET","\/0\?a=b%20c",\{"host":"x"\}\]$/u)
    // the first of a connection, and each answer until it is in writing, are Node's
    assert.isAtLeast(counts.direct, 15)
  })))

  const bodied = (method: string, url: string, body: string, lines = "") => `${method} ${url} HTTP/1.1\r\nHost: x\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`
  const usual = [
    ...["/a", "/late", "/304", "/404", "/bytes", "/text", "/latin", "/told", "/anew"].map((url) => get(url)),
    get("/b?c=1"), get("/a", "Accept: text/html\r\n"), get("/a", "Connection: keep-alive\r\nX-Request-Id: 1\r\n")
  ]
  const others = [
    bodied("POST", "/a", "12345"), bodied("POST", "/a", get("/b")), bodied("GET", "/a", "12345"), bodied("GET", "/a", get("/a")), bodied("POST", "/a", `${get("/a")}GET `),
    // the body is what comes next, or the chunks are
    get("/a", `Content-Length: ${get("/a").length}\r\n`), get("/a", "Transfer-Encoding: chunked\r\n"), "1b\r\n", "0\r\n\r\n",
    "GET /a HTTP/1.0\r\n\r\n", "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", get("/a", "Connection: close\r\n"), get("/a", "Expect: 100-continue\r\n"),
    get("/a", "Connection: Upgrade\r\nUpgrade: websocket\r\n"), "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://x/a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a HTTP/1.1\r\n\r\n",
    "GET /a  HTTP/1.1\r\nHost: x\r\n\r\n", "GET /\u00e4 HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a\tHTTP/1.1\r\nHost: x\r\n\r\n", "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n", "\r\n\r\n", "\r\n",
    "GET /a HTTP/1.1\nHost: x\n\n", "GET /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n", get("/a", "X: y\nContent-Length: 5\r\n"), get("/a", " folded\r\n"),
    get("/a").repeat(3), get("/a") + get("/b").slice(0, 9), "GET /a HT", "TP/1.1\r\nHost: x\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "?"
  ]
  it.live("are told from everything else, wherever the bytes are cut: what is said is what Node alone would have said (replay: SEED=1 npm test -- test/http/directly.test.ts)", () => Effect.scoped(Effect.gen(function*() {
    const random = new Random(Number(process.env["SEED"] ?? 1))
    const [kept, plain] = [echoing(true), echoing(false)]
    const [ours, nodes] = [yield* nodeServer(kept.handle, true), yield* nodeServer(plain.handle, false)]
    const pieces = () => Array.from({ length: 12 }, () => random.of(random.chance(0.75) ? usual : others)).flatMap((message) => {
      const at = random.chance(0.08) ? random.below(message.length) : 0
      return [message.slice(0, at), message.slice(at)].filter((piece) => piece !== "")
    })
    for (let round = 0; round < 1000; round++) {
      const said = pieces()
      const [given, expected] = yield* Effect.promise(() => Promise.all([talk(ours, said), talk(nodes, said)]))
      assert.strictEqual(given, expected, JSON.stringify(said))
    }
    assert.isAtLeast(kept.counts.direct, 1000)
    assert.isAtLeast(kept.counts.nodes, 1000)
    assert.strictEqual(plain.counts.direct, 0)
  })))
})

describe("a connection that is answered without Node", () => {
  const padding = 7_900_000

  /** A server, and a client that asks without reading, what it does not ask Node, or does. */
  const unread = Effect.fnUntraced(function*(scope: Scope.Scope, options: Partial<ServerOptions>, isDirect = true) {
    const { counts, handle } = echoing(true, padding)
    const { port } = yield* bareServer(handle, scope, options)
    const socket = connect(port, "127.0.0.1")
    const seen = { bytes: 0 }
    const ended = new Promise<void>((resolve) => socket.on("data", (chunk) => seen.bytes += chunk.length).on("error", () => {}).on("close", () => resolve()))
    const directMin = isDirect ? 1 : 0
    while (counts.direct < directMin) {
      seen.bytes = 0
      socket.write(get("/"))
      while (seen.bytes < padding) yield* Effect.sleep("1 millis")
    }
    socket.pause()
    seen.bytes = 0
    const [of, asked] = [isDirect ? "direct" : "nodes", isDirect ? counts.direct : counts.nodes] as const
    socket.write(get("/"))
    while (counts[of] === asked) yield* Effect.sleep("1 millis")
    return { socket, ended: Effect.map(Effect.promise(() => ended), () => seen.bytes) }
  })

  it.live("has its answer as a whole when the server ends, however late its client reads, as every other one", () => Effect.gen(function*() {
    for (const isDirect of [true, false]) {
      const scope = yield* Scope.make()
      const { ended, socket } = yield* unread(scope, { shutdownTimeout: "10 seconds" }, isDirect)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.sleep("200 millis")
      socket.resume()
      assert.isAtLeast(yield* ended, padding)
      yield* Fiber.join(closing)
    }
  }))

  it.live("is not taken for idle while its answer leaves", () => Effect.scoped(Effect.gen(function*() {
    const { ended, socket } = yield* unread(yield* Effect.scope, { limits: { idleTimeoutMs: 50 } })
    // Node closes an idle one a second later than the limit says
    yield* Effect.sleep("1300 millis")
    socket.resume()
    assert.isAtLeast(yield* ended, padding)
  })))

  it.live("is cut when its client does not read", () => Effect.scoped(Effect.gen(function*() {
    const { counts, handle } = echoing(true)
    const unsent = new Unsent()
    const server = yield* nodeServer(handle, true, unsent)
    const seen = { cut: 0 }
    const open = openConnections(server)
    yield* cutSlowReaders(open, unsent, 100, () => seen.cut++)
    const client = connectedTo(server)
    const [theirs] = open
    client.resume()
    const ask = Effect.fnUntraced(function*() {
      client.write(get("/"))
      yield* Effect.promise(() => turns(6))
    })
    while (counts.direct < 10) yield* ask()
    assert.strictEqual(seen.cut, 0)
    client.pause()
    // a stream takes some before it is read
    while (unsent.of(theirs!) === undefined) yield* ask()
    while (seen.cut === 0) yield* Effect.sleep("10 millis")
    assert.strictEqual(seen.cut, 1)
    assert.isUndefined(unsent.of(theirs!))
  })))

  it.live("is in time with its headers, and is closed when nothing is asked any more", () => Effect.scoped(Effect.gen(function*() {
    const { counts, handle } = echoing(true)
    const { port } = yield* bareServer(handle, yield* Effect.scope, { limits: { headersTimeoutMs: 100, requestTimeoutMs: 100, idleTimeoutMs: 50 } })
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    let said = ""
    const ended = new Promise<void>((resolve) => socket.on("data", (chunk) => said += chunk).on("close", () => resolve()))
    for (let asked = 0; asked < 20; asked++) {
      socket.write(get("/"))
      yield* Effect.sleep("30 millis")
    }
    yield* Effect.promise(() => ended)
    assert.lengthOf(said.match(/HTTP\/1\.1 200 OK/gu)!, 20)
    assert.notInclude(said, "408")
    assert.isAtLeast(counts.direct, 10)
  })))
})
