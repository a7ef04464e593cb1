import { assert, describe, it } from "@effect/vitest"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { skipStored } from "../../app/sources/resumed_feed.ts"
import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import { strippedBlock } from "../derived/_stripped.ts"

const simulation = simulate({ seed: "stripped", placeholderRoots: true, rollBackPeriodBlocks: 7 })
const { genesis } = simulation
const records = [...initialHistory(simulation, 1500)]
const stripped = records.map((record): FeedRecord =>
  record.kind === "block" ? { kind: "block", block: strippedBlock(record.block) } : record
)

async function* feed(): AsyncGenerator<FeedRecord, void> {
  yield* stripped
}

/** The lines that a journal has stored: they hold what the ledger derived. */
const storedLines = (count: number): Iterator<string> =>
  [{ kind: "genesis", genesis } as const, ...records.slice(0, count)].map(writeFeedLine)[
    Symbol.iterator
  ]()

describe("a feed without derived values", () => {
  it("continues after the last stored record, and applies no price and no rollback again", async () => {
    assert.sameMembers([...new Set(records.map(({ kind }) => kind))], [
      "block",
      "prices",
      "rollBack"
    ])
    for (let count = 0; count <= records.length; count++) {
      const yielded: Array<FeedRecord> = []
      for await (const record of skipStored(feed(), storedLines(count))) yielded.push(record)
      assert.deepStrictEqual(yielded, stripped.slice(count), `after ${count}`)
    }
  })
})
