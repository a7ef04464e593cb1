import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { NodeChanges, withChanges } from "../../app/node/changes.ts"
import * as Memory from "../../adapters/memory/mod.ts"
import { type NodeChange, PoolStore, replacedReason } from "../../core/mod.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import { pendingExit, poolGroupOf } from "../laws/pool/_pool_rows.ts"
import { owners, unlimited } from "../sql/_pool_subject.ts"
import { newSimulation } from "./_network.ts"

const stores = withChanges(
  Layer.merge(Memory.layer(newSimulation().genesis), Memory.poolLayer)
)

describe("the changes of a pool that only this process writes", () => {
  it.effect("include replacements and groups", () =>
    Effect.gen(function*() {
      const [pool, { subscribe }] = [yield* PoolStore, yield* NodeChanges]
      const changes: Array<NodeChange> = []
      subscribe((change) => changes.push(change))
      const [first, second] = [pendingExit(1), pendingExit(2)]
      yield* pool.addTransaction(first, owners, unlimited)
      const replacedBy = (transaction: typeof second) =>
        pool.replaceTransaction({ id: first.id, arrival: null }, transaction, owners, unlimited)
      const corrected = { ...first, signature: "1".repeat(128) }
      yield* replacedBy(corrected)
      yield* replacedBy(second)
      const group = poolGroupOf([3, 4], new SeededRandom(1), 1000).map((transaction) => ({
        transaction,
        ...owners
      }))
      yield* pool.addGroup(group, unlimited)
      // refused writes change nothing
      yield* replacedBy(pendingExit(5))
      yield* pool.addGroup(group, unlimited)
      assert.deepStrictEqual(
        changes.map((change) =>
          change.kind === "transition" ? [change.id, change.from, change.to, change.reason] : change
        ),
        [
          [first.id, null, "pend", "Posted"],
          [first.id, "pend", null, replacedReason(first, first.id)],
          [first.id, null, "pend", "Posted"],
          [first.id, "pend", null, replacedReason(corrected, second.id)],
          [second.id, null, "pend", "Posted"],
          ...group.map(({ transaction: { id } }) => [id, null, "pend", "Posted"])
        ]
      )
    }).pipe(Effect.provide(stores)))
})
