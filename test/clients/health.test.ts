/* GET /health of revision v1 says whether the stores answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Application } from "../../adapters/http/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { programVersion, wireContext } from "../../core/contract/mod.ts"
import { StoreDescription, StoreFailure } from "../../core/ports/mod.ts"
import { genesis } from "../pool/_subject.ts"
import { type NodeOverrides, nodeLayer } from "../pool/_node.ts"
import { jsonOf, send } from "../submission/_post.ts"

const { constants, network } = genesis
const node = (overrides: NodeOverrides = {}) =>
  Layer.provideMerge(
    Application.layer({ constants, context: wireContext(network, keccak256) }),
    nodeLayer({}, { count: 0 }, overrides)
  )
const failure = Effect.fail(new StoreFailure({ message: "The database is away", retry: true }))
const failing: ReadonlyArray<
  readonly [store: string, NodeOverrides, historyDB: string, l2DB: string]
> = [
  ["ledger", { reader: () => ({ snapshotId: failure }) }, "DOWN", "UP"],
  ["pool", { pool: () => ({ counts: failure }) }, "UP", "DOWN"]
]

describe("the health of a node", () => {
  it.effect("is UP while both stores answer, and describes them", () =>
    Effect.gen(function*() {
      const answer = yield* send("/v1/health")
      const store = { status: "UP", version: "PostgreSQL 17.1", last_migration: "6 x" }
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(jsonOf(answer), {
        status: "UP",
        version: programVersion,
        timestamp: "1970-01-01T00:00:00.000Z",
        historyDB: store,
        l2DB: store
      })
      for (const path of ["/health", "/earlier/health"]) {
        assert.strictEqual((yield* send(path)).status, 404)
      }
      assert.strictEqual((yield* send("/v1/health?x=1")).text, answer.text)
    }).pipe(
      Effect.provide(Layer.provideMerge(
        node(),
        Layer.succeed(StoreDescription, { version: "PostgreSQL 17.1", lastMigration: "6 x" })
      ))
    ))

  for (const [store, overrides, historyDB, l2DB] of failing) {
    it.effect(`is DOWN with status 503 if the ${store} does not answer`, () =>
      Effect.gen(function*() {
        const answer = yield* send("/v1/health")
        assert.strictEqual(answer.status, 503)
        const health = jsonOf(answer) as {
          readonly status: string
          readonly historyDB: { readonly status: string; readonly version: string }
          readonly l2DB: { readonly status: string }
        }
        assert.deepStrictEqual(
          [health.status, health.historyDB.status, health.l2DB.status],
          ["DOWN", historyDB, l2DB]
        )
        assert.strictEqual(health.historyDB.version, "memory")
      }).pipe(Effect.provide(node(overrides))))
  }
})
