/* Heads: how far the ledger is synchronised, and how far the chain is. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { type HeadFeed, slotNumMax } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import {
  type BlockViolation,
  feedPosition,
  type Invariant,
  Ledger
} from "../../core/use_cases/mod.ts"
import { bob, block101, block102, blockOf, headOf } from "../use_cases/_chain.ts"
import { FakeLedger } from "../use_cases/_ledger.ts"
import { hashOf, memoryLedger } from "../use_cases/_network.ts"

const state = Effect.flatMap(
  LedgerReader,
  (reader) => Effect.map(reader.state, (found) => found.state)
)
const shown = Effect.map(
  state,
  ({ currentSlot, lastEthereumBlock, lastSynchedBlock }) => [
    lastSynchedBlock,
    lastEthereumBlock,
    currentSlot
  ]
)

/** Opens a ledger at block 102, in slot 0. */
const opened = Effect.gen(function*() {
  const ledger = yield* Ledger
  for (const block of [block101, block102]) yield* ledger.applyBlock(block)
  return ledger
})

const violationOf = (write: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.flip(write), (failure) => {
    const { expected, invariant, message, pointer } = failure as BlockViolation
    return { expected, invariant, message, pointer }
  })

describe("a head", () => {
  it.effect("above the last block moves what is shown, and a lower one moves it back", () =>
    Effect.gen(function*() {
      const ledger = yield* opened
      assert.deepStrictEqual(yield* shown, [102n, 102n, 0])
      const snapshotId = yield* ledger.setHead(headOf(125n, { chainHead: 140n }))
      assert.deepInclude(snapshotId, { ethereumBlockNum: 102n, headBlockNum: 125n })
      assert.deepStrictEqual(yield* shown, [125n, 140n, 2])
      yield* ledger.setHead(headOf(119n))
      assert.deepStrictEqual(yield* shown, [119n, 122n, 1])
      yield* ledger.setHead(headOf(102n))
      assert.deepStrictEqual(yield* shown, [102n, 105n, 0])
      assert.deepInclude(yield* feedPosition, { head: headOf(102n) })
    }).pipe(Effect.provide(memoryLedger())))

  it.effect("closes and opens auctions, and its time is that of the estimates", () =>
    Effect.gen(function*() {
      const ledger = yield* opened
      yield* ledger.applyBlock(blockOf(103n, {
        coordinators: [{ bidderAddr: bob.address, forgerAddr: bob.address, url: "https://b" }],
        bids: [{ slotNum: 4, bidderAddr: bob.address, bidValue: 10n ** 30n }]
      }))
      const reader = yield* LedgerReader
      const slot = Effect.map(reader.find("slot", 4), ({ item }) => item!)
      assert.deepInclude(yield* slot, { openAuction: true, closedAuction: false, winner: null })
      yield* ledger.setHead(headOf(120n, { timestampMs: 500_000 }))
      assert.deepInclude(yield* slot, { openAuction: false, closedAuction: true })
      assert.strictEqual((yield* slot).winner?.bidderAddr, bob.address)
      const finished = yield* reader.list("slots", { filters: { finishedAuction: true } })
      assert.strictEqual(finished.counts.totalItems, 5)
      const [next] = (yield* state).nextForgers
      assert.deepInclude(next!.period, { slotNum: 2, fromBlock: 120n, fromTimestampMs: 500_000 })
    }).pipe(Effect.provide(memoryLedger())))

  it.effect("that contradicts itself or the last block is refused, and changes nothing", () =>
    Effect.gen(function*() {
      const ledger = yield* opened
      yield* ledger.setHead(headOf(105n))
      const { snapshotId } = yield* (yield* LedgerReader).state
      const greatest = 100n + 10n * (BigInt(slotNumMax) + 1n)
      const wrong: ReadonlyArray<readonly [HeadFeed, Invariant, string]> = [
        [headOf(101n), "head-number", "/head/number"],
        [headOf(102n, { hash: hashOf(7n) }), "block-hash", "/head/hash"],
        [headOf(103n, { timestampMs: 101_999 }), "timestamp", "/head/timestampMs"],
        [headOf(103n, { chainHead: 102n }), "chain-head", "/head/chainHead"],
        [{ ...headOf(103n), number: greatest, chainHead: greatest }, "slot-number", "/head/number"],
        [{ ...headOf(103n), hash: "7" }, "shape", "/head/hash"],
        [{ ...headOf(103n), more: 1 } as HeadFeed, "shape", "/head/more"]
      ]
      for (const [head, invariant, pointer] of wrong) {
        assert.deepInclude(yield* violationOf(ledger.applyRecord({ kind: "head", head })), {
          invariant,
          pointer
        })
      }
      assert.deepStrictEqual((yield* (yield* LedgerReader).state).snapshotId, snapshotId)
      assert.include(
        (yield* violationOf(ledger.setHead(headOf(101n)))).message,
        `Head "101" at /head/number: expected at least 102, the last block of the ledger; roll back to a block that is not above it, or send a newer head`
      )
    }).pipe(Effect.provide(memoryLedger())))

  it.effect("may be the head of the chain, in the last slot, at the time of the last block", () =>
    Effect.gen(function*() {
      const ledger = yield* opened
      const { timestampMs } = block102
      yield* ledger.setHead(headOf(103n, { chainHead: 103n, timestampMs }))
      const previous = { number: block102.number, hash: block102.hash }
      yield* ledger.applyBlock(blockOf(104n, { timestampMs, previous }))
      const greatest = 99n + 10n * (BigInt(slotNumMax) + 1n)
      yield* ledger.setHead({ ...headOf(105n), number: greatest, chainHead: greatest })
      assert.deepStrictEqual(yield* shown, [greatest, greatest, slotNumMax])
    }).pipe(Effect.provide(memoryLedger())))

  it.effect("refuses a block that it states to be empty, until a lower head or a rollback", () =>
    Effect.gen(function*() {
      const ledger = yield* opened
      yield* ledger.setHead(headOf(110n))
      const { expected, invariant, message, pointer } = yield* violationOf(
        ledger.applyBlock(blockOf(103n))
      )
      assert.deepStrictEqual([invariant, pointer], ["block-above-head", "/number"])
      assert.include(expected, "above 110, the head")
      assert.include(message, "roll back to the last block of the ledger, or send a lower head")
      yield* ledger.setHead(headOf(102n))
      yield* ledger.applyBlock(blockOf(103n))
      yield* ledger.setHead(headOf(110n))
      yield* ledger.rollBack(103n)
      yield* ledger.applyBlock(blockOf(104n))
      assert.deepStrictEqual(yield* shown, [104n, 104n, 0])
    }).pipe(Effect.provide(memoryLedger())))

  it("is the parent of the block after it, and not later", () => {
    const ledger = new FakeLedger()
    for (const block of [block101, block102]) ledger.apply(block)
    ledger.head = headOf(110n)
    const refusalOf = (block: ReturnType<typeof blockOf>) => {
      const decision = ledger.decide(block)
      if (Result.isSuccess(decision)) return []
      const { expected, invariant } = decision.failure
      return [invariant, expected]
    }
    assert.deepStrictEqual(refusalOf(blockOf(111n, { parentHash: hashOf(7n) })), [
      "parent-hash",
      `${hashOf(110n)}, the head`
    ])
    assert.deepStrictEqual(refusalOf(blockOf(120n, { timestampMs: 109_999 })), [
      "timestamp",
      "at least 110000, the time of the head"
    ])
    // the numbering of blocks is another rule
    assert.strictEqual(refusalOf(blockOf(111n))[0], "block-number")
  })

  it.effect("stays with a rollback that is not below it, and goes with one below it", () =>
    Effect.gen(function*() {
      const ledger = yield* opened
      yield* ledger.setHead(headOf(102n, { chainHead: 150n }))
      yield* ledger.applyBlock(blockOf(103n))
      yield* ledger.applyBlock(blockOf(104n))
      // the blocks do not repeat what the head states
      assert.deepStrictEqual(yield* shown, [104n, 150n, 0])
      yield* ledger.rollBack(103n)
      assert.deepStrictEqual(yield* shown, [103n, 150n, 0])
      yield* ledger.rollBack(101n)
      assert.deepStrictEqual(yield* shown, [101n, 101n, 0])
      assert.isNull((yield* feedPosition).head)
    }).pipe(Effect.provide(memoryLedger())))

  it.effect("is followed by a block that leaves out the empty blocks, and stays if a rollback keeps it", () =>
    Effect.gen(function*() {
      const ledger = yield* opened
      yield* ledger.setHead(headOf(110n, { chainHead: 130n }))
      const previous = { number: 102n, hash: hashOf(102n) }
      assert.strictEqual(
        (yield* violationOf(ledger.applyBlock(blockOf(110n, { previous })))).invariant,
        "block-above-head"
      )
      yield* ledger.applyBlock(blockOf(111n, { previous }))
      assert.deepStrictEqual(yield* shown, [111n, 130n, 1])
      // the block goes, the head before it stays
      yield* ledger.rollBack(110n)
      assert.deepStrictEqual(yield* shown, [110n, 130n, 1])
      yield* ledger.applyBlock(blockOf(121n, { previous }))
      assert.deepStrictEqual(yield* shown, [121n, 130n, 2])
      yield* ledger.rollBack(109n)
      assert.deepStrictEqual(yield* shown, [102n, 102n, 0])
    }).pipe(Effect.provide(memoryLedger())))

  it.effect("can be rolled back to a block that it states to be empty", () =>
    Effect.gen(function*() {
      const ledger = yield* opened
      yield* ledger.setHead(headOf(110n))
      const report = yield* ledger.rollBack(107n)
      assert.deepInclude(report, { toBlock: 107n, blocks: 0 })
      assert.deepStrictEqual(yield* shown, [102n, 102n, 0])
      assert.deepInclude(yield* ledger.rollBack(107n), { blocks: 0 })
    }).pipe(Effect.provide(memoryLedger())))
})
