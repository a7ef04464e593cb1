import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray } from "../connection/mod.ts"
import { selectRows } from "../entities/mod.ts"
import { type ListedRows, listedRowsByItem, type PostingListName } from "./listed_rows.ts"
import { type PostingIndexKey, type PostingList, postingLists } from "./posting_lists.ts"

/**
 * Returns an SQL condition: one (`OR`) or all (`AND`) of the values of a row `r` in an index key are
 * among `values`.
 */
export const hasValues = (
  { indexKeys }: PostingList,
  indexKey: string,
  values: string,
  operator: "OR" | "AND"
): string =>
  `(${
    indexKeys[indexKey]!.values.map((value) => `${value} = ANY(${values})`).join(` ${operator} `)
  })`

/** Returns every choice of one or more of the names, each in their order. */
export const combinations = (names: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  names.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (chosen, name) => [...chosen, ...chosen.map((one) => [...one, name])],
    [[]]
  ).slice(1)

/**
 * Returns the key of the rows with these values: of a filter, then of filters that combine with it,
 * in the order of its `combinableFilters`. Without values it is the key of all rows.
 */
export const postingKey = (
  { indexKeys, letter }: PostingList,
  ...values: ReadonlyArray<readonly [filter: string, value: Uint8Array]>
): Uint8Array =>
  Buffer.concat([
    Buffer.from(values.length === 0 ? `${letter}*` : letter, "latin1"),
    ...values.flatMap((
      [filter, value]
    ) => [Buffer.from(indexKeys[filter]!.letter, "latin1"), value])
  ])

/*
 * The entries of rows in posting lists. They are grouped by key here, since PostgreSQL groups the
 * many keys of a block far more slowly. Rows are first grouped by a value, which is short; the rest
 * of the key is added to each group.
 */

/** Item ids by key; keys are hexadecimal digits, items ascend. */
export type Entries = Map<string, Array<number>>

/**
 * Returns the entries of rows, which ascend by item, under the key of all rows and under single
 * filters. Yields to other fibers between index keys.
 */
export const entriesOf = <List extends PostingListName>(
  name: List,
  rows: ReadonlyArray<ListedRows[List]>
): Effect.Effect<Entries> =>
  Effect.gen(function*() {
    const list = postingLists[name]
    const entries: Entries = new Map(
      rows.length === 0 ? [] : [[wholeKey(list), rows.map(({ itemId }) => itemId)]]
    )
    for (const indexKey of Object.values(list.indexKeys)) {
      const groups: Entries = new Map()
      for (const row of rows) {
        for (const value of indexKey.digits(row)) {
          if (value !== null) addItem(groups, value, row.itemId)
        }
      }
      const prefix = prefixOf(list, indexKey)
      for (const [value, items] of groups) entries.set(prefix + value, items)
      // thousands of rows take milliseconds for each index key
      yield* Effect.yieldNow
    }
    return entries
  })

/**
 * Returns the entries under combined filters for items that are indexed under keys of single
 * filters. Reads the rows of those items that are not among `rows`.
 */
export const combinedEntries = <List extends PostingListName>(
  sql: SqlClient.SqlClient,
  name: List,
  indexed: ReadonlyMap<string, ReadonlyArray<number>>,
  rows: ReadonlyArray<ListedRows[List]>
): Effect.Effect<Entries, SqlError.SqlError> =>
  Effect.gen(function*() {
    const list = postingLists[name]
    const byItem = new Map(rows.map((row) => [row.itemId, row]))
    const keys = [...indexed].flatMap(([key, items]) => {
      const suffixes = suffixesOf(list, key)
      return suffixes.length === 0 ? [] : [{ key, items, suffixes }]
    })
    const unknown = new Set(
      keys.flatMap(({ items }) => items.filter((item) => !byItem.has(item)))
    )
    if (unknown.size > 0) {
      const parameters = [bigintArray([...unknown])]
      for (const row of yield* selectRows(sql, listedRowsByItem(name), parameters)) {
        byItem.set(row.itemId, row)
      }
    }
    const entries: Entries = new Map()
    for (const { items, key, suffixes } of keys) {
      for (const suffixOf of suffixes) {
        const groups: Entries = new Map()
        for (const item of items) addItem(groups, suffixOf(byItem.get(item)!), item)
        for (const [suffix, group] of groups) entries.set(key + suffix, group)
      }
    }
    return entries
  })

/** Returns the keys of a row in all lists, those of combined filters included. */
export const keysOfRow = (list: PostingList, row: object): ReadonlyArray<string> => [
  wholeKey(list),
  ...Object.values(list.indexKeys).flatMap((indexKey) =>
    indexKey.digits(row).flatMap((value) => {
      if (value === null) return []
      const key = prefixOf(list, indexKey) + value
      return [key, ...suffixesOf(list, key).map((suffixOf) => key + suffixOf(row))]
    })
  )
]

const letterDigits = (letters: string): string => Buffer.from(letters, "latin1").toString("hex")
const wholeKey = ({ letter }: PostingList): string => letterDigits(`${letter}*`)
/** Returns the first digits of the keys of an index key. */
const prefixOf = (list: PostingList, { letter }: PostingIndexKey): string =>
  letterDigits(list.letter + letter)

/**
 * Returns a function for each combination of filters with that of a key: what the combination adds
 * to the key, for a row.
 */
const suffixesOf = (
  { indexKeys }: PostingList,
  key: string
): ReadonlyArray<(row: object) => string> => {
  const indexKey = Object.values(indexKeys).find(({ letter }) =>
    letterDigits(letter) === key.slice(2, 4)
  )
  return combinations(indexKey?.combinableFilters ?? []).map((names) => {
    const parts = names.map((name) => indexKeys[name]!).map(({ digits, letter }) =>
      [letterDigits(letter), digits] as const
    )
    return (row) =>
      parts.reduce((suffix, [letter, digits]) => suffix + letter + digits(row)[0]!, "")
  })
}

const addItem = (entries: Entries, key: string, item: number): void => {
  const items = entries.get(key)
  if (items === undefined) entries.set(key, [item])
  else items.push(item)
}
