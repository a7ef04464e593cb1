/* Feeds with heads that are followed again after a restart. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { followFeed } from "../../app/sources/follow_feed.ts"
import { skipStored } from "../../app/sources/resumed_feed.ts"
import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { layer } from "../../adapters/memory/mod.ts"
import { withHeads } from "../properties/_heads.ts"

const simulation = simulate({ seed: "heads", placeholderRoots: true, rollBackPeriodBlocks: 7 })
const { genesis } = simulation
const records = [...withHeads(initialHistory(simulation, 200))]
const heads = records.filter(({ kind }) => kind === "head")

async function* feed(all: ReadonlyArray<FeedRecord> = records): AsyncGenerator<FeedRecord, void> {
  yield* all
}

/** The lines that a journal has stored: no heads. */
const storedLines = (count: number): Iterator<string> =>
  [{ kind: "genesis", genesis } as const, ...records.slice(0, count)]
    .filter(({ kind }) => kind !== "head").map(writeFeedLine)[Symbol.iterator]()

describe("a feed with heads", () => {
  it("continues after the last stored record, wherever the heads are", async () => {
    assert.isAbove(heads.length, 5)
    for (let count = 0; count <= records.length; count++) {
      const yielded: Array<FeedRecord> = []
      for await (const record of skipStored(feed(), storedLines(count))) yielded.push(record)
      // a head just before this place is applied again: it has no record
      const start = count -
        records.slice(0, count).reverse().findIndex(({ kind }) => kind !== "head")
      assert.deepStrictEqual(yielded, records.slice(Math.min(start, count)), `after ${count}`)
    }
  })

  it.effect("is followed from any last block of the ledger to its last head", () =>
    Effect.gen(function*() {
      const [ledger, reader] = [yield* Ledger, yield* LedgerReader]
      // without a rollback, so that the last block is the last one of the feed
      const some = records.slice(0, records.findIndex(({ kind }) => kind === "rollBack"))
      const blocks = some.flatMap((record) => record.kind === "block" ? [record.block] : [])
      const head = some.flatMap((record) => record.kind === "head" ? [record.head] : []).at(-1)!
      for (const record of some) yield* ledger.applyRecord(record)
      const { state } = yield* reader.state
      assert.strictEqual(state.lastEthereumBlock, head.chainHead)
      for (const last of blocks) {
        yield* ledger.rollBack(last.number)
        yield* followFeed(feed(some), { last, isEmpty: false })
        assert.deepStrictEqual(
          { ...(yield* reader.state).state, lastBatch: null },
          { ...state, lastBatch: null },
          `after block ${last.number}`
        )
      }
    }).pipe(
      Effect.provide(Layer.provideMerge(Ledger.layer(genesis, keccak256), layer(genesis)))
    ))
})
