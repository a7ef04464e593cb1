import { assert, describe, it } from "@effect/vitest"
import type {
  FilterIndexes,
  UncombinedIndexKey
} from "../../adapters/sql/postings/posting_lists.ts"
import { lookUpKeys } from "../../adapters/sql/reads/_index_key_selection.ts"

/* The compiler reports a filter that SQL would ignore: `npx tsc` is the test. */

describe("the filters of SQL", () => {
  it("are listed in combined keys only if a row has one value of them, never null", () => {
    const indexKey = { letter: "f", columns: ["r.sent"] } as const
    const pair = { letter: "f", columns: ["r.sent", "r.received"] } as const
    const combined: Partial<FilterIndexes<"transactions">> = {
      tokenId: { ...indexKey, combinableFilters: ["type"] },
      // @ts-expect-error a queued transaction has no batch
      type: { ...indexKey, combinableFilters: ["batchNum"] },
      // @ts-expect-error a deposit that creates an account has no sender yet
      address: { ...pair, combinableFilters: ["fromAddress"] },
      // @ts-expect-error a transaction has a sender and a receiver
      publicKey: { ...pair, combinableFilters: ["accountIndex"] },
      // @ts-expect-error it compares two values, and here is the column of one
      accountIndex: { ...indexKey, combinableFilters: ["type"] }
    }
    assert.containsAllKeys(combined, ["tokenId"])
    const bids: Partial<FilterIndexes<"bids">> = {
      bidderAddr: { ...indexKey, combinableFilters: [] },
      // @ts-expect-error a bid does not have the registration of its bidder
      forgerAddr: { ...indexKey, combinableFilters: [] }
    }
    assert.containsAllKeys(bids, ["bidderAddr"])
  })

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
    // @ts-expect-error `minBatchNum` is not an index key: `lookUpKeys` would ignore it
    assert.isEmpty(lookUpKeys("batches", filters).parentKeys)

    const uncombined: ReadonlyArray<UncombinedIndexKey> = []
    // does not compile if two index keys of a list neither exclude each other nor combine
    const none: ReadonlyArray<never> = uncombined
    assert.isEmpty(none)
  })
})
