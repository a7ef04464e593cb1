import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import { lastPlace } from "../../../adapters/sql/connection/answer_statement.ts"
import { cutStatement } from "../../../adapters/sql/postings/postings.ts"
import { lastRows } from "../../../adapters/sql/postings/write_postings.ts"
import { removal } from "../../../adapters/sql/writes/_roll_back.ts"
import { makeLedgerReader } from "../../../adapters/sql/reads/ledger_reader.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import type { ListName } from "../../../core/contract/mod.ts"
import { readEverything, type FilterValues } from "../_filter_combinations.ts"
import { fillLedger, owners, sizes } from "./_large_ledger.ts"
import { rounds } from "../../rounds.ts"
import { emptyLedgers, type SqlLedger } from "../_empty_ledgers.ts"
import { type ExecutedStatement, type Cost, costOf, generic, recording } from "./_plans.ts"

/*
 * Checks what the statements read. The plans are generic, as prepared statements use them, and they
 * are executed: the number of rows that they read counts.
 */

const scope = Effect.runSync(Scope.make())
const { genesis } = simulate({ seed: "plans" })
const address = `0x${owners.heavy}`

/** Values with the most rows. */
const values: { readonly [N in ListName]: FilterValues } = {
  accounts: { address, publicKey: "0".repeat(64), tokenIds: [0, 1] },
  exits: {
    accountIndex: 256,
    address,
    publicKey: "0".repeat(64),
    tokenId: 0,
    batchNum: sizes.batches / 2,
    onlyPendingWithdraws: true
  },
  transactions: {
    accountIndex: 256,
    address,
    publicKey: "0".repeat(64),
    tokenId: 0,
    batchNum: sizes.batches / 2,
    type: "Transfer",
    fromAccountIndex: 256,
    toAccountIndex: 258,
    fromAddress: address,
    toAddress: `0x${owners.light}`,
    // the lists of a key have the same statements as those of an address
    ...rounds({
      short: {},
      long: { fromPublicKey: "0".repeat(64), toPublicKey: owners.light.padStart(64, "0") }
    }),
    includePending: true
  },
  batches: { minBatchNum: 5, maxBatchNum: sizes.batches - 5, slotNum: 50, forgerAddr: address },
  slots: {
    minSlotNum: 1,
    maxSlotNum: sizes.bids,
    wonByBidder: address,
    wonByForger: address,
    bestBidder: address,
    finishedAuction: true
  },
  bids: { slotNum: 100, bidderAddr: address, forgerAddr: address },
  tokens: { ids: [0, 1], symbols: ["ETH"], name: "T", addresses: [address] },
  coordinators: { bidderAddr: address, forgerAddr: address, onlyLatest: false }
}

/** Tables with many rows; all others have few rows in each network. */
const largeTables = new Set([
  "block",
  "batch",
  "account",
  "transaction",
  "queued_transaction",
  "exit",
  "coordinator",
  "registration",
  "bid",
  "posting_full",
  "posting_last",
  "open_item",
  "open_count"
])

/** Items of a page. */
const limit = 20

/**
 * Returns how many rows a statement may read: a page and some probes for each of its lists, ten for
 * a forger with ten bidders, and the open rows of the lists above them. Open items are counted in
 * buckets of 512: each of three ranks reads one bucket of items and one of counts. The queue and its
 * accounts are read twice. From the heavy owner to the light one, the list of the light one is read.
 */
const rowsMaxOf = (text: string): number =>
  10 * (limit + 20) + 3 * 64 + (text.includes("open_item") ? 3 * 2 * 512 : 0) +
  (text.includes("queued_transaction") ? 2 * 3 * sizes.queued : 0) +
  (text.includes("shorter") ? sizes.receivedByLight : 0)

/** Describes the fault of a plan; null if it has none. */
const fault = (text: string, cost: Cost): string | null => {
  const rowsMax = rowsMaxOf(text)
  const walked = cost.sequential.filter((table) => largeTables.has(table))
  if (walked.length > 0) return `reads ${walked.join(" and ")} from one end to the other`
  return cost.rows > rowsMax
    ? `reads ${cost.rows} rows for a page of ${limit}, expected at most ${rowsMax}`
    : null
}

describe("on a ledger with tens of thousands of rows", () => {
  let ledger: SqlLedger
  let statements: ReadonlyArray<ExecutedStatement>

  beforeAll(() =>
    Effect.runPromise(
      Effect.gen(function*() {
        ledger = yield* (yield* emptyLedgers)(genesis)
        yield* fillLedger(ledger.database.writes)
        const { questions, values: asking } = recording(ledger.database.values)
        const position = sizes.bids / 2
        yield* readEverything(
          makeLedgerReader(asking, { genesis }),
          values,
          { limit, position }
        )
        statements = questions
      }).pipe(Scope.provide(scope))
    )
  )
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const faults = (questions: ReadonlyArray<ExecutedStatement>) =>
    generic(ledger.database.writes, (plan) =>
      Effect.gen(function*() {
        const found: Array<string> = []
        for (const question of questions) {
          const wrong = fault(question.text, costOf(yield* plan(question)))
          if (wrong !== null) {
            found.push(`${wrong}: ${JSON.stringify(question.parameters)} in ${question.text}`)
          }
        }
        return found
      }))

  it.effect("no statement reads more than its page needs, with any filters, also without statistics of the tables", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* faults(statements), [])
    }))

  for (
    const [state, statement] of [["after VACUUM, which the server also runs by itself", "VACUUM"], [
      "with statistics",
      "ANALYZE"
    ]] as const
  ) {
    it.effect(`nor ${state}`, () =>
      Effect.gen(function*() {
        yield* ledger.database.migrations.unsafe(statement).unprepared
        assert.deepStrictEqual(yield* faults(statements), [])
      }))
  }

  it.effect("a sender with another receiver and a batch reads the rows of the batch", () =>
    Effect.gen(function*() {
      const isPairInBatch = (text: string) => text.includes("r.item_id >= (SELECT low FROM bounds)")
      const inBatch = statements.filter(({ text }) => isPairInBatch(text))
      assert.isAbove(inBatch.length, 8)
      const rows = yield* generic(
        ledger.database.writes,
        (plan) =>
          Effect.forEach(
            inBatch,
            (each) => Effect.map(plan(each), (executed) => costOf(executed).rows)
          )
      )
      assert.isAtMost(Math.max(...rows), sizes.transactions / sizes.batches + 8)
    }))

  it.effect("a rollback reads no remaining rows, also if few transactions were ever queued", () =>
    Effect.gen(function*() {
      const { migrations: unhurried, writes } = ledger.database
      yield* writes.unsafe("DELETE FROM queued_transaction WHERE queue > 2")
      yield* writes.unsafe(
        `UPDATE transaction SET fee = NULL, nonce = NULL, queue = 1, user_origin = true, deposit_amount = 0, amount_success = true,
        deposit_amount_success = true, ethereum_block_num = 1000000 WHERE item_id % 20 = 0`
      )
      yield* unhurried.unsafe("VACUUM ANALYZE").unprepared
      const [tip] = yield* writes.unsafe<Record<string, string>>(`
SELECT (SELECT max(number)::text FROM block) AS block, (SELECT max(item_id) + 1 FROM exit)::text AS exit,
  greatest((SELECT max(item_id) FROM transaction), (SELECT max(item_id) FROM queued_transaction))::text AS transaction, (SELECT max(batch_num) FROM batch)::text AS batch,
  (SELECT max(account_index) FROM account)::text AS account, (SELECT max(token_id) FROM token)::text AS token`)
      const { account, batch, block, exit, token, transaction } = tip!
      // removes the last transaction
      const parameters = [block!, exit!, transaction!, batch!, account!, token!, "5"]
      const cost = yield* generic(writes, (plan) => plan({ text: removal, parameters })).pipe(
        Effect.map(costOf)
      )
      assert.deepStrictEqual(cost.sequential.filter((table) => largeTables.has(table)), [])
      assert.isBelow(cost.rows, 20)
      const [list] = yield* writes.unsafe<{ readonly key: string; readonly item: string }>(
        "SELECT key::text AS key, first_item::text AS item FROM posting_full WHERE first_ordinal = (SELECT max(first_ordinal) FROM posting_full) LIMIT 1"
      )
      for (
        const statement of [
          { text: lastRows("transactions").statement, parameters: [transaction!, lastPlace, "9"] },
          // the last two rows of a long list
          { text: cutStatement, parameters: [`{"\\${list!.key}"}`, `{${list!.item}}`] }
        ]
      ) {
        const cost = costOf(yield* generic(writes, (plan) => plan(statement)))
        assert.deepStrictEqual(cost.sequential.filter((table) => largeTables.has(table)), [])
        assert.isBelow(cost.rows, 20)
      }
    }))

  it.effect("there are so few statements that a connection keeps all of them prepared", () =>
    Effect.sync(() => {
      const texts = new Set(statements.map(({ text }) => text))
      assert.isAbove(texts.size, 40)
      assert.isBelow(texts.size, 100)
    }))

  it.effect("a scan of a table, of an index and of the rows of a key are detected", () =>
    Effect.gen(function*() {
      const bad = [
        {
          text: "SELECT count(*)::text FROM transaction WHERE amount > $1::numeric",
          parameters: ["5"]
        },
        {
          text:
            "SELECT count(*)::text FROM transaction WHERE item_id > $1::bigint AND item_id < 10000000",
          parameters: ["5"]
        },
        {
          text:
            "SELECT items[1]::text FROM posting WHERE key >= $1::bytea AND key < '\\xff' AND items[1] < 0 LIMIT 1",
          parameters: ["\\x54"]
        },
        {
          text:
            "SELECT item::text FROM open_item WHERE key = $1::bytea ORDER BY item OFFSET $2::bigint LIMIT 20",
          parameters: ["\\x4f2a", "5000"]
        }
      ]
      const found = yield* faults(bad)
      assert.lengthOf(found, bad.length, found.join("\n"))
      assert.match(found[0]!, /^reads transaction from one end to the other/u)
      assert.match(found[3]!, /^reads \d+ rows for a page of 20, expected at most \d+: /u)
    }))
})
