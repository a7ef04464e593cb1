import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { connect } from "node:net"
import { keptAnswers } from "../../adapters/http/message.ts"
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

/** What one connection is answered, each request sent when the answer before it is there; without dates. */
const answersOf = (port: number, requests: ReadonlyArray<string>) =>
  new Promise<ReadonlyArray<string>>((resolve, reject) => {
    const answers: Array<string> = []
    const socket = connect(port, "127.0.0.1", () => socket.write(requests[0]!))
    let chunks: Array<Buffer> = []
    let missing: number | undefined
    const end = () => {
      socket.destroy()
      resolve(answers)
    }
    socket.on("data", (chunk) => {
      chunks.push(chunk)
      if (missing === undefined) {
        const said = Buffer.concat(chunks)
        const head = said.subarray(0, said.indexOf("\r\n\r\n") + 4)
        if (head.length < 4) return
        missing = head.length + Number(/content-length: (\d+)/iu.exec(head.toString("latin1"))?.[1] ?? 0) - said.length
      } else missing -= chunk.length
      if (missing > 0) return
      answers.push(Buffer.concat(chunks).toString("latin1").replace(/Date: [^\r]+/u, "Date"))
      chunks = []
      missing = undefined
      if (answers.length === requests.length) end()
      else socket.write(requests[answers.length]!)
    }).on("error", reject).on("close", end)
  })

describe("an answer that is kept", () => {
  const [plain, closing] = ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]
  const old = "GET / HTTP/1.0\r\n\r\n"
  const bytes = new TextEncoder().encode("é𝄞".repeat(9000))
  const bodies = { "a text": "a".repeat(3000), "bytes": bytes, "nothing": "", "too much for a second": new Uint8Array(9 * 2 ** 20).fill(97) }
  for (const [name, body] of Object.entries(bodies)) {
    it.live(`leaves as every other one does, however often it is asked for: ${name}`, () => Effect.scoped(Effect.gen(function*() {
      const answer: HttpAnswer = body === ""
        ? { status: 304, headers: { etag: '"x"' }, body }
        : { status: 200, headers: { "content-length": String(body.length), "x-test": "1" }, body, ...typeof body === "string" ? { isAscii: true } : {} }
      const scope = yield* Effect.scope
      const keptAnswer = { ...answer }
      keptAnswers.add(keptAnswer)
      const [kept, other] = [yield* serve(Effect.succeed(keptAnswer), scope), yield* serve(Effect.succeed(answer), scope)]
      for (const requests of [[plain, plain, plain, plain, closing], [plain, plain, plain, old], [closing]]) {
        const given = yield* Effect.promise(() => answersOf(kept.port, requests))
        assert.lengthOf(given, requests.length)
        assert.isTrue(given.every((each, i) => i === requests.length - 1 || each === given[0]))
        assert.deepStrictEqual(given, yield* Effect.promise(() => answersOf(other.port, requests)))
        assert.include(given.at(-1), "Connection: close")
      }
    })))
  }
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
