import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type GenesisFeed, slotNumMax, values } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { genesis, memoryLedger } from "./_network.ts"

const { auction } = genesis.constants
const state = Effect.flatMap(
  LedgerReader,
  (reader) => Effect.map(reader.state, (found) => found.state)
)

/**
 * Opened in the last slot but one, with the longest slots and the longest look ahead, at the last
 * moment.
 */
const last: GenesisFeed = {
  ...genesis,
  block: {
    ...genesis.block,
    number: 100n + 65535n * BigInt(slotNumMax - 1),
    timestampMs: values.timeMsMax
  },
  constants: { ...genesis.constants, auction: { ...auction, blocksPerSlot: 65535 } },
  variables: {
    ...genesis.variables,
    auction: { ...genesis.variables.auction, closedAuctionSlots: 65535, openAuctionSlots: 65535 }
  }
}
const yearOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 5)

describe("a ledger at the limits of its numbers", () => {
  it.effect("no slot above the greatest number is shown", () =>
    Effect.gen(function*() {
      const { currentSlot, nextForgers } = yield* state
      assert.strictEqual(currentSlot, slotNumMax - 1)
      assert.deepStrictEqual(nextForgers.map(({ period }) => period.slotNum), [
        slotNumMax - 1,
        slotNumMax
      ])
      const reader = yield* LedgerReader
      const { items } = yield* reader.list("slots", { order: "DESC", limit: 1, filters: {} })
      assert.deepStrictEqual(items.map(({ slotNum }) => slotNum), [slotNumMax])
    }).pipe(Effect.provide(memoryLedger(last))))

  it.effect("the longest look ahead from the last moment ends before the year 10000", () => {
    const opened = { ...last, block: { ...last.block, number: 100n } }
    return Effect.gen(function*() {
      const { nextForgers } = yield* state
      assert.strictEqual(nextForgers.length, 1025)
      assert.strictEqual(yearOf(nextForgers.at(-1)!.period.toTimestampMs), "9031-")
    }).pipe(Effect.provide(memoryLedger(opened)))
  })

  it.effect("an auction that begins after the year 9999 is estimated for its end", () => {
    const opened = {
      ...genesis,
      constants: { ...genesis.constants, auction: { ...auction, genesisBlockNum: 1n << 63n } }
    }
    return Effect.gen(function*() {
      const { nextForgers } = yield* state
      assert.strictEqual(yearOf(nextForgers[0]!.period.fromTimestampMs), "9999-")
    }).pipe(Effect.provide(memoryLedger(opened)))
  })
})
