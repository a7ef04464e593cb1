import { assert, describe, it } from "@effect/vitest"
import { isDeepStrictEqual } from "node:util"
import { TransactionRows } from "../../adapters/memory/row_groups/mod.ts"
import { type Account, type Transaction, transactionTypes } from "../../core/domain/mod.ts"
import { rounds } from "../rounds.ts"
import { Random } from "./_random.ts"

const accounts: ReadonlyArray<Account> = Array.from({ length: 6 }, (_, i) => ({
  itemId: i + 1,
  index: 256 + i,
  tokenId: 0,
  batchNum: 3 * i,
  publicKey: i.toString(16).padStart(64, "a"),
  address: `0x${i.toString(16).padStart(40, "b")}`,
  nonce: 0n,
  balance: 0n
}))
const ownerOf = (index: number) => accounts[index - 256]

const rowOf = (random: Random, itemId: number): Transaction => {
  const [from, to] = [random.below(8), random.below(8)]
  const isL1 = random.chance(0.3)
  const text = (owner: Account | undefined, field: "address" | "publicKey") =>
    random.chance(0.2) ? null : random.chance(0.2) ? `0x${random.below(3)}` : owner?.[field] ?? null
  const id = random.chance(0.1) ?
    `odd-${itemId}` :
    `0x02${(BigInt(itemId) * 2n ** 200n + BigInt(random.below(4))).toString(16).padStart(64, "0")}`
  return {
    itemId,
    id,
    type: transactionTypes[random.below(10)]!,
    position: random.below(70_000),
    fromAccountIndex: from === 7 ? null : 256 + from,
    fromAddress: text(accounts[from], "address"),
    fromPublicKey: text(accounts[from], "publicKey"),
    toAccountIndex: to === 7 ? 1 : 256 + to,
    toAddress: text(accounts[to], "address"),
    toPublicKey: text(accounts[to], "publicKey"),
    tokenId: random.chance(0.1) ? 2 ** 32 - 1 : random.below(4),
    amount: random.chance(0.2) ? 2n ** 191n + BigInt(itemId) : BigInt(random.below(1e9)),
    batchNum: random.chance(0.2) ? null : 1 + random.below(20),
    historicUSD: random.chance(0.3) ? null : random.below(1e6) / 7,
    timestampMs: 1.7e12 + itemId,
    l1: isL1
      ? {
        toForgeL1TransactionsNum: random.chance(0.5) ? null : random.below(9),
        userOrigin: random.chance(0.5),
        depositAmount: random.chance(0.2) ? 2n ** 64n - 1n : BigInt(random.below(1e9)) ** 5n,
        amountSuccess: random.chance(0.5),
        depositAmountSuccess: false,
        historicDepositAmountUSD: random.chance(0.5) ? null : 0.5,
        ethereumBlockNum: 18n,
        ethereumTxHash: random.of([null, `0x${"0".repeat(64)}`, `0x01${"f".repeat(62)}`, "0xA"]),
        l1Fee: random.of([null, 0n, 7n])
      }
      : null,
    l2: isL1 ? null : {
      fee: random.below(256),
      historicFeeUSD: random.chance(0.5) ? null : 0.25,
      nonce: 2n ** 40n - 1n
    }
  }
}

const fullComparisonPeriod = rounds({ short: 10, long: 1 })

describe("rows in row groups", () => {
  for (const seed of [1, 2, 3, 4]) {
    it(`are those of an array, while rows are added and removed (seed ${seed})`, () => {
      const random = new Random(seed)
      let rows = new TransactionRows(ownerOf, 5)
      const model: Array<Transaction> = []
      let [itemId, sealed] = [0, 0]
      for (let step = 0; step < 400; step++) {
        if (random.chance(0.9)) {
          const row = rowOf(random, ++itemId)
          rows.push(row)
          model.push(row)
        } else {
          for (let count = random.below(12); count > 0; count--) {
            assert.deepStrictEqual(rows.pop(), model.pop())
          }
        }
        if (step % 50 === 49) {
          const restored = new TransactionRows(ownerOf, 5)
          restored.restore(structuredClone(rows.rowGroups), structuredClone(rows.tail))
          rows = restored
        }
        sealed = Math.max(sealed, rows.sealedLength)
        assert.strictEqual(rows.length, model.length)
        assert.strictEqual(rows.at(-1)?.id, model.at(-1)?.id)
        // `npm test` compares all rows after some steps, and the last ones after the others
        const first = step % fullComparisonPeriod === 0 ? 0 : Math.max(0, model.length - 12)
        const different = model.findIndex((row, position) => {
          if (position < first) return false
          const keys = rows.keysAt(position)
          return !isDeepStrictEqual(rows.at(position), row) ||
            rows.positionOf(row.id) !== position || keys.fromAddress !== row.fromAddress ||
            keys.toPublicKey !== row.toPublicKey ||
            keys.fromAccountIndex !== row.fromAccountIndex ||
            keys.type !== row.type || keys.itemId !== row.itemId
        })
        assert.strictEqual(different, -1, "The position of a row that differs")
        assert.isUndefined(rows.positionOf(`odd-${itemId + 1}`))
        assert.isUndefined(rows.at(model.length))
      }
      assert.isAbove(sealed, 30)
      assert.deepStrictEqual(rows.slice(3, 9), model.slice(3, 9))
    })
  }
})
