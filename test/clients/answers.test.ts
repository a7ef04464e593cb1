/* Answers that revision v1 computes unlike the other revisions. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../submission/_post.ts"
import { recordedNode } from "./_node.ts"
import { bodyOf, postBody, shownAt } from "./_recorded.ts"

layer(recordedNode())("an answer of revision v1", (it) => {
  it.effect("lists the latest registration of each bidder, by bidder and by forger", () =>
    Effect.gen(function*() {
      const [one, two, forger] = ["b1", "b2", "f1"].map((end) => `0x${end.padStart(40, "0")}`)
      const cases: ReadonlyArray<readonly [path: string, urls: string, pendingItems: number]> = [
        ["/v1/coordinators", "http://two http://one.new", 0],
        ["/v1/coordinators?limit=1", "http://two", 1],
        [`/v1/coordinators?bidderAddr=${one}`, "http://one.new", 0],
        [`/v1/coordinators?forgerAddr=${forger}`, "http://two", 0],
        [`/v1/coordinators?bidderAddr=${two}&order=DESC`, "http://two", 0],
        [`/v1/coordinators?forgerAddr=${one}`, "", 0],
        ["/coordinators?limit=9", "http://one http://two http://one.new", 0]
      ]
      for (const [path, urls, expected] of cases) {
        const { coordinators, pendingItems } = yield* shownAt(path)
        const shown = (coordinators as ReadonlyArray<{ readonly URL: string }>).map(({ URL }) =>
          URL
        )
        assert.deepStrictEqual([shown.join(" "), pendingItems], [urls, expected], path)
      }
      assert.strictEqual((yield* send(`/coordinators?forgerAddr=${forger}`)).status, 400)
    }))

  it.effect("shows the load of the pool in the state, also right after a post, and queued L1 transactions", () =>
    Effect.gen(function*() {
      const transfer = bodyOf("transactions-pool", "Transfer")
      interface State {
        readonly node: { readonly forgeDelay: number; readonly poolLoad: number }
        readonly network: { readonly pendingL1Transactions: number }
        readonly metrics: { readonly estimatedTimeToForgeL1: number }
      }
      const state = Effect.map(shownAt("/v1/state"), (shown) => shown as unknown as State)
      const { metrics, network, node } = yield* state
      assert.deepStrictEqual([network.pendingL1Transactions, node.forgeDelay], [1, 0])
      assert.isAtLeast(metrics.estimatedTimeToForgeL1, 0)
      assert.strictEqual((yield* postBody("/v1/transactions-pool", transfer)).status, 200)
      assert.strictEqual((yield* state).node.poolLoad, node.poolLoad + 1)
      for (const mount of ["", "/earlier"]) {
        assert.notProperty(yield* shownAt(`${mount}/state`), "node")
      }
    }))
})
