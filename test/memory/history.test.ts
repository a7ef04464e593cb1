import { assert, describe, it } from "@effect/vitest"
import { type MemoryLedger, openMemoryLedger } from "../../adapters/memory/mod.ts"
import { Blocks } from "../../adapters/memory/state/_blocks.ts"
import type { BatchChanges } from "../../core/domain/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import { applyBlock, hashOf, newAccount, newBatch, rollBackTo } from "./_chain.ts"

const accounts = 1500

/** Applies a block with one batch. */
const applyBatch = (ledger: MemoryLedger, accounts: BatchChanges["accounts"]) =>
  applyBlock(ledger, (prior) => ({
    batches: [newBatch(prior, prior.lastBatchNum + 1, { accounts })]
  }))

/** Each account after a batch; the values are different in every batch. */
const accountsAfter = (batchNum: number): BatchChanges["accounts"] =>
  Array.from({ length: accounts }, (_, i) => ({
    ...newAccount(256 + i, 1),
    nonce: BigInt(batchNum),
    balance: (1n << 64n) * BigInt(i % 3 === 0 ? 1 : 0) + BigInt(1000 * batchNum + i)
  }))

const valuesOf = (batchNum: number) =>
  accountsAfter(batchNum).map(({ nonce, balance }) => ({ nonce, balance }))

describe("the history in memory", () => {
  it("has the values before and after each batch, also in columns, and after rollbacks into them", () => {
    const ledger = openMemoryLedger({ genesis })
    applyBatch(ledger, accountsAfter(1))
    const check = (last: number) => {
      for (let batchNum = 1; batchNum <= last; batchNum++) {
        const { batches: [found] } = ledger.block(100n + BigInt(batchNum))!
        const before = batchNum === 1 ? null : valuesOf(batchNum - 1)
        const after = valuesOf(batchNum)
        assert.deepStrictEqual(
          found!.accountChanges,
          after.map((values, i) => ({
            index: 256 + i,
            before: before === null ? null : before[i]!,
            after: values
          }))
        )
      }
      assert.deepStrictEqual(
        [ledger.base.account(256)!.nonce, ledger.base.account(257)!.balance],
        [BigInt(last), valuesOf(last)[1]!.balance]
      )
    }
    for (let batchNum = 2; batchNum <= 9; batchNum++) {
      applyBatch(ledger, accountsAfter(batchNum))
    }
    check(9)
    rollBackTo(ledger, 102n)
    check(2)
    for (let batchNum = 3; batchNum <= 8; batchNum++) {
      applyBatch(ledger, accountsAfter(batchNum))
    }
    check(8)
    const restored = openMemoryLedger({ genesis })
    for (const _ of restored.postponeIndexing()) assert.fail()
    restored.restore(ledger.capture())
    applyBatch(restored, accountsAfter(9))
    applyBatch(ledger, accountsAfter(9))
    assert.deepStrictEqual(restored.block(109n), ledger.block(109n))
    rollBackTo(restored, 101n)
    rollBackTo(ledger, 101n)
    assert.deepStrictEqual(restored.block(101n), ledger.block(101n))
    const query = { afterVersion: 0, limit: 9 }
    assert.deepStrictEqual(restored.rollBacks(query), ledger.rollBacks(query))
    assert.deepStrictEqual(ledger.rollBacks(query).map(({ serial }) => serial), [1, 2])
    rollBackTo(ledger, 100n)
    applyBatch(ledger, [{ ...newAccount(256, 1), balance: 7n }])
    assert.deepStrictEqual(ledger.block(101n)!.batches[0]!.accountChanges, [
      { index: 256, before: null, after: { nonce: 0n, balance: 7n } }
    ])
  })

  it("refuses a batch whose accounts are out of order, or leave out the next one", () => {
    const ledger = openMemoryLedger({ genesis })
    const [one, other, third] = [newAccount(256, 1), newAccount(257, 1), newAccount(258, 1)]
    for (
      const [accounts, message] of [
        [[newAccount(255, 1)], /account 255 is out of order/u],
        [[one, one, other], /account 256 is out of order/u],
        [[one, other, one], /account 256 is out of order/u],
        [[other, one], /account 257 is not the next one/u],
        [[one, third], /account 258 is not the next one/u]
      ] as const
    ) {
      assert.throws(() => applyBatch(ledger, accounts), message)
    }
    assert.strictEqual(ledger.snapshotId().version, 0)
    applyBatch(ledger, [one, other])
    assert.strictEqual(ledger.block(101n)!.batches[0]!.accountChanges.length, 2)
  })

  it("finds a block by its number without reading the others", () => {
    const blocks = new Blocks()
    let reads = 0
    const count = 100_000
    for (let i = 0; i < count; i++) {
      blocks.push(
        {
          block: { number: 3n * BigInt(i), hash: hashOf(i), timestampMs: i }
        } as Parameters<Blocks["push"]>[0]
      )
    }
    const rows = new Proxy(blocks.list(), {
      get: (target, index) => {
        if (index !== "length") reads++
        return Reflect.get(target, index)
      }
    })
    Object.assign(blocks, { rows })
    for (const at of [0, 1, 49_999, 77_777, count - 1]) {
      reads = 0
      assert.strictEqual(blocks.positionOf(3n * BigInt(at)), at)
      assert.strictEqual(blocks.positionOf(3n * BigInt(at) + 1n), -1)
      assert.isAtMost(reads, 40)
    }
  })
})
