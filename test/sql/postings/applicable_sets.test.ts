import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result, Scope } from "effect"
import { afterAll } from "vitest"
import {
  type AuctionVariables,
  type BlockFeed,
  changedAuctionVariables,
  genesisVariables
} from "../../../core/domain/mod.ts"
import { minimumBids } from "../../laws/naive/_naive_auction.ts"
import { addressOf, emptyBlock, hashOf } from "../../memory/_chain.ts"
import { Random } from "../../memory/_random.ts"
import { genesis } from "../../use_cases/_network.ts"
import { emptyLedgers } from "../_empty_ledgers.ts"

const scope = Effect.runSync(Scope.make())
const openEmptyLedger = Effect.runSync(Effect.cached(Scope.provide(emptyLedgers, scope)))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const slots = 32
const bidValue = 500n
const bytesOf = (address: string): Buffer => Buffer.from(address.slice(2), "hex")

describe("the minimum bid of a slot", () => {
  for (const seed of [61, 62]) {
    it.live(`is the one from before the first change that found the slot closed, for changes that are added and rolled back in any order (seed ${seed})`, () =>
      Effect.gen(function*() {
        const random = new Random(seed)
        const { database: { writes }, reader, writer } = yield* (yield* openEmptyLedger)(genesis)
        yield* writes.unsafe(
          "INSERT INTO coordinator (item_id, bidder_addr, forger_addr, url, ethereum_block_num) VALUES (1, $1, $1, '', 100)",
          [bytesOf(addressOf(7))]
        )
        yield* writes.unsafe(
          "INSERT INTO registration (bidder_addr, forger_addr, item_id) VALUES ($1, $1, 1)",
          [bytesOf(addressOf(7))]
        )
        yield* writes.unsafe(
          "INSERT INTO bid (item_id, slot_num, bidder_addr, withdraw_addr, bid_value, ethereum_block_num, timestamp_ms) SELECT s + 1, s, $1, $1, $2::numeric, 100, 1 FROM generate_series(0, $3::bigint) AS s",
          [bytesOf(addressOf(7)), String(bidValue), String(slots - 1)]
        )
        /** By block, the oldest first. */
        const sets: Array<readonly [bigint, AuctionVariables]> = [
          [genesis.block.number, genesisVariables(genesis).auction]
        ]
        let last = genesis.block.number
        for (let step = 0; step < 60; step++) {
          if (random.chance(0.3)) {
            const to = last - BigInt(random.below(4))
            last = to < genesis.block.number ? genesis.block.number : to
            yield* writer.rollBack(last, () => Result.void)
            while (sets.at(-1)![0] > last) sets.pop()
          } else {
            const auction = random.chance(0.8) ?
              changedAuctionVariables(sets.at(-1)![1], {
                ...genesis.variables.auction,
                closedAuctionSlots: slots,
                defaultSlotSetBidSlotNum: random.below(slots + 4),
                ethereumBlockNum: last + 1n,
                defaultSlotSetBid: Array.from(
                  { length: 6 },
                  () => random.chance(0.5) ? 0n : 2n * bidValue
                )
              }) :
              null
            last += 1n
            if (auction !== null) sets.push([last, auction])
            yield* writer.apply(
              feedOf(last),
              (view) =>
                Result.succeed({
                  kind: "store" as const,
                  changes: { ...emptyBlock(view), variables: auction === null ? {} : { auction } }
                })
            )
          }
          const { items } = yield* reader.list("slots", { filters: {}, limit: slots })
          const newestFirst = sets.map(([, set]) => set).toReversed()
          const expected = items.map(({ bestBid, closedAuction, slotNum }) =>
            closedAuction &&
            bestBid!.bid.bidValue >= minimumBids(newestFirst, slotNum)[slotNum % 6]!
          )
          assert.deepStrictEqual(
            items.map(({ winner }) => winner !== null),
            expected,
            `after step ${step}`
          )
        }
      }).pipe(Effect.scoped))
  }
})

const feedOf = (number: bigint): BlockFeed => ({
  number,
  hash: hashOf(Number(number)),
  parentHash: hashOf(Number(number) - 1),
  timestampMs: 1_600_000_000_000
})
