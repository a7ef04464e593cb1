import { limitDefault, type PageCounts } from "../../core/contract/mod.ts"

interface Numbered {
  readonly itemId: number
}

/** The rows of a page in the order of the query, and its counts. */
interface RowPage<Row extends Numbered> {
  readonly rows: ReadonlyArray<Row>
  readonly counts: PageCounts
}

/** The part of a query that chooses among the matching rows. */
interface PageQuery {
  readonly fromItem?: number
  readonly order?: "ASC" | "DESC"
  readonly limit?: number
}

/** Returns the page of rows that all match, ascending by item id. */
export const pageOfRows = <Row extends Numbered>(
  matching: ReadonlyArray<Row>,
  { fromItem, limit = limitDefault, order }: PageQuery
): RowPage<Row> => {
  const remaining = order === "DESC"
    ? matching.filter(({ itemId }) => itemId <= (fromItem ?? Infinity)).reverse()
    : matching.filter(({ itemId }) => itemId >= (fromItem ?? 0))
  const rows = remaining.slice(0, limit)
  return {
    rows,
    counts: {
      pendingItems: remaining.length - rows.length,
      totalItems: matching.length,
      firstItem: matching[0]?.itemId ?? null,
      lastItem: matching.at(-1)?.itemId ?? null
    }
  }
}

/** Returns the page of two sets of rows without common item ids from their pages of one query. */
export const mergePages = <One extends Numbered, Other extends Numbered>(
  one: RowPage<One>,
  other: RowPage<Other>,
  { limit = limitDefault, order }: PageQuery
): RowPage<One | Other> => {
  const direction = order === "DESC" ? -1 : 1
  const rows = [...one.rows, ...other.rows]
    .sort((row, another) => direction * (row.itemId - another.itemId))
  const { counts } = one
  const { counts: otherCounts } = other
  return {
    rows: rows.slice(0, limit),
    counts: {
      pendingItems: counts.pendingItems + otherCounts.pendingItems + Math.max(0, rows.length - limit),
      totalItems: counts.totalItems + otherCounts.totalItems,
      firstItem: extreme(Math.min, counts.firstItem, otherCounts.firstItem),
      lastItem: extreme(Math.max, counts.lastItem, otherCounts.lastItem)
    }
  }
}

const extreme = (
  of: (...values: ReadonlyArray<number>) => number,
  one: number | null,
  other: number | null
): number | null => one === null || other === null ? one ?? other : of(one, other)
