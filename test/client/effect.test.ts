import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { effectClient } from "../../adapters/client/effect.ts"
import { json, openedNode, refusal, scripted } from "./_node.ts"

describe("the client for hosts that use Effect", () => {
  it.effect("answers, fails by tag, and streams the items of a list", () =>
    Effect.gen(function*() {
      const node = yield* Effect.acquireRelease(
        Effect.promise(() => openedNode("zk", 12)),
        (node) => Effect.promise(() => node.close())
      )
      const client = effectClient({ url: "http://node", fetch: node.fetch })
      assert.strictEqual((yield* client.getToken({ id: 0 })).value.symbol, "ETH")
      const refused = yield* client.getToken({ id: 77 }).pipe(
        Effect.map(() => "found"),
        Effect.catchTag("Refused", ({ name }) => Effect.succeed<string>(name))
      )
      assert.strictEqual(refused, "not-found")
      const all = (yield* client.getTokens({ limit: 100 })).value.tokens
      assert.deepStrictEqual(yield* Stream.runCollect(client.items("getTokens", { limit: 2 })), all)
      assert.deepStrictEqual(
        yield* Stream.runCollect(Stream.take(client.items("getTokens", { limit: 2 }), 3)),
        all.slice(0, 3)
      )
      const failed = yield* Effect.flip(
        Stream.runDrain(client.pages("getAccounts", { tokenIds: [99] }))
      )
      assert.strictEqual(failed._tag, "Refused")
    }))

  it.effect("aborts the request of an interrupted effect", () =>
    Effect.gen(function*() {
      let ended = false
      let started = () => {}
      const under = new Promise<void>((resolve) => {
        started = resolve
      })
      const client = effectClient({
        url: "http://node",
        fetch: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              ended = true
              reject(signal.reason as Error)
            })
            started()
          })
      })
      const fiber = yield* Effect.forkChild(client.getState())
      yield* Effect.promise(() => under)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(ended)
    }))

  it.effect("sends a new request with each run", () =>
    Effect.gen(function*() {
      const { requests, fetch } = scripted(json(`{"id":0}`), refusal(404, "not-found"))
      const call = effectClient({ url: "http://node", fetch }).getToken({ id: 0 })
      yield* call
      yield* Effect.flip(call)
      assert.strictEqual(requests.length, 2)
    }))
})
