import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Ledger, LedgerReader, PoolStore, type PoolTransaction } from "../../core/mod.ts"
import { blocks, get, post, watched } from "./_admin.ts"

interface Moved {
  readonly line: number
  readonly kind: string
  readonly changed: ReadonlyArray<string>
  readonly transactions: ReadonlyArray<
    { readonly id: string; readonly state: string | null; readonly batchNum: number | null }
  >
}
interface Results {
  readonly results: ReadonlyArray<Moved>
}

const ids = [`0x02${"a".repeat(64)}`, `0x02${"b".repeat(64)}`] as const
const unknown = `0x02${"c".repeat(64)}`

/** A node with some accounts, and two pending transactions of one of them. */
const node = Effect.gen(function*() {
  const { admin, node } = yield* watched()
  for (const block of blocks.slice(0, 15)) yield* Context.get(node, Ledger).applyBlock(block)
  const reader = Context.get(node, LedgerReader)
  const { items } = yield* reader.list("accounts", { filters: {} })
  const { account } = items.find(({ account }) => account.balance > 1000n)!
  for (const [i, id] of ids.entries()) {
    const transaction: PoolTransaction = {
      id,
      type: "Exit",
      tokenId: account.tokenId,
      fromAccountIndex: account.index,
      toAccountIndex: 1,
      toAddress: null,
      toPublicKey: null,
      amount: 5n,
      fee: 0,
      nonce: account.nonce + BigInt(i),
      signature: "0".repeat(128),
      request: null,
      state: "pend",
      timestampMs: Date.now(),
      batchNum: null
    }
    yield* Context.get(node, PoolStore).addTransaction(transaction, {
      sender: account,
      receiver: null
    }, {
      pendingMax: 10,
      pendingPerAccountMax: 10
    })
  }
  const next = ((yield* reader.snapshotId).batchNum ?? 0) + 1
  return { admin, next, account }
})

describe("the pool over HTTP", () => {
  it.live("a coordinator selects, forges and releases in one body, each line after the one before it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin, next } = yield* node
      const answer = yield* post(
        admin,
        "/pool",
        [
          '{"kind":"select","maxTransactions":10}',
          JSON.stringify({ kind: "startForging", ids, batchNum: next }),
          "",
          JSON.stringify({ kind: "doneForging", ids: ids.slice(0, 1), batchNum: next }),
          JSON.stringify({
            kind: "invalidate",
            transactions: [{ id: ids[1], reason: "The proof failed" }],
            batchNum: next
          })
        ].join("\n")
      )
      assert.strictEqual(answer.status, 200)
      const { results } = answer.json as Results
      const [selection, started, done, invalid] = results as never as readonly [
        {
          readonly batchNum: number
          readonly transactions: ReadonlyArray<
            { readonly transaction: { readonly id: string; readonly amount: string } }
          >
        },
        Moved,
        Moved,
        Moved
      ]
      assert.strictEqual(selection.batchNum, next)
      assert.deepStrictEqual(
        selection.transactions.map(({ transaction: { amount, id } }) => [id, amount]),
        ids.map((id) => [id, "5"])
      )
      assert.deepStrictEqual(started, {
        line: 2,
        kind: "startForging",
        changed: [...ids],
        transactions: ids.map((id) => ({ id, state: "fing", batchNum: next }))
      })
      assert.deepStrictEqual(done, {
        line: 4,
        kind: "doneForging",
        changed: [ids[0]],
        transactions: [{ id: ids[0], state: "fged", batchNum: next }]
      })
      assert.deepStrictEqual(invalid.transactions, [{ id: ids[1], state: "invl", batchNum: next }])
      const seen = (yield* get(admin, `/pool/${ids[1]}`)).json as {
        readonly transaction: PoolTransaction
        readonly transitions: ReadonlyArray<{ readonly to: string; readonly reason: string }>
      }
      assert.deepStrictEqual(seen.transitions.map(({ to }) => to), ["pend", "fing", "invl"])
      assert.strictEqual(seen.transitions.at(-1)!.reason, "The proof failed")
    })))

  it.live("a repeated line changes nothing, and reports the state of each transaction", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin, next } = yield* node
      const line = JSON.stringify({ kind: "startForging", ids: [...ids, unknown], batchNum: next })
      const [first] = ((yield* post(admin, "/pool", line)).json as Results).results
      const [again] = ((yield* post(admin, "/pool", line)).json as Results).results
      assert.deepStrictEqual(first!.changed, [...ids])
      assert.deepStrictEqual(again!.changed, [])
      assert.deepStrictEqual(again!.transactions, first!.transactions)
      assert.deepStrictEqual(again!.transactions.at(-1), {
        id: unknown,
        state: null,
        batchNum: null
      })
    })))

  it.live("rolls back, purges and reconciles", () =>
    Effect.scoped(Effect.gen(function*() {
      const { account, admin, next } = yield* node
      const run = (...commands: ReadonlyArray<object>) =>
        Effect.map(
          post(admin, "/pool", commands.map((command) => JSON.stringify(command)).join("\n")),
          (answer) => (answer.json as Results).results.map(({ changed }) => changed)
        )
      assert.deepStrictEqual(
        yield* run({ kind: "startForging", ids, batchNum: next }, {
          kind: "rollBack",
          lastValidBatch: next - 1
        }, { kind: "reconcile" }),
        [[...ids], [...ids], []]
      )
      assert.deepStrictEqual(
        yield* run({
          kind: "invalidateOldNonces",
          nonces: [{ index: account.index, nonce: String(account.nonce + 1n) }],
          batchNum: next
        }),
        [[ids[0]]]
      )
      assert.deepStrictEqual(yield* run({ kind: "remove", ids, reason: "Cleared" }), [[...ids]])
      assert.deepStrictEqual(
        yield* run({
          kind: "purge",
          ttlMs: 0,
          currentBatch: next,
          safetyPeriodBatches: 0,
          capacity: 0
        }),
        [[]]
      )
    })))

  it.live("an invalid line prevents the whole body from being started", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin, next } = yield* node
      const answer = yield* post(
        admin,
        "/pool",
        `${
          JSON.stringify({ kind: "startForging", ids, batchNum: next })
        }\n{"kind":"startForging","ids":["0x1"],"batchNum":-1}\n{"kind":"forge"}`
      )
      assert.strictEqual(answer.status, 400)
      const { errors } = answer.json as {
        readonly errors: ReadonlyArray<{ readonly line: number; readonly pointer: string }>
      }
      assert.deepStrictEqual(errors.map(({ line, pointer }) => [line, pointer]), [[2, "/ids/0"], [
        2,
        "/batchNum"
      ], [3, "/kind"]])
      assert.strictEqual(
        ((yield* get(admin, `/pool/${ids[0]}`)).json as { readonly transaction: PoolTransaction })
          .transaction.state,
        "pend"
      )
    })))

  it.live("a body may have as many bytes as the limit, and not one more", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched({ limits: { poolBodyBytesMax: 30 } })
      const line = '{"kind":"reconcile"}\n'
      assert.strictEqual((yield* post(admin, "/pool", line.padEnd(30))).status, 200)
      assert.strictEqual((yield* post(admin, "/pool", line.padEnd(31))).status, 413)
    })))

  it.live("an unknown transaction is not found", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* node
      for (const id of [unknown, "7", "0x", "%00"]) {
        assert.strictEqual((yield* get(admin, `/pool/${id}`)).status, 404)
      }
    })))
})
