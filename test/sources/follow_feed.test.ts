import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { followFeed } from "../../app/sources/follow_feed.ts"
import { memoryNode } from "../_memory_node.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import type { FeedRecord } from "../../core/domain/mod.ts"
import { LedgerReader, LedgerWriter, StoreFailure } from "../../core/ports/mod.ts"
import { feedPosition, Ledger } from "../../core/use_cases/mod.ts"
import { withGaps } from "../laws/mod.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import { failingNode, type CallOutcome, realTurn } from "./_failing_node.ts"
import { ledgerContent } from "./_ledger_content.ts"

const networkOf = (rollBackPeriodBlocks: number) =>
  simulate({
    seed: "followed",
    users: 20,
    tokens: 3,
    transactionsPerBlock: 4,
    rollBackPeriodBlocks,
    placeholderRoots: true
  })
const simulation = networkOf(5)
const { genesis } = simulation
const whole: ReadonlyArray<FeedRecord> = [...initialHistory(simulation, 120)]
const feeds = {
  "a feed": whole,
  "a feed that leaves out empty blocks": withGaps(genesis, whole, "followed")
}

async function* arriving(records: ReadonlyArray<FeedRecord>) {
  yield* records
}

/** Runs an effect to its end, through any number of waits. */
const ended = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(16_000)
      yield* realTurn
    }
    return yield* Fiber.join(fiber)
  })

const undisturbed = (feed: ReadonlyArray<FeedRecord>) =>
  Effect.suspend(() => Effect.andThen(followFeed(arriving(feed)), ledgerContent)).pipe(
    Effect.provide(memoryNode({ genesis }))
  )

const writerChanged = new StoreFailure({
  message: "Another process was the writer",
  retry: true,
  writerChanged: true
})

/** After this number of records, another process applies the next ones. */
interface Interruption {
  readonly after: number
  readonly otherRecords: number
}

/**
 * Opens a node whose ledger another process writes too, from the same feed; records which process
 * applied what, in order.
 */
const sharedNode = (
  interruptions: ReadonlyArray<Interruption>,
  othersFeed: ReadonlyArray<FeedRecord>
) => {
  const applied: Array<FeedRecord> = []
  const left = [...interruptions]
  const layer = Layer.effectContext(Effect.map(Layer.build(memoryNode({ genesis })), (node) => {
    const ledger = Context.get(node, Ledger)
    const tell = (record: FeedRecord) =>
      Effect.tap(ledger.applyRecord(record), () => Effect.sync(() => applied.push(record)))
    const applyRecord: Ledger["Service"]["applyRecord"] = (record) =>
      Effect.suspend(() => {
        const [next] = left
        const startIndex = new Set(applied).size
        if (next === undefined || startIndex < next.after) return tell(record)
        left.shift()
        const theirs = othersFeed.slice(startIndex, startIndex + next.otherRecords)
        return Effect.andThen(Effect.forEach(theirs, tell), Effect.fail(writerChanged))
      })
    return Context.make(Ledger, { ...ledger, applyRecord }).pipe(
      Context.add(LedgerReader, Context.get(node, LedgerReader)),
      Context.add(LedgerWriter, Context.get(node, LedgerWriter))
    )
  }))
  return { layer, applied }
}

/** Applies the first records, then follows the feed from there. */
const followAfter = (known: ReadonlyArray<FeedRecord>, feed: ReadonlyArray<FeedRecord>) =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    for (const record of known) yield* ledger.applyRecord(record)
    const { lastBlock: last } = yield* feedPosition
    yield* followFeed(arriving(feed), { genesis: genesis.block, last })
    return yield* ledgerContent
  })

const kindsOf = (records: ReadonlyArray<FeedRecord>) => new Set(records.map(({ kind }) => kind))

for (const [name, feed] of Object.entries(feeds)) {
  describe(`Following ${name}`, () => {
    it.effect("leads to the same ledger if the store fails now and then", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(kindsOf(feed), new Set(["block", "rollBack", "prices"]))
        const expected = yield* undisturbed(feed)
        const random = new SeededRandom("follow")
        let calls = 0
        const outcome = (): CallOutcome => {
          calls++
          return (["lost", "unacknowledged"] as const)[random.below(5)] ?? "answered"
        }
        const left = yield* Effect.andThen(
          ended(followFeed(arriving(feed))),
          Effect.retry(ledgerContent, { times: 50 })
        ).pipe(Effect.provide(failingNode(genesis, outcome)))
        assert.isAbove(calls, feed.length + 10)
        assert.deepStrictEqual(left, expected)
      }))

    it.effect("ends if the failure of the store is permanent", () =>
      Effect.gen(function*() {
        const failure = new StoreFailure({ message: "The disk is full", retry: false })
        let calls = 0
        const layer = Layer.effectContext(
          Effect.map(Layer.build(memoryNode({ genesis })), (node) =>
            Context.add(node, Ledger, {
              ...Context.get(node, Ledger),
              applyRecord: () => Effect.suspend(() => (calls++, Effect.fail(failure)))
            }))
        )
        const ended = yield* Effect.flip(Effect.provide(followFeed(arriving(feed)), layer))
        assert.deepStrictEqual([ended, calls], [failure, 1])
      }))

    it.effect("continues after the records of another process, wherever it stopped", () =>
      Effect.gen(function*() {
        const expected = yield* undisturbed(feed)
        const rollBacks = feed.flatMap(({ kind }, i) => kind === "rollBack" ? [i] : [])
        assert.isAbove(rollBacks.length, 3)
        const random = new SeededRandom("overtaken")
        const drawn = Array.from(
          { length: 12 },
          () =>
            [1, 2].map((part) => ({
              after: part * 20 + random.below(20),
              otherRecords: random.below(12)
            }))
        )
        // the other process ends with the rollback, or with the first block after it
        const around = rollBacks.flatMap((i) =>
          [[i, 1], [i - 1, 2], [i, 2], [i + 1, 1]].map(([after, otherRecords]) => [
            { after: after!, otherRecords: otherRecords! }
          ])
        )
        let toldOnce = 0
        for (const interruptions of [...drawn, ...around]) {
          const { layer, applied } = sharedNode(interruptions, feed)
          const left = yield* Effect.andThen(followFeed(arriving(feed)), ledgerContent).pipe(
            Effect.provide(layer)
          )
          assert.deepStrictEqual(left, expected, JSON.stringify(interruptions))
          // a rollback may lead back to the position of this process: then its records are read again
          assert.deepStrictEqual([...new Set(applied)], feed, JSON.stringify(interruptions))
          if (applied.length === feed.length) toldOnce++
        }
        assert.isAbove(toldOnce, 0.7 * (drawn.length + around.length))
      }))

    it.effect("continues if another process was the writer and wrote nothing, also before its own first record", () =>
      Effect.gen(function*() {
        const expected = yield* undisturbed(feed)
        const rollBack = feed.findIndex(({ kind }) => kind === "rollBack")
        for (const known of [0, 1, 9, rollBack, rollBack + 1]) {
          const { layer, applied } = sharedNode([{ after: known, otherRecords: 0 }, {
            after: known + 1,
            otherRecords: 0
          }], feed)
          const left = yield* Effect.provide(followAfter(feed.slice(0, known), feed), layer)
          assert.deepStrictEqual(left, expected, String(known))
          assert.deepStrictEqual([...new Set(applied)], feed, String(known))
        }
      }))

    it.effect("skips records before the last block, with any beginning of the feed", () =>
      Effect.gen(function*() {
        const prices = feed.find(({ kind }) => kind === "prices")!
        const rollBack = feed.findIndex(({ kind }) => kind === "rollBack")
        const known = feed.slice(0, rollBack + 2)
        const { layer, applied } = sharedNode([], feed)
        yield* Effect.provide(followAfter(known, [prices, ...feed]), layer)
        assert.deepStrictEqual(applied, feed)
      }))

    it.effect("recognizes a skipped block by its hash", () =>
      Effect.gen(function*() {
        // another process applied two forks after the block where this feed begins: this process is
        // at the first one when the ledger is at the second
        const numbers = feed.flatMap((record, i) => record.kind === "rollBack" ? [i] : [])
        const at = numbers[0]!
        const { layer } = sharedNode([{ after: at, otherRecords: numbers[1]! + 2 - at }], feed)
        const left = yield* Effect.provide(followAfter(feed.slice(0, at), feed), layer)
        assert.deepStrictEqual(left, yield* undisturbed(feed))
      }))
  })
}

describe("Following a feed", () => {
  it.effect("ends with a message if the other process applied different records", () =>
    Effect.gen(function*() {
      const straight = networkOf(0)
      assert.deepStrictEqual(straight.genesis, genesis)
      const blocks = [...initialHistory(straight, 250)].slice(0, 13)
      const last = blocks.at(-1) as FeedRecord & { readonly kind: "block" }
      const { layer } = sharedNode([{ after: 4, otherRecords: 9 }], blocks)
      const failure = yield* Effect.flip(
        Effect.provide(followFeed(arriving(blocks.slice(0, 7))), layer)
      )
      assert.strictEqual(
        failure.message,
        `The feed does not contain the last block of the ledger, ${last.block.number} (${last.block.hash}): expected a feed of the same chain that reaches it`
      )
    }))
})
