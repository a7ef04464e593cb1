import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  closeStatement,
  openLevels,
  openSlotKey,
  openStatement,
  slotKey
} from "../../../adapters/sql/postings/open_items.ts"
import { bigintArray } from "../../../adapters/sql/connection/parameters.ts"
import { SeededRandom } from "../../laws/_seeded_random.ts"
import { writerDatabase } from "../_writer_database.ts"

/*
 * Compares open items with a naive model. To replay:
 *
 *     SEED=123 npm test -- test/sql/ledger/open_items.test.ts
 */

const seed = process.env.SEED ?? "1"

const slots = `SELECT ${
  slotKey("r.bidder")
} AS key, r.slot AS item FROM unnest($1::bytea[], $2::bigint[]) AS r (bidder, slot)`

/** Returns the expected counts of each bucket, from the items alone. */
const expectedCounts = (open: Iterable<readonly [key: string, item: number]>) => {
  const counts = new Map<string, number>()
  for (const [key, item] of open) {
    for (const { bits, level } of openLevels) {
      const range = `${key} ${level} ${Math.floor(item / 2 ** bits)}`
      counts.set(range, (counts.get(range) ?? 0) + 1)
    }
  }
  return [...counts].map(([range, items]) => `${range} ${items}`).sort()
}

describe(`open items (replay: SEED=${seed} npm test -- test/sql/ledger/open_items.test.ts)`, () => {
  it.live("are counted exactly if they are opened and closed, twice or not at all", () =>
    Effect.scoped(
      Effect.gen(function*() {
        const { sql } = yield* writerDatabase
        const random = new SeededRandom(seed)
        const bidders = [1, 2, 3].map((number) => Buffer.alloc(20, number))
        const open = new Map<string, readonly [key: string, item: number]>()
        // around the bounds of buckets, and the greatest slot
        const anItem = () =>
          random.of([
            random.below(2000),
            262_144 - 3 + random.below(6),
            262_144 * random.below(4) + random.below(600),
            4_294_967_295 - random.below(2)
          ])
        for (let step = 0; step < 60; step++) {
          const chosen = new Map<string, readonly [bidder: Buffer, item: number]>()
          const opens = random.chance(0.55)
          const known = [...open.values()]
          for (let i = random.below(random.chance(0.3) ? 400 : 10); i >= 0; i--) {
            const [key, item] = !opens && known.length > 0 && random.chance(0.9)
              ? random.of(known)
              : [openSlotKey(random.of(bidders)).toString(), anItem()]
            const bidder = bidders.find((each) => openSlotKey(each).toString() === key)!
            chosen.set(`${key} ${item}`, [bidder, item])
          }
          const pairs = [...chosen.values()]
          yield* sql.unsafe(opens ? openStatement(slots) : closeStatement(slots), [
            pairs.map(([bidder]) => bidder),
            bigintArray(pairs.map(([, item]) => item))
          ])
          for (const [name, [bidder, item]] of chosen) {
            if (opens) open.set(name, [openSlotKey(bidder).toString(), item])
            else open.delete(name)
          }
          const items = yield* sql.unsafe<{ readonly key: Uint8Array; readonly item: bigint }>(
            "SELECT key, item FROM open_item"
          )
          assert.deepStrictEqual(
            items.map(({ item, key }) => `${Buffer.from(key)} ${item}`).sort(),
            [...open.keys()].sort(),
            `the items after step ${step}`
          )
          const counts = yield* sql.unsafe<
            {
              readonly key: Uint8Array
              readonly level: number
              readonly bucket: bigint
              readonly items: bigint
            }
          >("SELECT * FROM open_count")
          const found = counts.map(({ bucket, items, key, level }) =>
            `${Buffer.from(key)} ${level} ${bucket} ${items}`
          ).sort()
          assert.deepStrictEqual(
            found,
            expectedCounts(open.values()),
            `the counts after step ${step}`
          )
        }
      }).pipe(Effect.orDie)
    ))
})
