import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import * as Memory from "../../../adapters/memory/mod.ts"
import type { FiltersOf } from "../../../core/contract/mod.ts"
import {
  type BlockChanges,
  type BlockFeed,
  changedAuctionVariables,
  type SlotView
} from "../../../core/domain/mod.ts"
import { LedgerReader, type PriorLedger, LedgerWriter } from "../../../core/ports/mod.ts"
import { addressOf, emptyBlock, hashOf, newBid } from "../../memory/_chain.ts"
import { Random } from "../../memory/_random.ts"
import { genesis } from "../../use_cases/_network.ts"
import { emptyLedgersOfFile } from "../_empty_ledgers.ts"

const openLedger = emptyLedgersOfFile().open(genesis)

const slots = 16
const bidders = [0x31, 0x32, 0x33, 0x34].map(addressOf)
const forgers = [0x41, 0x42].map(addressOf)

/** Returns a block with bids, each higher than all before it, and at times registrations. */
const randomFeed = (number: bigint, random: Random, areRegistered: boolean): BlockFeed => ({
  number,
  hash: hashOf(Number(number)),
  parentHash: hashOf(Number(number) - 1),
  timestampMs: 1_600_000_000_000,
  coordinators: bidders.filter(() => !areRegistered || random.chance(0.05)).map((bidderAddr) => ({
    bidderAddr,
    forgerAddr: random.of(forgers),
    url: ""
  })),
  bids: Array.from({ length: random.below(3) }, (_, i) => ({
    slotNum: random.below(slots),
    bidderAddr: random.of(bidders),
    bidValue: 3n * (number - genesis.block.number) + BigInt(i)
  }))
})

/** Returns the changes of a block, and at times new default bids around the values of bids. */
const changesOf = (feed: BlockFeed, prior: PriorLedger, random: Random): BlockChanges => ({
  ...emptyBlock(prior),
  coordinators: feed.coordinators!.map((each) => ({ ...each, ethereumBlockNum: feed.number })),
  bids: feed.bids!.map(({ bidValue, bidderAddr, slotNum }) =>
    newBid(slotNum, bidderAddr, bidValue)
  ),
  variables: random.chance(0.6) ? {} : {
    auction: changedAuctionVariables(prior.variables.auction, {
      ...prior.variables.auction,
      ethereumBlockNum: feed.number,
      closedAuctionSlots: random.below(slots),
      bootCoordinatorUrl: `"defaultSlotSetBid":["7"]\u0000`,
      // mostly 0: the first slot of a change is not below that of the change before it
      defaultSlotSetBidSlotNum: random.chance(0.1) ? random.below(slots) : 0,
      defaultSlotSetBid: Array.from({ length: 6 }, () => BigInt(random.below(150)))
    })
  }
})

/** Filters by best bid, and whether a slot has the property. */
const filters: ReadonlyArray<
  readonly [FiltersOf<"slots">, (slot: SlotView) => boolean]
> = [
  ...[...forgers, addressOf(0)].map((forger) =>
    [
      { wonByForger: forger },
      ({ winner }: SlotView) => winner?.forgerAddr === forger
    ] as const
  ),
  ...[...bidders, addressOf(0)].flatMap((bidder) =>
    [
      [{ wonByBidder: bidder }, ({ winner }: SlotView) => winner?.bidderAddr === bidder],
      [{ bestBidder: bidder }, ({ bestBid }: SlotView) => bestBid?.bid.bidderAddr === bidder]
    ] as const
  )
]

/** Returns the slots that a reader lists with a filter, in pages. */
const filtered = (
  reader: LedgerReader["Service"],
  filter: FiltersOf<"slots">,
  order: "ASC" | "DESC"
) =>
  Effect.gen(function*() {
    const found: Array<readonly [slotNum: number, following: number, total: number]> = []
    for (let fromItem: number | undefined;;) {
      const { counts, items } = yield* reader.list("slots", {
        filters: { ...filter, maxSlotNum: slots },
        limit: 3,
        order,
        ...fromItem === undefined ? {} : { fromItem }
      })
      found.push(
        ...items.map(({ slotNum }, i) =>
          [slotNum, counts.pendingItems + items.length - 1 - i, counts.totalItems] as const
        )
      )
      if (counts.pendingItems === 0) break
      fromItem = items.at(-1)!.slotNum + (order === "ASC" ? 1 : -1)
    }
    return found
  })

describe("the slots that a bidder or a forger has won, or that a bidder holds", () => {
  for (const seed of [71, 72, 73]) {
    it.live(`are those that show it as winner or best bidder, the same in memory and in SQL, after every write and rollback (seed ${seed})`, () =>
      Effect.gen(function*() {
        const random = new Random(seed)
        const sql = yield* openLedger
        const memory = yield* Layer.build(Layer.fresh(Memory.layer(genesis)))
        const stores = [
          { reader: sql.reader, writer: sql.writer },
          { reader: Context.get(memory, LedgerReader), writer: Context.get(memory, LedgerWriter) }
        ]
        let last = genesis.block.number
        let pagesMax = 0
        for (let step = 0; step < 60; step++) {
          const back = random.chance(0.2) ? BigInt(random.below(5)) : null
          const to = back === null || last - back < genesis.block.number ? last : last - back
          const seedOfBlock = random.below(1_000_000)
          const shownBy: Array<unknown> = []
          for (const { reader, writer } of stores) {
            if (back !== null) yield* writer.rollBack(to, () => Result.void)
            else {
              const feed = randomFeed(
                last + 1n,
                new Random(seedOfBlock),
                last > genesis.block.number
              )
              yield* writer.apply(feed, (prior) =>
                Result.succeed({
                  kind: "store" as const,
                  changes: changesOf(feed, prior, new Random(seedOfBlock))
                }))
            }
            const order = step % 2 === 0 ? "ASC" : "DESC"
            const { items } = yield* reader.list("slots", {
              filters: { maxSlotNum: slots },
              limit: 100,
              order
            })
            for (const [filter, hasProperty] of filters) {
              const found = yield* filtered(reader, filter, order)
              const shown = items.filter(hasProperty)
              assert.deepStrictEqual(
                found,
                shown.map(({ slotNum }, i) =>
                  [slotNum, shown.length - 1 - i, shown.length] as const
                ),
                `after step ${step}, with ${JSON.stringify(filter)}`
              )
              pagesMax = Math.max(pagesMax, Math.ceil(found.length / 3))
            }
            shownBy.push(items)
          }
          assert.deepStrictEqual(shownBy[0], shownBy[1], `after step ${step}`)
          last = back === null ? last + 1n : to
        }
        assert.isAbove(pagesMax, 1)
        const won = yield* sql.database.writes.unsafe(
          "SELECT 1 FROM open_item WHERE substring(key FROM 1 FOR 2) = '\\x5377' LIMIT 1"
        )
        assert.isNotEmpty(won)
      }).pipe(Effect.scoped))
  }
})
