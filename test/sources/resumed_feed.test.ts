/* Feeds that are followed again after a restart. */
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
import { strippedBlock } from "../derived/_stripped.ts"
import { withGaps } from "../laws/mod.ts"
import { withHeads } from "../properties/_heads.ts"

const networkOf = (seed: string, transactions: number) => {
  const simulation = simulate({ seed, placeholderRoots: true, rollBackPeriodBlocks: 7 })
  return { ...simulation, records: [...initialHistory(simulation, transactions)] }
}

const { genesis, records: blocksAndPrices } = networkOf("heads", 200)
const records = [...withHeads(blocksAndPrices)]
const gapped = withGaps(genesis, blocksAndPrices, "heads")
const whole = networkOf("stripped", 400)
const stripped = whole.records.map((record): FeedRecord =>
  record.kind === "block" ? { kind: "block", block: strippedBlock(record.block) } : record
)

async function* feed(all: ReadonlyArray<FeedRecord>): AsyncGenerator<FeedRecord, void> {
  yield* all
}

/** The lines that a journal has stored of some records: no heads. */
const storedLines = (all: ReadonlyArray<FeedRecord>): Iterator<string> =>
  [{ kind: "genesis", genesis } as const, ...all].filter(({ kind }) => kind !== "head")
    .map(lineOf)[Symbol.iterator]()

const lines = new Map<object, string>()
/** Returns the line of a record or the genesis, which is written once. */
const lineOf = (record: Parameters<typeof writeFeedLine>[0]): string => {
  const line = lines.get(record) ?? writeFeedLine(record)
  lines.set(record, line)
  return line
}

/** A head just before the place where a feed continues is applied again: it has no record. */
const startAfter = (stored: ReadonlyArray<FeedRecord>): number =>
  stored.findLastIndex(({ kind }) => kind !== "head") + 1

describe("a feed", () => {
  for (
    const [name, sent, stored, kinds] of [
      ["with heads", records, records, ["block", "prices", "rollBack", "head"]],
      ["without empty blocks", gapped, gapped, ["block", "prices", "rollBack"]],
      // the stored lines hold what the ledger derived
      ["without derived values", stripped, whole.records, ["block", "prices", "rollBack"]]
    ] as const
  ) {
    it(`${name} continues after the last stored record, wherever that is, and repeats no price and no rollback`, async () => {
      assert.sameMembers([...new Set(sent.map(({ kind }) => kind))], [...kinds])
      for (let count = 0; count <= sent.length; count++) {
        const lines = storedLines(stored.slice(0, count))
        const yielded: Array<FeedRecord> = []
        for await (const record of skipStored(feed(sent), lines)) yielded.push(record)
        const expected = sent.slice(startAfter(stored.slice(0, count)))
        assert.deepStrictEqual(yielded, expected, `after ${count}`)
      }
    })
  }

  it.effect("with heads is followed from any last block of the ledger to its last head", () =>
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
        yield* followFeed(feed(some), { genesis: genesis.block, last })
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
