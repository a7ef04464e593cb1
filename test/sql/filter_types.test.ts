import { assert, describe, it } from "@effect/vitest"
import type { FilterIndexes, UncombinedFacet } from "../../adapters/sql/postings/posting_lists.ts"
import { lookUpKeys } from "../../adapters/sql/reads/_facet_selection.ts"

/* The compiler reports a filter that SQL would ignore: `npx tsc` is the test. */

describe("the filters of SQL", () => {
  it("each have an entry, reach a plan, and combine with all filters they do not exclude", () => {
    const batches: FilterIndexes<"batches"> = {
      minBatchNum: "itemRange",
      maxBatchNum: "itemRange",
      slotNum: "itemRange",
      forgerAddr: "itemRange"
    }
    // @ts-expect-error `forgerAddr` is declared, and has no entry here
    const incomplete: FilterIndexes<"batches"> = {
      minBatchNum: "itemRange",
      maxBatchNum: "itemRange",
      slotNum: "itemRange"
    }
    assert.containsAllKeys(batches, incomplete)

    const filters = { slotNum: 1, minBatchNum: 2 }
    // @ts-expect-error `minBatchNum` is not a facet: `lookUpKeys` would ignore it
    assert.isEmpty(lookUpKeys("batches", filters).parentKeys)

    const uncombined: ReadonlyArray<UncombinedFacet> = []
    // does not compile if two facets of a list neither exclude each other nor combine
    const none: ReadonlyArray<never> = uncombined
    assert.isEmpty(none)
  })
})
