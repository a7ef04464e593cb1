import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { revisionList } from "../../core/contract/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import { application, ask, jsonOf } from "./_application.ts"

layer(application())("/network", (it) => {
  it.effect("has the identity of the network and the paths of the revisions, at every mount", () =>
    Effect.gen(function*() {
      for (const path of ["/network", "/earlier/network"]) {
        const answer = yield* ask(path)
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(jsonOf(answer), {
          ...genesis.network,
          revisions: revisionList.map(({ name, path }) => ({ revision: name, path }))
        })
        assert.strictEqual(answer.headers["access-control-allow-origin"], "*")
      }
    }))

  it.effect("is cached: an entity tag confirms it", () =>
    Effect.gen(function*() {
      const { headers: { etag } } = yield* ask("/network")
      const again = yield* ask("/network", { headers: { "if-none-match": String(etag) } })
      assert.strictEqual(again.status, 304)
    }))
})
