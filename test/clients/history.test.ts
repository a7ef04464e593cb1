/*
 * Queued transactions in the history, which only revision v1 lists. The golden files show the list
 * with each filter, and its refusals.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Ledger } from "../../core/use_cases/mod.ts"
import { mounts } from "../_mounts.ts"
import { batchOf, blockOf, l1Of } from "../use_cases/_chain.ts"
import { jsonOf, send } from "../submission/_post.ts"
import { queuedId, recordedNode } from "./_node.ts"
import { shownAt } from "./_recorded.ts"

const path = "/v1/transactions-history"
const [sender, receiver] = [
  "hez:0x1a642f0e3c3af545e7acbd38b07251b3990914f1",
  "hez:0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c"
]
const [senderKey, receiverKey] = [
  "hez:iwTmAknmiIYz2xH9miPmd5b9MbvxUnQir4cHlwCmvQR9",
  "hez:2rJ3tU3UA4nK7LJQPVcxo8RjvSwXzf8lGWMFolvE6Jti"
]

interface Page {
  readonly pendingItems: number
  readonly transactions: ReadonlyArray<{
    readonly id: string
    readonly itemId: number
    readonly fromAccountIndex: string
    readonly toBJJ: string | null
    readonly batchNum: number | null
  }>
}
const pageOf = (query: string) =>
  Effect.map(send(`${path}?${query}`), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return jsonOf(answer) as unknown as Page
  })
/** Returns the senders of the transactions, and `queued` for the queued one. */
const found = (query: string) =>
  Effect.map(
    pageOf(query),
    ({ transactions }) =>
      transactions.map(({ fromAccountIndex, id }) => id === queuedId ? "queued" : fromAccountIndex)
  )

layer(recordedNode())("the history of revision v1", (it) => {
  it.effect("is filtered by sender, by receiver, or by both, with the queued transactions", () =>
    Effect.gen(function*() {
      const creations = ["hez:ETH:256", "hez:ETH:257", "hez:HEZ:258"]
      const cases: ReadonlyArray<readonly [query: string, expected: ReadonlyArray<string>]> = [
        ["includePendingL1s=false", creations],
        ["includePendingL1s=true", ["queued", ...creations]],
        ["includePendingL1s=true&order=DESC", [...creations.toReversed(), "queued"]],
        ["includePendingL1s=true&batchNum=2", creations],
        ["includePendingL1s=true&tokenId=2", ["queued", "hez:HEZ:258"]],
        ["includePendingL1s=true&accountIndex=hez:ETH:256", ["queued", "hez:ETH:256"]],
        ["includePendingL1s=true&fromAccountIndex=hez:ETH:257", ["hez:ETH:257"]],
        ["includePendingL1s=true&toAccountIndex=hez:ETH:257", ["queued"]],
        [
          "includePendingL1s=true&fromAccountIndex=hez:ETH:256&toAccountIndex=hez:ETH:257",
          ["queued"]
        ],
        [
          "includePendingL1s=true&fromAccountIndex=hez:ETH:257&toAccountIndex=hez:ETH:256",
          []
        ],
        [`includePendingL1s=true&fromBJJ=${senderKey}&toBJJ=${receiverKey}`, ["queued"]],
        [
          `includePendingL1s=true&fromHezEthereumAddress=${sender}&toHezEthereumAddress=${receiver}`,
          ["queued"]
        ]
      ]
      for (const [query, expected] of cases) {
        assert.deepStrictEqual(yield* found(query), expected, query)
      }
    }))

  it.effect("counts and pages queued transactions like the others", () =>
    Effect.gen(function*() {
      const all = yield* pageOf("includePendingL1s=true")
      const ids = all.transactions.map(({ itemId }) => itemId)
      const last = yield* pageOf(`includePendingL1s=true&fromItem=${ids[3]}&limit=1`)
      assert.deepStrictEqual(last.transactions, all.transactions.slice(3))
      assert.strictEqual(last.pendingItems, 0)
      const first = yield* pageOf("includePendingL1s=true&limit=1")
      assert.deepStrictEqual(first.transactions, all.transactions.slice(0, 1))
      assert.strictEqual(first.pendingItems, 3)
      assert.deepInclude(all.transactions[0], { batchNum: null, toBJJ: receiverKey })
    }))

  it.effect("shows account indexes of an L1 transaction with the symbols of the accounts, as all revisions", () =>
    Effect.gen(function*() {
      for (const mount of mounts) {
        const shown = yield* shownAt(`${mount}/transactions-history/${queuedId}`)
        assert.deepInclude(shown, {
          fromAccountIndex: "hez:ETH:256",
          toAccountIndex: "hez:ETH:257",
          amount: "5"
        })
        assert.strictEqual((shown.token as { symbol: string }).symbol, "HEZ")
      }
    }))

  it.effect("lists a queued transaction as soon as a block adds it, and once after it is forged", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const of256 = "includePendingL1s=true&fromAccountIndex=hez:ETH:256"
      assert.deepStrictEqual(yield* found(of256), ["queued", "hez:ETH:256"])
      const deposit = l1Of(3, 0, {
        fromAddress: sender!.slice(4),
        fromPublicKey: null,
        fromAccountIndex: 256,
        toAccountIndex: 0,
        tokenId: 0,
        depositAmount: 7n
      })
      yield* ledger.applyBlock(blockOf(105n, { l1UserTransactions: [deposit] }))
      assert.deepStrictEqual(yield* found(of256), ["queued", "hez:ETH:256", "hez:ETH:256"])
      yield* ledger.applyBlock(
        blockOf(106n, {
          batches: [batchOf(6, {
            forgeL1TransactionsNum: 2,
            l1UserEffects: [{ effectiveDepositAmount: 0n, effectiveAmount: 0n }]
          })]
        })
      )
      const { transactions } = yield* pageOf(of256)
      assert.deepStrictEqual(transactions.map(({ batchNum }) => batchNum), [2, null, 6])
      assert.strictEqual(transactions[2]!.id, queuedId)
    }))
})
