import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import { connect } from "node:net"
import { keptAnswers } from "../../adapters/http/message.ts"
import { ToldAnswer } from "../../adapters/http/_told.ts"
import { type Headed, Wires } from "../../adapters/http/_wires.ts"
import type { HttpAnswer } from "../../adapters/http/mod.ts"
import { answersOf, bareServer } from "./_bare_server.ts"

/** A server whose every answer is the same effect, or one after the other. */
const serve = (given: Effect.Effect<HttpAnswer> | (() => Effect.Effect<HttpAnswer>), scope: Scope.Scope) => bareServer(typeof given === "function" ? given : () => given, scope)

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

describe("a kept answer with headers of its request alone", () => {
  const plain = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
  const bodies = { "a text": { body: "a".repeat(3000), isAscii: true }, "bytes": { body: new TextEncoder().encode("é".repeat(1000)) }, "nothing": { body: "" } }
  for (const [name, body] of Object.entries(bodies)) {
    it.live(`leaves as every other one does, as long as the one before it or not: ${name}`, () => Effect.scoped(Effect.gen(function*() {
      const kept: HttpAnswer = body.body === "" ? { status: 304, headers: { etag: '"x"' }, ...body } : { status: 200, headers: { "content-length": String(body.body.length), "x-test": "1" }, ...body }
      keptAnswers.add(kept)
      const own: ReadonlyArray<{ readonly [name: string]: string }> = [1, 2, 3, "", 4, "five", 6].map((told) => told === "" ? {} : { "x-own": `${told}`, "x-other": "1" })
      const served = Effect.fnUntraced(function*(told: (own: { readonly [name: string]: string }) => HttpAnswer) {
        let asked = 0
        const { port } = yield* serve(() => Effect.succeed(told(own[asked++]!)), yield* Effect.scope)
        return yield* Effect.promise(() => answersOf(port, own.map(() => plain)))
      })
      const given = yield* served((own) => new ToldAnswer(kept, own))
      assert.deepStrictEqual(given, yield* served((own) => ({ ...kept, headers: { ...kept.headers, ...own } })))
      assert.lengthOf(given, own.length)
    })))
  }

  it("is what it was when it was sent, however long it waits for its client to read", () => {
    const wires = new Wires()
    const kept: HttpAnswer = { status: 200, headers: {}, body: "body", isAscii: true }
    keptAnswers.add(kept)
    const waiting: Array<Buffer> = []
    /** Nothing leaves any more. */
    const socket = { writable: true, get writableLength() { return waiting.length }, write: (bytes: Buffer) => waiting.push(bytes) }
    const ask = (own: string) => {
      const answer = new ToldAnswer(kept, { "x-own": own })
      const response = { shouldKeepAlive: true, socket, end: () => {} } as unknown as Headed
      if (!wires.sendKept(ToldAnswer.partsOf(answer), response)) wires.note(answer, `HTTP/1.1 200 OK\r\nx-own: ${own}\r\n\r\n`)
    }
    // the first two are noted, and so is what comes after one that waits; a second may end in between
    const given = Array.from({ length: 20 }, (_, i) => String(i).padStart(2, "0"))
    given.forEach(ask)
    const arrived = waiting.map((bytes) => /^HTTP\/1\.1 200 OK\r\nx-own: (\d\d)\r\n\r\nbody$/u.exec(bytes.toString())?.[1])
    assert.isAtLeast(arrived.length, 5)
    assert.strictEqual(new Set(arrived).size, arrived.length)
    assert.isTrue(arrived.every((own) => own !== undefined && given.includes(own)))
  })
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
