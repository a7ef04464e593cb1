import { limitDefault, type PageCounts } from "../../core/contract/mod.ts"

/** An item that is read only if it is on the page. */
export interface Entry<Item> {
  readonly itemId: number
  readonly item: () => Item
}

/** The entries of a page in the order of the query, and its counts. */
interface EntryPage<Item> {
  readonly entries: ReadonlyArray<Entry<Item>>
  readonly counts: PageCounts
}

/** The part of a query that chooses among the matching items. */
interface PageQuery {
  readonly fromItem?: number
  readonly order?: "ASC" | "DESC"
  readonly limit?: number
}

/** Returns the page of entries that all match, ascending by item id. */
export const pageOfEntries = <Item>(
  matching: ReadonlyArray<Entry<Item>>,
  { fromItem, limit = limitDefault, order }: PageQuery
): EntryPage<Item> => {
  const remaining = order === "DESC"
    ? matching.filter(({ itemId }) => itemId <= (fromItem ?? Infinity)).reverse()
    : matching.filter(({ itemId }) => itemId >= (fromItem ?? 0))
  const entries = remaining.slice(0, limit)
  return {
    entries,
    counts: {
      pendingItems: remaining.length - entries.length,
      totalItems: matching.length,
      firstItem: matching[0]?.itemId ?? null,
      lastItem: matching.at(-1)?.itemId ?? null
    }
  }
}

/** Returns the page of two sets of items from the pages that the same query has in each set. */
export const mergePages = <Item>(
  one: EntryPage<Item>,
  other: EntryPage<Item>,
  { limit = limitDefault, order }: PageQuery
): EntryPage<Item> => {
  const direction = order === "DESC" ? -1 : 1
  const entries = [...one.entries, ...other.entries]
    .sort((entry, another) => direction * (entry.itemId - another.itemId))
  const [counts, otherCounts] = [one.counts, other.counts]
  return {
    entries: entries.slice(0, limit),
    counts: {
      pendingItems: counts.pendingItems + otherCounts.pendingItems +
        Math.max(0, entries.length - limit),
      totalItems: counts.totalItems + otherCounts.totalItems,
      firstItem: chooseItemId(Math.min, counts.firstItem, otherCounts.firstItem),
      lastItem: chooseItemId(Math.max, counts.lastItem, otherCounts.lastItem)
    }
  }
}

/** Chooses one of two item ids; if one is missing, returns the other. */
const chooseItemId = (
  choose: (one: number, other: number) => number,
  one: number | null,
  other: number | null
): number | null => one === null || other === null ? one ?? other : choose(one, other)
