import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeLedgerReader } from "../../../adapters/sql/reads/ledger_reader.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import type { ListQuery, PageCounts } from "../../../core/contract/mod.ts"
import { emptyLedgersOfFile } from "../_empty_ledgers.ts"
import { fileRows } from "../_posting_rows.ts"

const { genesis } = simulate({ seed: "reader" })
const openLedger = emptyLedgersOfFile().open(genesis)

/** Sizes around the begin and end of a row of a posting list. */
const sizes = [0, 63, 64, 65, 128, 129]

const address = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`
const bytes = (number: number): Buffer => Buffer.from(address(number).slice(2), "hex")
/** Item ids with gaps, as rollbacks leave them. */
const itemId = (position: number): number => 3 * position + Math.floor(position / 10) + 2

/** Returns the expected page of these item ids. */
const expected = (
  ids: ReadonlyArray<number>,
  { fromItem, limit, order }: {
    readonly fromItem?: number
    readonly limit: number
    readonly order: "ASC" | "DESC"
  }
) => {
  const rest = order === "ASC"
    ? ids.filter((id) => id >= (fromItem ?? 0))
    : ids.filter((id) => id <= (fromItem ?? Infinity)).reverse()
  const counts: PageCounts = {
    pendingItems: Math.max(0, rest.length - limit),
    totalItems: ids.length,
    firstItem: ids[0] ?? null,
    lastItem: ids.at(-1) ?? null
  }
  return { ids: rest.slice(0, limit), counts }
}

/** Returns pages from any position: at items, between them, before the first and after the last. */
const pages = (size: number) => {
  const positions = [
    undefined,
    0,
    ...[0, 62, 63, 64, 127, size - 1].filter((position) => position >= 0 && position < size)
      .flatMap((
        position
      ) => [itemId(position), itemId(position) + 1]),
    4294967295
  ]
  return positions.flatMap((fromItem) =>
    [3, 64, 100, 2049].flatMap((limit) =>
      (["ASC", "DESC"] as const).map((order) => ({
        ...(fromItem === undefined ? {} : { fromItem }),
        limit,
        order
      }))
    )
  )
}

const atOnce = <A, E>(all: ReadonlyArray<A>, each: (one: A) => Effect.Effect<void, E>) =>
  Effect.forEach(all, each, { concurrency: 16, discard: true })

describe.each(sizes)("a list of %i items", (size) => {
  it.live("batches: every page and count within every range of numbers", () =>
    Effect.gen(function*() {
      const ledger = yield* openLedger
      const { writes: sql } = ledger.database
      const rows = Array.from(
        { length: size },
        (_, i) => ({
          id: itemId(i),
          batchNum: i + 1,
          slotNum: i % 50 === 49 ? 4 : 3,
          forger: i % 2
        })
      )
      for (const { batchNum, forger, id, slotNum } of rows) {
        yield* sql.unsafe(
          `INSERT INTO batch (batch_num, item_id, ethereum_block_num, ethereum_block_hash, timestamp_ms, forger_addr, collected_tokens, collected_amounts,
            historic_total_collected_fees_usd, state_root, num_accounts, exit_root, slot_num, transactions_from, transactions_to, exits_from, exits_to,
            total_transactions, total_l2_transactions, total_fee_units, total_accounts, total_public_keys, total_l1_user_transactions, total_l1_wait_ms, changed_accounts, nonces_before, balances_before, nonces, balances)
          SELECT $1, $2, ethereum_block_num, $3, 5, $4, '{}', '{}', 0.1, 1, 0, 2, $5, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, '{}', '{}', '{}', '{}', '{}' FROM ledger`,
          [batchNum, id, Buffer.alloc(32), bytes(forger), slotNum]
        )
      }
      yield* fileRows(sql)
      const bounds = [
        {},
        { minBatchNum: 0 },
        { minBatchNum: 63, maxBatchNum: 129 },
        { minBatchNum: 64 },
        { maxBatchNum: 65 },
        { minBatchNum: 9, maxBatchNum: 9 },
        { minBatchNum: 20, maxBatchNum: 5 },
        { minBatchNum: 4294967295 },
        { maxBatchNum: 0 }
      ]
      for (const filters_ of bounds) {
        for (
          const more of [{}, { forgerAddr: address(1) }, { slotNum: 3, forgerAddr: address(0) }]
        ) {
          const filters: ListQuery<"batches">["filters"] = { ...filters_, ...more }
          const ids = rows.filter(({ batchNum, forger, slotNum }) =>
            batchNum > (filters.minBatchNum ?? 0) && batchNum < (filters.maxBatchNum ?? Infinity)
            && address(forger) === (filters.forgerAddr ?? address(forger)) &&
            slotNum === (filters.slotNum ?? slotNum)
          ).map(({ id }) => id)
          const isBounded = Object.keys(filters_).length > 0
          yield* atOnce(
            pages(size).filter((_, i) => !isBounded || i % 5 === 0),
            (query) =>
              Effect.map(
                ledger.reader.list("batches", { filters, ...query }),
                ({ counts, items }) =>
                  assert.deepStrictEqual(
                    { ids: items.map((batch) => batch.itemId), counts },
                    expected(ids, query),
                    JSON.stringify([filters, query])
                  )
              )
          )
        }
      }
    }).pipe(Effect.scoped))
})

describe("a price that changes between two answers", () => {
  it.live("appears in the next one, and an earlier answer keeps its own", () =>
    Effect.gen(function*() {
      const ledger = yield* openLedger
      const reader = makeLedgerReader(ledger.database.values, { genesis })
      const before = yield* reader.find("token", 0)
      yield* ledger.ledger.setPrices([{ tokenId: 0, priceUSD: 7.25, timeMs: 99 }])
      const after = yield* reader.find("token", 0)
      assert.deepInclude(before.item, { priceUSD: null, priceTimeMs: null })
      assert.deepInclude(after.item, { priceUSD: 7.25, priceTimeMs: 99 })
      assert.strictEqual(after.snapshotId.version, before.snapshotId.version + 1)
      assert.deepStrictEqual(yield* reader.accountsAndTokens({ accounts: [256], tokens: [1, 0] }), {
        accounts: [null],
        tokens: [null, after.item],
        snapshotId: after.snapshotId
      })
    }).pipe(Effect.scoped))
})

describe("the versions that a reader reports", () => {
  it.live("are those of each answer and of each refusal", () =>
    Effect.gen(function*() {
      const ledger = yield* openLedger
      const reported: Array<number> = []
      const reader = makeLedgerReader(
        ledger.database.values,
        { genesis },
        (version) => Effect.sync(() => void reported.push(version))
      )
      const { version } = yield* reader.snapshotId
      yield* ledger.ledger.setPrices([{ tokenId: 0, priceUSD: 7.25, timeMs: 99 }])
      yield* reader.state
      yield* Effect.flip(reader.list("accounts", { filters: { tokenIds: [99] } }))
      yield* ledger.ledger.setPrices([{ tokenId: 0, priceUSD: 7.5, timeMs: 100 }])
      yield* reader.find("token", 0)
      yield* reader.list("slots", { filters: {} })
      assert.deepStrictEqual(
        reported,
        [version, version + 1, version + 1, version + 2, version + 2]
      )
    }).pipe(Effect.scoped))
})
