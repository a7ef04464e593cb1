import { Effect } from "effect"
import {
  comparedValue,
  type Filter,
  type FiltersOf,
  itemIds,
  type ListItems,
  type ListName,
  type ListQuery,
  lists,
  rowFilter
} from "../../contract/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import type { LedgerReader, Page, StoreFailure } from "../../ports/mod.ts"
import type { Findings } from "./findings.ts"

type Reader = LedgerReader["Service"]

/** Returns a page of a list whose filters name only things that are registered. */
export const listOrDie = <N extends ListName>(
  reader: Reader,
  name: N,
  query: ListQuery<N>
): Effect.Effect<Page<ListItems[N]>, StoreFailure> =>
  Effect.catchTag(reader.list(name, query), "NotRegistered", Effect.die)

type RowOf<N extends ListName> = (
  item: ListItems[N],
  reader: Reader
) => Effect.Effect<unknown, StoreFailure>

/** Returns what the filters of a list compare, for an item. */
const rowsOf: { readonly [N in ListName]: RowOf<N> } = {
  accounts: ({ account }) => Effect.succeed(account),
  exits: ({ exit }) => Effect.succeed(exit),
  transactions: ({ transaction }) => Effect.succeed(transaction),
  batches: Effect.succeed,
  slots: Effect.succeed,
  bids: Effect.succeed,
  tokens: Effect.succeed,
  coordinators: (coordinator, reader) =>
    Effect.map(reader.find("coordinator", coordinator.bidderAddr), ({ item }) => ({
      coordinator,
      isLatest: item?.itemId === coordinator.itemId
    }))
}

/** Rows of each list whose filters are checked, and the rows of a page. */
const sampleSize = 16
const pageSize = 20

/**
 * Reads a sample of the rows of a list with each of its filters, with the value that the filter
 * compares: the answer must begin with the row, and all its rows must match the filter.
 */
export const auditList = <N extends ListName>(
  reader: Reader,
  name: N,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    const { counts } = yield* listOrDie(reader, name, { filters: {}, limit: 1 })
    const { firstItem, lastItem } = counts
    if (firstItem === null || lastItem === null) return
    const step = Math.max(1, (lastItem - firstItem) / (sampleSize - 1))
    let last = -1
    for (let item = firstItem; item <= lastItem; item += step) {
      const fromItem = Math.round(item)
      if (fromItem <= last) continue
      const { items } = yield* listOrDie(reader, name, { filters: {}, fromItem, limit: 1 })
      if (items[0] === undefined) return
      const row = yield* rowsOf[name](items[0], reader)
      last = itemIds[name](items[0])
      for (const [filter, declared] of Object.entries<Filter>(lists[name].filters)) {
        yield* auditFilter(reader, name, [filter, declared], { row, itemId: last }, findings)
      }
    }
  })

/** Checks that a list contains a row under each value that a filter compares. */
const auditFilter = <N extends ListName>(
  reader: Reader,
  name: N,
  [filter, { compared, match, references }]: readonly [name: string, Filter],
  { itemId, row }: { readonly row: unknown; readonly itemId: number },
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    for (const valueOf of compared) {
      const value = queriedValue(match, comparedValue(valueOf, row))
      const filters = { [filter]: value } as FiltersOf<N>
      const matches = rowFilter(lists[name], filters) as (row: unknown) => boolean
      // a filter can imply another one
      if (value === undefined || !matches(row)) continue
      const place = `${name} by ${filter} ${value}, item ${itemId}`
      findings.checked("postings")
      const page = yield* Effect.catchTag(
        reader.list(name, { filters, fromItem: itemId, limit: pageSize }),
        "NotRegistered",
        () => Effect.succeed(undefined)
      )
      if (page === undefined) {
        // an L1 transaction can name an account that does not exist
        if (references === "account" && !(yield* hasAccount(reader, value as AccountIndex))) {
          continue
        }
        findings.violate("postings", place, "an unregistered value", "a registered one")
        continue
      }
      const [first] = page.items
      findings.same("postings", place, first && itemIds[name](first), itemId)
      for (const item of page.items) {
        if (!matches(yield* rowsOf[name](item, reader))) {
          findings.violate(
            "postings",
            place,
            `item ${itemIds[name](item)}`,
            "only items that match"
          )
        }
      }
      const { pendingItems, totalItems } = page.counts
      const counted = page.items.length + pendingItems
      if (counted > totalItems) {
        findings.violate("postings", `${place}, totalItems`, totalItems, `${counted} or more`)
      }
    }
  })

const hasAccount = (reader: Reader, index: AccountIndex): Effect.Effect<boolean, StoreFailure> =>
  Effect.map(reader.find("account", index), ({ item }) => item !== null)

/** Returns the value of a filter that selects rows with a compared value; undefined if none does. */
function queriedValue(match: Filter["match"], compared: unknown): unknown {
  if (compared === null) return undefined
  switch (match) {
    case "oneOf":
      return [compared]
    case "greaterThan":
      return Number(compared) - 1
    case "lessThan":
      return Number(compared) + 1
    case "flag":
    case "adding":
      return compared === true ? true : undefined
    default:
      return compared
  }
}
