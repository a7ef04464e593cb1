import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { Admin } from "../../adapters/admin/mod.ts"
import { Ledger, LedgerReader, PoolStore, type PoolTransaction } from "../../core/mod.ts"
import { blockFeed, get, post, watched } from "./_admin.ts"

interface Result {
  readonly line: number
  readonly kind: string
  readonly changed: ReadonlyArray<string>
  readonly transactions: ReadonlyArray<
    { readonly id: string; readonly state: string | null; readonly batchNum: number | null }
  >
}

const ids = [`0x02${"a".repeat(64)}`, `0x02${"b".repeat(64)}`] as const
const unknown = `0x02${"c".repeat(64)}`

/** A node with some accounts, and two pending transactions of one of them. */
const node = Effect.gen(function*() {
  const { admin, node } = yield* watched()
  for (const record of blockFeed(0, 15)) yield* Context.get(node, Ledger).applyRecord(record)
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
    const accounts = { sender: account, receiver: null }
    const limits = { pendingMax: 10, pendingPerAccountMax: 10 }
    yield* Context.get(node, PoolStore).addTransaction(transaction, accounts, limits)
  }
  const next = ((yield* reader.snapshotId).batchNum ?? 0) + 1
  return { admin, next, account }
})

/** Posts commands, and a blank line before the last one. */
const run = (admin: Admin, ...commands: ReadonlyArray<object>) => {
  const lines = commands.map((command) => JSON.stringify(command))
  return Effect.map(
    post(admin, "/pool", lines.toSpliced(-1, 0, "").join("\n")),
    ({ json }) => (json as { readonly results: ReadonlyArray<Result> }).results
  )
}

const transactionOf = (admin: Admin, id: string) =>
  Effect.map(get(admin, `/pool/${id}`), ({ json }) =>
    json as {
      readonly transaction: PoolTransaction
      readonly transitions: ReadonlyArray<{ readonly to: string; readonly reason: string }>
    })

describe("the pool over HTTP", () => {
  it.live("a coordinator selects, forges and releases in one body, each line after the one before it", () =>
    Effect.gen(function*() {
      const { admin, next: batchNum } = yield* node
      const [selection, ...moves] = yield* run(
        admin,
        { kind: "select", maxTransactions: 10 },
        { kind: "startForging", ids, batchNum },
        { kind: "doneForging", ids: [ids[0]], batchNum },
        { kind: "invalidate", transactions: [{ id: ids[1], reason: "No proof" }], batchNum }
      )
      const { batchNum: selected, transactions } = selection as unknown as {
        readonly batchNum: number
        readonly transactions: ReadonlyArray<
          { readonly transaction: { readonly id: string; readonly amount: string } }
        >
      }
      assert.strictEqual(selected, batchNum)
      assert.deepStrictEqual(
        transactions.map(({ transaction: { amount, id } }) => [id, amount]),
        ids.map((id) => [id, "5"])
      )
      const moved = (
        line: number,
        kind: string,
        state: string,
        changed: ReadonlyArray<string>
      ) => ({
        line,
        kind,
        changed,
        transactions: changed.map((id) => ({ id, state, batchNum }))
      })
      assert.deepStrictEqual(moves, [
        moved(2, "startForging", "fing", ids),
        moved(3, "doneForging", "fged", [ids[0]]),
        moved(5, "invalidate", "invl", [ids[1]])
      ])
      const { transitions } = yield* transactionOf(admin, ids[1])
      assert.deepStrictEqual(transitions.map(({ to }) => to), ["pend", "fing", "invl"])
      assert.strictEqual(transitions.at(-1)!.reason, "No proof")
    }))

  it.live("a repeated line changes nothing, and reports the state of each transaction", () =>
    Effect.gen(function*() {
      const { admin, next: batchNum } = yield* node
      const command = { kind: "startForging", ids: [...ids, unknown], batchNum }
      const [first, again] = yield* run(admin, command, command)
      assert.deepStrictEqual([first!.changed, again!.changed], [[...ids], []])
      assert.deepStrictEqual(again!.transactions, first!.transactions)
      assert.deepStrictEqual(again!.transactions.map(({ state }) => state), ["fing", "fing", null])
    }))

  it.live("each command calls the method of its name", () =>
    Effect.gen(function*() {
      const { account: { index, nonce }, admin, next: batchNum } = yield* node
      const periods = { ttlMs: 1e9, currentBatch: batchNum, safetyPeriodBatches: 0 }
      const commands: ReadonlyArray<readonly [command: object, changed: ReadonlyArray<string>]> = [
        [{ kind: "startForging", ids, batchNum }, ids],
        [{ kind: "rollBack", lastValidBatch: batchNum - 1 }, ids],
        [{ kind: "reconcile" }, []],
        [
          {
            kind: "invalidateOldNonces",
            nonces: [{ index, nonce: String(nonce + 1n) }],
            batchNum
          },
          [ids[0]]
        ],
        [{ kind: "purge", ...periods, capacity: 0 }, [ids[1]]],
        [{ kind: "remove", ids, reason: "Cleared" }, [ids[0]]]
      ]
      const results = yield* run(admin, ...commands.map(([command]) => command))
      assert.deepStrictEqual(
        results.map(({ changed }) => changed),
        commands.map(([, changed]) => [...changed])
      )
    }))

  it.live("an invalid line prevents the whole body from being started", () =>
    Effect.gen(function*() {
      const { admin, next } = yield* node
      const lines = [
        JSON.stringify({ kind: "startForging", ids, batchNum: next }),
        '{"kind":"startForging","ids":["0x1"],"batchNum":-1}',
        '{"kind":"forge"}'
      ]
      const { json, status } = yield* post(admin, "/pool", lines.join("\n"))
      assert.strictEqual(status, 400)
      const { errors } = json as {
        readonly errors: ReadonlyArray<{ readonly line: number; readonly pointer: string }>
      }
      assert.deepStrictEqual(errors.map(({ line, pointer }) => `${line} ${pointer}`), [
        "2 /ids/0",
        "2 /batchNum",
        "3 /kind"
      ])
      assert.strictEqual((yield* transactionOf(admin, ids[0])).transaction.state, "pend")
    }))

  it.live("an unknown transaction is not found", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      for (const id of [unknown, "7", "0x", "%00"]) {
        assert.strictEqual((yield* get(admin, `/pool/${id}`)).status, 404)
      }
    }))
})
