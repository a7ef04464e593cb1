import { assert, describe, it } from "@effect/vitest"
import type { PostingListName } from "../../adapters/sql/postings/listed_rows.ts"
import {
  type FilterIndexes,
  type PostingList,
  postingLists
} from "../../adapters/sql/postings/posting_lists.ts"
import { lookUpKeys } from "../../adapters/sql/reads/_index_key_selection.ts"
import { type ListDeclaration, lists } from "../../core/contract/mod.ts"

/* The compiler reports most filters that SQL would ignore: `npx tsc` is the test. */

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

  it("each have an entry, and reach a plan", () => {
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
  })

  it("combine with all filters of the list that they do not exclude", () => {
    const uncombined = Object.entries<PostingList>(postingLists).flatMap(
      ([name, { filters, indexKeys }]) => {
        const { exclusions }: ListDeclaration = lists[name as PostingListName]
        const combines = (one: string, other: string) =>
          indexKeys[one]!.combinableFilters.includes(other)
        const pairs = Object.entries(filters).flatMap(([one, a], i) =>
          Object.entries(filters).slice(i + 1).map(([other, b]) =>
            [one, other, a.indexKey, b.indexKey] as const
          )
        )
        return pairs.filter(([one, other, a, b]) =>
          a !== b && !combines(a, b) && !combines(b, a) &&
          !exclusions.some((pair) => pair.includes(one) && pair.includes(other))
        )
      }
    )
    // a query with two of them would ignore one
    assert.deepStrictEqual(uncombined, [])
  })
})
