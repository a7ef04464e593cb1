import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Gate, gatedLogs } from "../../app/workers/_gate.ts"
import { RecordStore } from "../../app/workers/_record_store.ts"
import { Restarts } from "../../app/workers/_restarts.ts"
import { Sequence } from "../../app/workers/_sequence.ts"
import { Dice } from "../laws/_pool_dice.ts"

describe("records of a group", () => {
  it("are shown when every follower has them, never more, and never fewer than once", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const dice = new Dice(seed)
      const shown: Array<number> = [0]
      const sequence = new Sequence({ lagMaxMs: 60_000, onShown: (last) => shown.push(last), onLag: () => {} })
      const followers = new Map<number, number>()
      let head = 0
      let expected = 0
      for (let step = 0, next = 1; step < 60; step++) {
        const ids = [...followers.keys()]
        const id = ids[dice.below(Math.max(1, ids.length))]
        switch (dice.below(5)) {
          case 0:
            sequence.accepted(head += 1 + dice.below(3))
            break
          case 1:
            followers.set(next, head - dice.below(Math.min(head, 3) + 1))
            sequence.join(next, followers.get(next)!)
            next++
            break
          case 2:
            if (id !== undefined && followers.delete(id)) sequence.leave(id)
            break
          default:
            if (id === undefined || followers.get(id) === head) break
            followers.set(id, followers.get(id)! + 1)
            sequence.applied(id, followers.get(id)!)
        }
        // one that joined may be behind what was shown by then, and catches up before it serves
        expected = Math.max(expected, Math.min(head, ...followers.values()))
        assert.strictEqual(sequence.shown, expected, `seed ${seed}`)
        assert.strictEqual(shown.at(-1), expected, `seed ${seed}`)
      }
      for (const [i, last] of shown.slice(1).entries()) assert.isAbove(last, shown[i]!, `seed ${seed}`)
      for (const id of followers.keys()) sequence.leave(id)
      assert.strictEqual(sequence.shown, head, `seed ${seed}`)
    }
  })

  it("keep waiting whoever would show them, and nobody else", () => Effect.runPromise(Effect.gen(function*() {
    const gate = new Gate()
    const logs = gatedLogs(gate, { append: () => {}, durable: Effect.void })
    gate.applied("pool", 1)
    assert.isTrue(logs.ledger.isDurable)
    assert.isFalse(logs.pool.isDurable)
    const waiting = yield* Effect.forkChild(logs.pool.durable)
    yield* Effect.yieldNow
    // what comes meanwhile is not waited for
    gate.applied("pool", 2)
    gate.show(1)
    yield* Fiber.join(waiting)
    assert.isFalse(logs.pool.isDurable)
    gate.show(2)
    assert.isTrue(logs.pool.isDurable)
  })))

  it("are given again from any number on", () => {
    const store = new RecordStore()
    const entries = Array.from({ length: 3000 }, (_, i) => ({ kind: i % 3 === 0 ? "pool" : "ledger", text: `${i} "\n" ${"text ".repeat(i % 90)}`, ...i % 2 === 0 ? { decided: String(i) } : {} } as const))
    for (let i = 0; i < entries.length; i += 7) store.append(entries.slice(i, i + 7))
    assert.strictEqual(store.head, entries.length)
    for (const from of [1, 2, 500, 2999, 3000]) {
      const found: Array<unknown> = []
      while (from + found.length <= entries.length) {
        const { entries, first, head } = store.from(from + found.length)
        assert.strictEqual(first, from + found.length)
        assert.strictEqual(head, 3000)
        assert.isAbove(entries.length, 0)
        found.push(...entries)
      }
      assert.deepStrictEqual(found, entries.slice(from - 1))
    }
    assert.deepStrictEqual(store.from(3001), { first: 3001, entries: [], head: 3000 })
  })

  it("are written again by a process that is started later and later, until it has served for a while", () => {
    const restarts = new Restarts()
    assert.deepStrictEqual([1, 2, 3, 4].map((nowMs) => restarts.ended(nowMs)), [100, 200, 400, 800])
    restarts.serving(1000)
    assert.strictEqual(restarts.ended(2000), 1600)
    restarts.serving(3000)
    assert.strictEqual(restarts.ended(33_000), 100)
    for (let i = 0; i < 20; i++) restarts.ended(i)
    assert.strictEqual(restarts.ended(0), 30_000)
  })
})
