import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray } from "./_parameters.ts"
import { combinations, type ListedRows, type PostingFacet, type PostingListName, postingLists } from "./_posting_lists.ts"

/*
 * Keys and items as they are filed in the lists. The keys are made here and not in SQL: to group as many keys as a block has takes
 * PostgreSQL ten times as long. Items are grouped by what distinguishes them, which is short, and the keys are put together afterwards.
 */

/** Items by key, its digits; ascending. */
export type Entries = Map<string, Array<number>>

/** Rows of a list: what is filed of them in the lists of single filters, and, by item, what their combinations add to a key. */
export interface ListedEntries {
  readonly single: Entries
  readonly additions: ReadonlyMap<number, Additions>
}

/** For each combination of children, in the order of the list's paths. */
type Additions = ReadonlyArray<string>

/** Those of new rows, ascending by item. */
export const entriesOf = <List extends PostingListName>(name: List, rows: ReadonlyArray<ListedRows[List]>): ListedEntries =>
  entriesFrom(name, rows, ({ itemId }) => itemId, (row, { digits }) => digits(row as never))

/** Those of the stored rows from an item on. */
export const storedEntries = (sql: SqlClient.SqlClient, name: PostingListName, fromItem: bigint): Effect.Effect<ListedEntries, SqlError.SqlError> =>
  Effect.map(sql.unsafe<StoredDigits>(places[name].digitsStatement, [fromItem]), (rows) =>
    entriesFrom(name, rows, ({ item }) => Number(item), (row, { values }, filter) => values.map((_, i) => row[filter + i] as string | null)))

/** What is filed in the lists below when these items of keys, all of them of facets with lists below, lie in full rows; each key once. */
export const entriesBelow = (
  sql: SqlClient.SqlClient, name: PostingListName, full: ReadonlyMap<string, ReadonlyArray<number>>, known: ListedEntries["additions"]
): Effect.Effect<Entries, SqlError.SqlError> =>
  Effect.gen(function*() {
    const { additionsOf, childrenStatement, pathsBelow } = places[name]
    const unknown = new Set<number>()
    for (const items of full.values()) for (const item of items) if (!known.has(item)) unknown.add(item)
    const stored = unknown.size === 0 ? [] : yield* sql.unsafe<StoredDigits>(childrenStatement, [bigintArray([...unknown])])
    const adding = additionsOf()
    const read = new Map(stored.map((row) => [Number(row.item), adding((filter) => row[filter] as string)]))
    const below: Entries = new Map()
    for (const [key, items] of full) {
      for (const path of pathsBelow.get(key.slice(2, 4))!) {
        const groups: Entries = new Map()
        for (const item of items) file(groups, (known.get(item) ?? read.get(item))![path]!, item)
        for (const [addition, group] of groups) below.set(key + addition, group)
      }
    }
    return below
  })

/** Whether lists lie below the facet that a key belongs to. */
export const hasListsBelow = (name: PostingListName, key: string): boolean => places[name].pathsBelow.has(key.slice(2, 4))

interface StoredDigits {
  readonly item: bigint
  readonly [value: string]: string | null | bigint
}

const letterDigits = (text: string): string => [...text].map((letter) => letter.charCodeAt(0).toString(16)).join("")

const file = (entries: Entries, key: string, item: number): void => {
  const items = entries.get(key)
  if (items === undefined) entries.set(key, [item])
  // a row is once in a list, also where it is sent and received by the same
  else if (items[items.length - 1] !== item) items.push(item)
}

const entriesFrom = <Row>(
  name: PostingListName, rows: ReadonlyArray<Row>, itemOf: (row: Row) => number,
  digitsOf: (row: Row, facet: PostingFacet, filter: string) => ReadonlyArray<string | null>
): ListedEntries => {
  const { additionsOf, facets, paths, whole } = places[name]
  const single: Entries = new Map(rows.length === 0 ? [] : [[whole, rows.map(itemOf)]])
  for (const { facet, filter, prefix } of facets) {
    const groups: Entries = new Map()
    for (const row of rows) {
      for (const value of digitsOf(row, facet, filter)) if (value !== null) file(groups, value, itemOf(row))
    }
    for (const [value, items] of groups) single.set(prefix + value, items)
  }
  const adding = additionsOf()
  const children = facets.filter(({ filter }) => paths.some((path) => path.includes(filter)))
  const additions = new Map<number, Additions>()
  if (children.length > 0) {
    for (const row of rows) {
      additions.set(itemOf(row), adding((filter) => digitsOf(row, children.find((child) => child.filter === filter)!.facet, filter)[0]!))
    }
  }
  return { single, additions }
}

const placesOf = (name: PostingListName) => {
  const { letter: list, table } = postingLists[name]
  const facets: { readonly [filter: string]: PostingFacet } = postingLists[name].facets
  const paths = [...new Map(Object.values(facets).flatMap(({ children }) => combinations(children)).map((path) => [path.join(), path])).values()]
  const children = [...new Set(paths.flat())]
  const encoded = (value: string, name: string) => `, encode(${value}, 'hex') AS "${name}"`
  return {
    whole: letterDigits(`${list}*`),
    facets: Object.entries(facets).map(([filter, facet]) => ({ facet, filter, prefix: letterDigits(list + facet.letter) })),
    paths,
    /** By the digits of a facet's letter the places of the paths that lead below it. */
    pathsBelow: new Map(Object.values(facets).flatMap((facet) => facet.children.length === 0 ? [] : [[
      letterDigits(facet.letter), combinations(facet.children).map((path) => paths.findIndex((each) => each.join() === path.join()))
    ] as const])),
    /** What rows add to keys; rows that add the same share it, so that their texts need not be compared unit by unit. */
    additionsOf: () => {
      const shared = new Map<string, Additions>()
      return (digitsOf: (filter: string) => string): Additions => {
        const own = children.map((filter) => letterDigits(facets[filter]!.letter) + digitsOf(filter))
        const text = own.join("")
        let additions = shared.get(text)
        if (additions === undefined) {
          shared.set(text, additions = paths.map((path) => path.map((filter) => own[children.indexOf(filter)]!).join("")))
        }
        return additions
      }
    },
    digitsStatement: `SELECT r.item_id AS item${
      Object.entries(facets).flatMap(([filter, { values }]) => values.map((value, i) => encoded(value, `${filter}${i}`))).join("")
    } FROM ${table} AS r WHERE r.item_id >= $1::bigint ORDER BY r.item_id`,
    childrenStatement: `SELECT r.item_id AS item${children.map((filter) => encoded(facets[filter]!.values[0]!, filter)).join("")}
FROM ${table} AS r WHERE r.item_id = ANY($1::bigint[])`
  }
}

const places: { readonly [List in PostingListName]: ReturnType<typeof placesOf> } = {
  accounts: placesOf("accounts"), exits: placesOf("exits"), transactions: placesOf("transactions"), batches: placesOf("batches"), bids: placesOf("bids"),
  coordinators: placesOf("coordinators")
}
