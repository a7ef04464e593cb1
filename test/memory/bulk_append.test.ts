import { assert, describe, it } from "@effect/vitest"
import { splitThreshold } from "../../adapters/memory/filter_index/index_keys.ts"
import { Table } from "../../adapters/memory/filter_index/table.ts"
import { colours, indexKeyOf, indexKeys, randomRow } from "./_indexed_rows.ts"
import { Random } from "./_random.ts"
import { rounds } from "../rounds.ts"

describe("an index of postponed rows", () => {
  for (const seed of rounds({ short: [21], long: [21, 22, 23] })) {
    it(`equals one that was built row by row, whatever rows are removed in between (seed ${seed})`, () => {
      const random = new Random(seed)
      const [bulk, single] = [new Table(indexKeys), new Table(indexKeys)]
      let itemId = 1
      for (let round = 0; round < 12; round++) {
        bulk.postponeIndexing()
        for (let step = 0; step < 4; step++) {
          for (let count = random.below(3 * splitThreshold); count > 0; count--) {
            const row = randomRow(itemId++, random)
            bulk.append(row)
            single.append(row)
          }
          if (random.chance(0.4)) {
            const length = Math.max(0, single.length - random.below(2 * splitThreshold))
            // a split list stays split, so both tables have to split it
            for (const _ of bulk.indexPostponed()) continue
            bulk.truncate(length)
            single.truncate(length)
            bulk.postponeIndexing()
          } else if (random.chance(0.5)) {
            const length = Math.max(0, single.length - random.below(20))
            for (const table of [bulk, single]) table.truncate(length)
          }
        }
        if (random.chance(0.5)) { for (const _ of bulk.indexPostponed()) continue }
        for (const indexKey of Object.values(indexKeyOf)) {
          for (const key of [0, 1, 2, 3, 4, ...colours, true]) {
            assert.deepStrictEqual(
              bulk.index.positionsOf(indexKey, key),
              single.index.positionsOf(indexKey, key)
            )
          }
        }
      }
    })
  }
})
