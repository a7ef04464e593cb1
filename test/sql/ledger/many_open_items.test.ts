/*
 * Pages and counts of exits that can be withdrawn and of slots by their best bid, in lists that are
 * longer than one bucket of counts. To replay the queries:
 *
 *     SEED=123 npm test -- test/sql/ledger/many_open_items.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import type { ListQuery } from "../../../core/contract/mod.ts"
import type { BlockFeed, FeedRecord } from "../../../core/domain/mod.ts"
import { SeededRandom } from "../../laws/_seeded_random.ts"
import { withItemIds } from "../../laws/_reading.ts"
import { naivePage, replay } from "../../laws/naive/mod.ts"
import { ann, batchOf, blockOf, bob, exitOf, l1Of, l2Of } from "../../use_cases/_chain.ts"
import { addressOf, genesis } from "../../use_cases/_network.ts"
import { replayOf } from "../../rounds.ts"
import { emptyLedgers } from "../_empty_ledgers.ts"

const seed = process.env.SEED ?? "1"

const accounts = Array.from({ length: 120 }, (_, i) => 256 + i)
const bidders = [ann.address, bob.address]

/** The last numbers of buckets of 512 and of 262,144. */
const bounds = [511, 262_143, 262_655, 524_287]
/** The first slots, and those around the bounds. */
const slots = [
  ...Array.from({ length: 540 }, (_, i) => i),
  ...bounds.slice(1).flatMap((bound) => Array.from({ length: 40 }, (_, i) => bound - 20 + i))
]

const bidsOf = (bidderAddr: string, bidValue: bigint, of: ReadonlyArray<number>) =>
  of.map((slotNum) => ({ slotNum, bidderAddr, bidValue }))

const exitsOfBatch = (batchNum: number) =>
  batchOf(batchNum, {
    exitRoot: 55n,
    l2: accounts.map((index) => l2Of(index, 1, { amount: 1n, nonce: BigInt(batchNum - 2) })),
    exits: accounts.map((index) => exitOf(55n, index, 1n))
  })

/** 720 exits, and bids of two bidders, of which one outbids the other in every third slot. */
const blocks: ReadonlyArray<BlockFeed> = [
  blockOf(101n, {
    coordinators: bidders.map((bidderAddr) => ({
      bidderAddr,
      forgerAddr: addressOf(bidderAddr.slice(-1)),
      url: ""
    })),
    // in every seventh slot below the minimum of one unit, in the next one the minimum
    bids: slots.flatMap((slotNum, i) =>
      bidsOf(ann.address, i % 7 < 2 ? BigInt(i % 7) : 5n, [slotNum])
    ),
    l1UserTransactions: accounts.map((_, position) => {
      const { address, key } = position % 2 === 0 ? ann : bob
      return l1Of(0, position, {
        fromAddress: address,
        fromPublicKey: key,
        fromAccountIndex: 0,
        depositAmount: 1000n
      })
    })
  }),
  blockOf(102n, {
    batches: [batchOf(1, {
      forgeL1TransactionsNum: 0,
      l1UserEffects: accounts.map(() => ({ effectiveDepositAmount: 1000n, effectiveAmount: 0n }))
    })]
  }),
  blockOf(103n, { batches: [2, 3, 4, 5, 6, 7].map(exitsOfBatch) }),
  blockOf(104n, {
    bids: bidsOf(bob.address, 9n, slots.filter((_, i) => i % 3 === 0)),
    withdrawals: [2, 3, 4, 5, 6, 7].flatMap((batchNum) =>
      accounts.filter((index) => (index + batchNum) % 5 < 2).map((accountIndex) => ({
        batchNum,
        accountIndex,
        instant: accountIndex % 2 === 0
      }))
    )
  }),
  blockOf(105n, { delayedWithdrawals: [{ owner: bob.address, tokenId: 0 }] }),
  // all slots are closed
  blockOf(6_000_000n, { previous: { number: 105n, hash: blockOf(105n).hash } })
]
const record = (block: BlockFeed): FeedRecord => ({ kind: "block", block })
const records: ReadonlyArray<FeedRecord> = [
  ...blocks.map(record),
  // withdrawn exits and outbid slots are open again
  { kind: "rollBack", toBlock: 103n },
  record(blocks[3]!),
  record(blockOf(6_000_000n, { previous: { number: 104n, hash: blockOf(104n).hash } }))
]

/** Returns random queries of open items, with positions and bounds around those of buckets. */
const queriesOf = (random: SeededRandom) => {
  const near = () => Math.max(0, random.of(bounds) - 3 + random.below(7))
  const page = () => ({
    limit: random.of([1, 7, 600, 2049]),
    order: random.of(["ASC", "DESC"] as const),
    ...random.chance(0.7) ? { fromItem: random.of([near(), random.below(800)]) } : {}
  })
  const exits = (): ListQuery<"exits"> => ({
    filters: {
      onlyPendingWithdraws: true,
      ...random.of([
        {},
        { tokenId: 0 },
        { address: random.of(bidders) },
        { address: ann.address, tokenId: 0 },
        { accountIndex: random.of(accounts) },
        { batchNum: 2 + random.below(6) }
      ])
    },
    ...page()
  })
  const ofSlots = (): ListQuery<"slots"> => {
    const [least = 0, greatest = 0] = [near(), near()].sort((a, b) => a - b)
    return {
      filters: {
        ...random.of([
          { bestBidder: random.of(bidders) },
          { wonByBidder: random.of(bidders) },
          { wonByForger: addressOf(random.of(["a", "b"])) }
        ]),
        ...random.of([{}, { maxSlotNum: 600_000 }, { minSlotNum: least }, {
          minSlotNum: least,
          maxSlotNum: greatest
        }])
      },
      ...page()
    }
  }
  return Array.from({ length: 25 }, () => [["exits", exits()], ["slots", ofSlots()]] as const)
    .flat() as ReadonlyArray<readonly ["exits" | "slots", ListQuery<"exits" | "slots">]>
}

describe("open items beyond one bucket of counts", () => {
  it.live(`are listed and counted as the naive model says, also after a rollback (${replayOf(seed, "test/sql/ledger/many_open_items.test.ts")})`, () =>
    Effect.scoped(
      Effect.gen(function*() {
        const { ledger, reader } = yield* (yield* emptyLedgers)(genesis, {})
        const random = new SeededRandom(seed)
        const longest = { exits: 0, slots: 0 }
        for (const [at, record] of records.entries()) {
          yield* ledger.applyRecord(record)
          if (![2, 5, 6, 8].includes(at)) continue
          const facts = yield* withItemIds(
            reader,
            replay(genesis, records.slice(0, at + 1), keccak256)
          )
          for (const [list, query] of queriesOf(random)) {
            const { counts, items } = yield* reader.list(list, query)
            const expected = naivePage(facts, list, query)
            const text = `${list} ${JSON.stringify(query)} after record ${at}`
            assert.deepStrictEqual(counts, expected.counts, text)
            assert.deepStrictEqual(items, expected.items, text)
            longest[list] = Math.max(longest[list], counts.totalItems)
          }
        }
        assert.isAbove(Math.min(longest.exits, longest.slots), 512)
      }).pipe(Effect.orDie)
    ))
})
