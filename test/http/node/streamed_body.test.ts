import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { connect } from "node:net"
import { type HttpAnswer, toFetchHandler } from "../../../adapters/http/mod.ts"
import { withLength, withoutBody } from "../../../adapters/http/message/mod.ts"
import { bareServer } from "./_bare_server.ts"

const chunks = ["one ", "two ", "three"]

/** Returns an answer whose body is a stream, and what became of the stream. */
const streamed = ({ failsAfter = Infinity }: { readonly failsAfter?: number } = {}) => {
  const state = { isCancelled: false }
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (sent === failsAfter) return controller.error(new Error("The source has failed"))
      const chunk = chunks[sent++]
      if (chunk === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(chunk))
    },
    cancel: () => void (state.isCancelled = true)
  }, { highWaterMark: 0 })
  const answer: HttpAnswer = {
    status: 200,
    headers: { "content-type": "text/plain" },
    body
  }
  return { answer, state }
}

describe("an answer whose body is a stream", () => {
  it.live("is sent in chunks, and the next request of the connection is answered", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port } = yield* bareServer(
        () => Effect.sync(() => streamed().answer),
        yield* Effect.scope
      )
      for (let i = 0; i < 2; i++) {
        const response = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/`))
        assert.isNull(response.headers.get("content-length"))
        assert.strictEqual(yield* Effect.promise(() => response.text()), chunks.join(""))
      }
    })))

  it.live("breaks off if the stream fails, and is cancelled if the client disconnects", () =>
    Effect.scoped(Effect.gen(function*() {
      const endless = streamed()
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => void (endless.state.isCancelled = true)
      })
      const { port } = yield* bareServer(
        ({ url }) =>
          Effect.succeed(
            url === "/endless"
              ? { ...endless.answer, body }
              : streamed({ failsAfter: 2 }).answer
          ),
        yield* Effect.scope
      )
      const reading = Effect.tryPromise(async () =>
        (await fetch(`http://127.0.0.1:${port}/`)).text()
      )
      assert.strictEqual((yield* Effect.flip(reading))._tag, "UnknownError")

      const socket = connect(port, "127.0.0.1")
      socket.write("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* Effect.promise(() => once(socket, "data"))
      socket.destroy()
      while (!endless.state.isCancelled) yield* Effect.sleep("5 millis")
    })))

  it("is the body of a web-standard response", async () => {
    const fetch = toFetchHandler({ handle: () => Promise.resolve(streamed().answer) })
    const response = await fetch(new Request("http://localhost/"))
    assert.isNull(response.headers.get("content-length"))
    assert.strictEqual(await response.text(), chunks.join(""))
  })

  it("is cancelled after HEAD, without a length", () => {
    const { answer, state } = streamed()
    const head = withoutBody(withLength(answer))
    assert.deepStrictEqual(head, {
      status: 200,
      headers: { "content-type": "text/plain" },
      body: ""
    })
    assert.isTrue(state.isCancelled)
  })
})
