/*
 * A feed that leaves out its empty blocks gives the same answers as the feed with them. To replay
 * one network:
 *
 *     SEED=123 npm test -- test/properties/gaps.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rememberedKeccak256 as keccak256 } from "../crypto/remembered.ts"
import { readEverything } from "../laws/ledger/_every_answer.ts"
import { applyAll, replay, withEmptyBlocks } from "../laws/mod.ts"
import { gappedNetworkOf, memoryLedger, optionsOf, seeds, titled } from "./_networks.ts"

/** Records between two comparisons. */
const stride = 7

for (const seed of seeds) {
  describe(titled(seed, "test/properties/gaps.test.ts"), () => {
    const { genesis, records } = gappedNetworkOf(optionsOf(seed), 900)

    it.effect("every answer over a feed is the same with its empty blocks and without them, whenever both have the same last block", () =>
      Effect.scoped(Effect.gen(function*() {
        const [sparse, dense] = [yield* memoryLedger(genesis), yield* memoryLedger(genesis)]
        const all = withEmptyBlocks(genesis, records)
        let [compared, inGap] = [0, 0]
        for (const [at, record] of records.entries()) {
          yield* applyAll(sparse.ledger, [record])
          yield* applyAll(dense.ledger, all[at]!)
          const [{ ethereumBlockNum: last }, { ethereumBlockNum: denseLast }] = [
            yield* sparse.reader.snapshotId,
            yield* dense.reader.snapshotId
          ]
          if (last !== denseLast) {
            // only a rollback into a gap leaves another last block, until the next block
            assert.isTrue(record.kind === "rollBack" || record.kind === "prices")
            assert.isBelow(Number(last), Number(denseLast))
            inGap++
            continue
          }
          if (at % stride !== 0 && record.kind !== "rollBack" && at < records.length - 1) continue
          const facts = replay(genesis, records.slice(0, at + 1), keccak256)
          assert.deepStrictEqual(
            yield* readEverything(sparse.reader, facts),
            yield* readEverything(dense.reader, facts),
            `After record ${at}`
          )
          compared++
        }
        assert.isAbove(all.flat().length, records.length * 1.3)
        assert.isAbove(compared, 10)
        assert.isAbove(inGap, 0)
      })))

    it("the feeds of these tests leave out blocks, and roll back into gaps and to their ends", () => {
      const blocks = records.flatMap((record) => record.kind === "block" ? [record.block] : [])
      const numbers = new Set(blocks.map(({ number }) => number))
      const targets = records.flatMap((record) =>
        record.kind === "rollBack" ? [record.toBlock] : []
      )
      assert.isAbove(blocks.filter(({ previous }) => previous !== undefined).length, 10)
      assert.isTrue(targets.some((number) => numbers.has(number)))
      assert.isTrue(targets.some((number) => !numbers.has(number)))
    })
  })
}
