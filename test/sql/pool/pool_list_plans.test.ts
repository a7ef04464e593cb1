import { PgTypes } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Database } from "../../../adapters/sql/connection/database.ts"
import { listQuery } from "../../../adapters/sql/pool/_list.ts"
import { insertPooled, ordered } from "../../../adapters/sql/pool/pool_rows.ts"
import { unfinishedStates } from "../../../core/domain/mod.ts"
import type { Pooled, PoolFilters } from "../../../core/ports/mod.ts"
import { idOf, pendingExit } from "../../laws/pool/_pool_rows.ts"
import { emptyPool, executed, owners, poolDatabase } from "../_pool_subject.ts"
import { costOf, generic } from "../postings/_plans.ts"

const testDatabase = poolDatabase()
const finishedCount = 5000

/** One account with many finished transactions, one that is forging and one that is pending. */
const rows = Array.from({ length: finishedCount + 2 }, (_, number): Pooled => {
  const state = number < finishedCount
    ? number % 2 === 0 ? "fged" : "invl"
    : number === finishedCount
    ? "fing"
    : "pend"
  const transaction = pendingExit(number, {
    id: idOf(number),
    type: "Transfer",
    toAccountIndex: 257,
    state,
    batchNum: state === "pend" ? null : 1
  })
  const receiver = { address: `0x${"1".repeat(40)}`, publicKey: "1".repeat(64) }
  return { transaction, sender: owners.sender, receiver, sinceMs: 0, arrival: number }
})

const { address, publicKey } = rows[0]!.receiver!
const lists: ReadonlyArray<PoolFilters> = [
  {},
  { party: { accounts: [257] } },
  { from: { accounts: [256] } },
  { to: { address } },
  { party: { publicKey } },
  { party: { accounts: [256] }, tokenId: 0 }
]

/** Returns a parameter as text. */
const textOf = (parameter: unknown): string =>
  parameter instanceof Uint8Array
    ? `\\x${Buffer.from(parameter).toString("hex")}`
    : String(PgTypes.isParameter(parameter) ? parameter.value : parameter)

describe("the list of the pool in PostgreSQL", () => {
  it.live("reads no finished transaction to find the others, and few for a page by state", () =>
    Effect.gen(function*() {
      yield* emptyPool(testDatabase.services)
      const { writes } = Context.get(testDatabase.services, Database)
      const insert = insertPooled()
      yield* writes.unsafe(insert.text, insert.parameters(rows.map(ordered)))
      yield* executed(testDatabase.services, "ANALYZE pool_transaction")
      yield* generic(writes, (plan) =>
        Effect.gen(function*() {
          for (const filters of lists) {
            const { parameters, statement } = listQuery({
              filters: { ...filters, states: unfinishedStates },
              fromArrival: null,
              order: "ASC",
              limit: 20
            })
            const planned = yield* plan({ text: statement, parameters: parameters.map(textOf) })
            const { rows: read, sequential } = costOf(planned)
            assert.deepStrictEqual(sequential, [], JSON.stringify(filters))
            // each of the two is found in an index and read, at most by sender and by receiver
            assert.isAtMost(read, 12, JSON.stringify({ filters, planned }))
          }
          // a page of all transactions, or of those in one state, which are half of them
          for (const filters of [{}, { states: ["fged"] }] satisfies ReadonlyArray<PoolFilters>) {
            for (const order of ["ASC", "DESC"] as const) {
              const { parameters, statement } = listQuery({
                filters,
                fromArrival: null,
                order,
                limit: 20
              })
              const planned = yield* plan({ text: statement, parameters: parameters.map(textOf) })
              const { rows: read, sequential } = costOf(planned)
              assert.deepStrictEqual(sequential, [], JSON.stringify(filters))
              // at most a page of each state, their ends, the rows of the page, and the counts
              assert.isAtMost(read, 4 * (20 + 2) + 20 + 1, JSON.stringify({ filters, planned }))
            }
          }
        }))
      yield* emptyPool(testDatabase.services)
    }))
})
