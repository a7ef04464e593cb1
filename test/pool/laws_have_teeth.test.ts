import { assert, describe, it } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { openMemoryPool } from "../../adapters/memory/mod.ts"
import type { PoolStore } from "../../core/ports/mod.ts"
import { poolLaws, poolStoreLaws, type PoolSubject } from "../laws/mod.ts"
import { withoutStacks } from "../properties/without_stacks.ts"
import { openMemory, subjectOf } from "./_subject.ts"

type Store = PoolStore["Service"]

/** Stores with one fault each. */
const broken: { readonly [what: string]: (store: Store) => Partial<Store> } = {
  "compares the state but not the batch": (store) => ({
    change: (changes, atMs) =>
      Effect.flatMap(store.pooled(changes.map(({ id }) => id)), (rows) => {
        const batchNums = new Map(
          rows.map(({ transaction }) => [transaction.id, transaction.batchNum])
        )
        return store.change(
          changes.map((change) => ({ ...change, fromBatchNum: batchNums.get(change.id) ?? null })),
          atMs
        )
      })
  }),
  "checks before it adds, but not atomically": (store) => ({
    addTransaction: (transaction, owners, limits) =>
      Effect.gen(function*() {
        if ((yield* store.counts).pend >= limits.pendingMax) {
          const { fromAccountIndex: account } = transaction
          return { kind: "full", limit: "pendingMax", account } as const
        }
        yield* Effect.yieldNow
        return yield* store.addTransaction(transaction, owners, { ...limits, pendingMax: Infinity })
      })
  }),
  "reconciles from any mark": (store) => ({
    reconcile: (step, atMs) =>
      Effect.flatMap(
        store.reconciledBatchesBelow({ batchNum: 2 ** 32, limit: 1 }),
        ([mark]) => store.reconcile({ ...step, from: mark ?? null }, atMs)
      )
  }),
  "forgets reasons": (store) => ({
    transitions: (id) => Effect.map(store.transitions(id), (steps) => steps.slice(-3))
  }),
  "orders equal fees arbitrarily": (store) => ({
    pendingByFee: (query) => Effect.map(store.pendingByFee(query), (rows) => rows.toReversed())
  }),
  "adds the transactions of a group one after the other": (store) => ({
    addGroup: (group, limits) =>
      Effect.gen(function*() {
        for (const { transaction, ...owners } of group) {
          const result = yield* store.addTransaction(transaction, owners, limits)
          if (result.kind !== "added") return result
        }
        return { kind: "added" as const }
      })
  }),
  "changes some transactions of a group": (store) => ({
    change: (changes, atMs) =>
      Effect.map(
        Effect.forEach(changes, (change) => store.change([change], atMs)),
        (ids) => ids.flat()
      )
  }),
  "returns the transactions of a group in the order of their fees": (store) => ({
    members: (ids) =>
      Effect.map(
        store.members(ids),
        (rows) => rows.toSorted((a, b) => a.transaction.fee - b.transaction.fee)
      )
  }),
  "ignores the filter of a group": (store) => ({
    list: (query) => store.list({ ...query, filters: Struct.omit(query.filters, ["group"]) })
  }),
  "loses transactions that are rolled back": (store) => ({
    reconcile: (step, atMs) =>
      store.reconcile({ ...step, changes: step.changes.filter(({ to }) => to !== "pend") }, atMs)
  })
}

const without = (flaw: (store: Store) => Partial<Store>): PoolSubject => ({
  ...subjectOf("teeth", 15),
  open: Effect.map(openMemory, (stores) => {
    const store = openMemoryPool()
    return { ...stores, store: { ...store, ...flaw(store) } }
  })
})

withoutStacks()

describe("the laws of the pool", () => {
  for (const [what, flaw] of Object.entries(broken)) {
    it.live(`refuse a store that ${what}`, () =>
      Effect.gen(function*() {
        // the first law that is violated is enough
        for (
          const law of [...poolStoreLaws, ...poolLaws]
        ) if ((yield* Effect.exit(law.run(without(flaw))))._tag === "Failure") return
        assert.fail("every law holds")
      }))
  }
})
