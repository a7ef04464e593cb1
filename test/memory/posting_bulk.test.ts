import { assert, describe, it } from "@effect/vitest"
import { splitThreshold } from "../../adapters/memory/_heavy.ts"
import { Table } from "../../adapters/memory/filter_index/table.ts"
import { colours, facets, randomRow } from "./_posting_rows.ts"
import { Random } from "./_random.ts"

describe("an index that is filled in bulk", () => {
  for (const seed of [21, 22, 23]) {
    it(`is the one that filing row by row makes, whatever is taken back in between (seed ${seed})`, () => {
      const random = new Random(seed)
      const [bulk, single] = [new Table(facets), new Table(facets)]
      let itemId = 1
      for (let round = 0; round < 12; round++) {
        bulk.postpone()
        for (let step = 0; step < 4; step++) {
          for (let count = random.below(3 * splitThreshold); count > 0; count--) {
            const row = randomRow(itemId++, random)
            bulk.append(row)
            single.append(row)
          }
          if (random.chance(0.4)) {
            const left = Math.max(0, single.length - random.below(2 * splitThreshold))
            // a divided list stays divided, so what divides it in one table has to in the other
            for (const _ of bulk.fileAll()) continue
            bulk.truncate(left)
            single.truncate(left)
            bulk.postpone()
          } else if (random.chance(0.5)) {
            const left = Math.max(0, single.length - random.below(20))
            for (const table of [bulk, single]) table.truncate(left)
          }
        }
        if (random.chance(0.5)) { for (const _ of bulk.fileAll()) continue }
        for (const place of [0, 1, 2, 3]) {
          for (const each of [0, 1, 2, 3, 4, ...colours, true]) {
            assert.deepStrictEqual(
              bulk.index.positions(place, each),
              single.index.positions(place, each)
            )
          }
        }
      }
    })
  }
})
