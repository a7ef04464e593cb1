import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import {
  appendPostings,
  cutPostings,
  eachOfLastRows
} from "../../../adapters/sql/postings/write_postings.ts"
import { account, transaction } from "../../../adapters/sql/entities/mod.ts"
import { insertInto } from "../../../adapters/sql/connection/parameters.ts"
import { type ListedRows } from "../../../adapters/sql/postings/listed_rows.ts"
import { postingLists } from "../../../adapters/sql/postings/posting_lists.ts"
import { rowItems } from "../../../adapters/sql/postings/postings.ts"
import { type Account, type Transaction, transactionTypes } from "../../../core/domain/mod.ts"
import { SeededRandom } from "../../laws/_seeded_random.ts"
import { misfiled } from "../_posting_rows.ts"
import { writerDatabase } from "../_writer_database.ts"

/*
 * Compares the posting lists with a naive model. To replay:
 *
 *     SEED=123 npm test -- test/sql/postings/postings.test.ts
 */

const seed = process.env.SEED ?? "1"

/** Items by key: each row of a list, under the keys of the model, as hexadecimal digits. */
type Model = Map<string, Array<number>>

/** The model of a list: the keys of a row, and the combined keys of each index key that has some. */
interface Naive<Row> {
  readonly keys: (row: Row) => ReadonlyArray<string>
  /** By the second letter of a key: the rest of the combined keys. */
  readonly below: { readonly [letter: string]: (row: Row) => ReadonlyArray<string> }
}

const int8 = (value: number): string => value.toString(16).padStart(16, "0")
const int2 = (value: number): string => value.toString(16).padStart(4, "0")
const letters = (text: string): string => Buffer.from(text).toString("hex")
const typeOf = (row: Transaction): string => letters("y") + int2(transactionTypes.indexOf(row.type))
const tokenOf = ({ tokenId }: { readonly tokenId: number }): string => letters("t") + int8(tokenId)

/** Returns the keys of sender and receiver: one key with side `b` if they have the same value. */
const bySide = <Value>(
  prefix: string,
  from: Value | null,
  to: Value | null,
  digits: (value: Value) => string | null
): ReadonlyArray<string> =>
  (from === to ? [["b", from] as const] : [["s", from] as const, ["r", to] as const]).flatMap(
    ([side, value]) => {
      const end = value === null ? null : digits(value)
      return end === null ? [] : [letters(prefix + side) + end]
    }
  )

const naiveTransactions: Naive<Transaction> = {
  keys: (row) => [
    letters("T*"),
    letters("Tt") + int8(row.tokenId),
    letters("Ty") + int2(transactionTypes.indexOf(row.type)),
    ...bySide(
      "Ti",
      row.fromAccountIndex,
      row.toAccountIndex,
      (index) => index < 256 ? null : int8(index)
    ),
    ...bySide("Ta", row.fromAddress, row.toAddress, (address) => address.slice(2)),
    ...bySide("Tk", row.fromPublicKey, row.toPublicKey, (key) => key)
  ],
  below: {
    i: (row) => [typeOf(row)],
    a: (row) => [tokenOf(row), typeOf(row), tokenOf(row) + typeOf(row)],
    k: (row) => [tokenOf(row), typeOf(row), tokenOf(row) + typeOf(row)],
    t: (row) => [typeOf(row)]
  }
}
const naiveAccounts: Naive<Account> = {
  keys: (
    row
  ) => [
    letters("A*"),
    letters("Aa") + row.address.slice(2),
    letters("Ak") + row.publicKey,
    letters("At") + int8(row.tokenId)
  ],
  below: { a: (row) => [tokenOf(row)], k: (row) => [tokenOf(row)] }
}

/** Returns every item under its keys, and the indexed ones under their combined keys. */
const modelOf = <Row extends { readonly itemId: number }>(
  { below, keys }: Naive<Row>,
  rows: ReadonlyArray<Row>,
  filed: ReadonlyMap<string, number>
): Model => {
  const single = new Map<string, Array<Row>>()
  for (const row of rows) {
    for (const key of new Set(keys(row))) single.set(key, [...single.get(key) ?? [], row])
  }
  const model: Model = new Map(
    [...single].map(([key, listed]) => [key, listed.map(({ itemId }) => itemId)])
  )
  for (const [key, listed] of single) {
    const rests = below[Buffer.from(key.slice(2, 4), "hex").toString()]
    for (const row of rests === undefined ? [] : listed.slice(0, filed.get(key) ?? 0)) {
      for (const rest of rests!(row)) {
        model.set(key + rest, [...model.get(key + rest) ?? [], row.itemId])
      }
    }
  }
  return model
}

/**
 * Returns the stored items and how many of each key are indexed. Checks that the rows of a key are
 * full except the last, and know how many items come before them.
 */
const stored = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const model: Model = new Map()
  const filed = new Map<string, number>()
  const rows = yield* sql.unsafe<
    {
      readonly key: string
      readonly first_ordinal: bigint
      readonly items: ReadonlyArray<bigint>
      readonly filed: number
    }
  >(
    "SELECT encode(key, 'hex') AS key, first_ordinal, items, filed FROM posting ORDER BY posting.key, first_item"
  )
  for (const row of rows) {
    const before = model.get(row.key) ?? []
    assert.strictEqual(
      Number(row.first_ordinal),
      before.length,
      `the ordinal of a row of ${row.key}`
    )
    assert.strictEqual(before.length % rowItems, 0, `the rows of ${row.key} before its last one`)
    if (before.length > 0) {
      const rest = row.items.length - row.filed
      assert.isBelow(rest, 16, `items of ${row.key} that are not in the combined lists`)
    }
    model.set(row.key, [...before, ...row.items.map(Number)])
    filed.set(row.key, before.length + row.filed)
  }
  return { model, filed }
})

interface StoredRows {
  readonly transactions: Transaction
  readonly accounts: Account
}
type Row<List extends keyof StoredRows> = StoredRows[List] & ListedRows[List]

/** Appends to a list and cuts it at random, and compares after each step. */
const compare = <List extends "transactions" | "accounts">(
  name: List,
  naive: Naive<Row<List>>,
  rowOf: (item: number, random: SeededRandom) => Row<List>,
  insert: {
    readonly text: string
    readonly parameters: (rows: ReadonlyArray<Row<List>>) => Array<string>
  },
  steps: number
) =>
  Effect.gen(function*() {
    const { sql } = yield* writerDatabase
    const random = new SeededRandom(`${seed} ${name}`)
    let rows: ReadonlyArray<Row<List>> = []
    let next = 1
    let cuts = 0
    for (let step = 0; step < steps; step++) {
      if (rows.length === 0 || random.chance(0.7)) {
        next += random.below(3)
        const added = Array.from({ length: 1 + random.below(random.chance(0.5) ? 5 : 200) }, () =>
          rowOf(next++, random))
        yield* sql.unsafe(insert.text, insert.parameters(added))
        yield* appendPostings(sql, name, added)
        rows = [...rows, ...added]
      } else {
        const cut =
          rows[Math.max(0, rows.length - 1 - random.below(random.chance(0.2) ? rows.length : 300))]!
            .itemId - random.below(2)
        // a few rows at once, and sometimes all
        yield* eachOfLastRows(
          sql,
          name,
          BigInt(cut),
          (removed) =>
            cutPostings(sql, name, removed),
          random.chance(0.5) ? 8 : 4096
        )
        yield* sql.unsafe(`DELETE FROM ${postingLists[name].table} WHERE item_id >= $1::bigint`, [
          BigInt(cut)
        ])
        rows = rows.filter(({ itemId }) => itemId < cut)
        cuts++
      }
      assert.strictEqual(yield* misfiled(sql), 0)
      const { filed, model: found } = yield* stored(sql)
      const expected = modelOf(naive, rows, filed)
      assert.deepStrictEqual(
        [...found.keys()].sort(),
        [...expected.keys()].sort(),
        `the keys after step ${step}`
      )
      for (const [key, items] of expected) {
        assert.deepStrictEqual(found.get(key), items, `the items of ${key} after step ${step}`)
      }
    }
    assert.isAbove(cuts, 5)
  }).pipe(Effect.scoped, Effect.orDie)

const address = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`
const publicKey = (number: number): string => number.toString(16).padStart(64, "0")

describe(`the lists of items (replay: SEED=${seed} npm test -- test/sql/postings/postings.test.ts)`, () => {
  it.live("of transactions equal a naive model after any appends and cuts", () =>
    compare(
      "transactions",
      naiveTransactions,
      (itemId, random) => {
        const from = random.chance(0.1) ? null : 256 + random.below(6)
        const to = random.chance(0.3) ? random.below(2) : 256 + random.below(6)
        return {
          itemId,
          id: `0x02${publicKey(itemId)}`,
          type: transactionTypes[random.below(3)]!,
          position: 0,
          batchNum: 1,
          fromAccountIndex: from,
          fromAddress: from === null ? null : address(from % 4),
          fromPublicKey: from === null ? null : publicKey(from % 3),
          toAccountIndex: to,
          toAddress: to < 256 ? null : address(to % 4),
          toPublicKey: to < 256 ? null : publicKey(to % 3),
          tokenId: random.below(3),
          amount: 1n,
          historicUSD: null,
          timestampMs: 0,
          l1: null,
          l2: { fee: 0, historicFeeUSD: null, nonce: 0n }
        }
      },
      insertInto("transaction", transaction.parameters),
      60
    ))

  it.live("of accounts equal a naive model after any appends and cuts", () =>
    compare(
      "accounts",
      naiveAccounts,
      (itemId, random) => ({
        itemId,
        index: 255 + itemId,
        tokenId: random.below(4),
        batchNum: 1,
        address: address(random.below(3)),
        publicKey: publicKey(random.below(5)),
        nonce: 0n,
        balance: 0n
      }),
      insertInto("account", account.parameters),
      40
    ))
})
