import { type ListedRows, type PostingListName } from "./listed_rows.ts"
import { type PostingList, type PostingIndexKey, postingLists } from "./posting_lists.ts"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray } from "../connection/mod.ts"

/** Returns an SQL condition: a value of a row `r` in an index key is one of `values`. */
export const hasOneOf = ({ indexKeys }: PostingList, indexKey: string, values: string): string =>
  `(${indexKeys[indexKey]!.values.map((value) => `${value} = ANY(${values})`).join(" OR ")})`

/** Returns an SQL condition: all values of a row `r` in an index key are among `values`. */
export const hasAllOf = ({ indexKeys }: PostingList, indexKey: string, values: string): string =>
  `(${indexKeys[indexKey]!.values.map((value) => `${value} = ANY(${values})`).join(" AND ")})`

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

/** The entries of some rows of a list. */
export interface ListedEntries {
  /** Entries under the key of all rows and under single filters. */
  readonly single: Entries
  /** By item: what the keys of combined filters append to the key of the first filter. */
  readonly suffixes: ReadonlyMap<number, KeySuffixes>
}

/** The suffixes of a row, one for each distinct combination of combinable filters of its list. */
export type KeySuffixes = ReadonlyArray<string>

/** Cached suffixes by item. */
export interface KnownSuffixes {
  readonly get: (item: number) => KeySuffixes | undefined
}

/** Returns the entries of rows, which ascend by item. Yields to other fibers between index keys. */
export const entriesOf = <List extends PostingListName>(
  name: List,
  rows: ReadonlyArray<ListedRows[List]>
): Effect.Effect<ListedEntries> =>
  Effect.gen(function*() {
    const { combinable, indexKeys, suffixBuilder, wholeKey } = layouts[name]
    const single: Entries = new Map(
      rows.length === 0 ? [] : [[wholeKey, rows.map(({ itemId }) => itemId)]]
    )
    const combinableDigits = combinable.map((): Array<string> => [])
    for (const layout of indexKeys) {
      const groups: Entries = new Map()
      const ownDigits = combinableDigits[combinable.indexOf(layout)]
      for (let i = 0; i < rows.length; i++) {
        const digits = layout.indexKey.digits(rows[i]!)
        if (ownDigits !== undefined) ownDigits[i] = digits[0]!
        for (const value of digits) if (value !== null) addItem(groups, value, rows[i]!.itemId)
      }
      for (const [value, group] of groups) single.set(layout.prefix + value, group)
      // thousands of rows take milliseconds for each index key
      yield* Effect.yieldNow
    }
    const suffixes = new Map<number, KeySuffixes>()
    if (combinable.length > 0) {
      const suffixesOf = suffixBuilder()
      for (let i = 0; i < rows.length; i++) {
        suffixes.set(rows[i]!.itemId, suffixesOf((filter) => combinableDigits[filter]![i]!))
      }
    }
    return { single, suffixes }
  })

/** A key of a row in the lists of a single filter or of all rows, and those that begin with it. */
export interface RowKeys {
  readonly single: string
  /** One for each of `combinations`, in their order. */
  readonly combined: ReadonlyArray<string>
}

/**
 * Returns a function that returns the keys of a row in the lists of a filter, as hexadecimal digits;
 * without a filter, its key in the list of all rows.
 */
export const listKeysOf = (
  { indexKeys, letter }: PostingList,
  filter: string | undefined
): (row: object) => ReadonlyArray<RowKeys> => {
  if (filter === undefined) {
    const ofAll = [{ single: letterDigits(`${letter}*`), combined: [] }]
    return () => ofAll
  }
  const indexKey = indexKeys[filter]!
  const prefix = letterDigits(letter + indexKey.letter)
  const others = combinations(indexKey.combinableFilters).map((names) =>
    names.map((name) => indexKeys[name]!)
  )
  return (row) =>
    indexKey.digits(row).flatMap((value) => {
      if (value === null) return []
      const single = prefix + value
      return {
        single,
        combined: others.map((indexKeys) =>
          indexKeys.reduce(
            (key, { digits, letter }) => key + letterDigits(letter) + digits(row)[0]!,
            single
          )
        )
      }
    })
}

/**
 * Returns the entries under combined filters for items that are indexed under keys of single
 * filters. Reads the rows whose suffixes are not in `known`. Each key must have `hasCombinations`.
 */
export const combinedEntries = (
  sql: SqlClient.SqlClient,
  name: PostingListName,
  indexed: ReadonlyMap<string, ReadonlyArray<number>>,
  known: KnownSuffixes
): Effect.Effect<Entries, SqlError.SqlError> =>
  Effect.gen(function*() {
    const { combinationsByLetter, suffixBuilder, valuesStatement } = layouts[name]
    const unknown = new Set<number>()
    for (const items of indexed.values()) {
      for (const item of items) if (known.get(item) === undefined) unknown.add(item)
    }
    const stored = unknown.size === 0
      ? []
      : yield* sql.unsafe<StoredValues>(valuesStatement, [bigintArray([...unknown])])
    const suffixesOf = suffixBuilder()
    const read = new Map(
      stored.map((row) => [Number(row.item), suffixesOf((i) => row[`child${i}`] as string)])
    )
    const combined: Entries = new Map()
    for (const [key, items] of indexed) {
      for (const combination of combinationsByLetter.get(indexKeyLetter(key))!) {
        const groups: Entries = new Map()
        for (const item of items) {
          addItem(groups, (known.get(item) ?? read.get(item))![combination]!, item)
        }
        for (const [suffix, group] of groups) combined.set(key + suffix, group)
      }
    }
    return combined
  })

/** Whether other filters combine with the index key of a key of a single filter. */
export const hasCombinations = (name: PostingListName, key: string): boolean =>
  layouts[name].combinationsByLetter.has(indexKeyLetter(key))

interface StoredValues {
  readonly item: bigint
  readonly [value: string]: string | null | bigint
}

const letterDigits = (text: string): string =>
  [...text].map((letter) => letter.charCodeAt(0).toString(16)).join("")
/** The second letter of a key, as digits. */
const indexKeyLetter = (key: string): string => key.slice(2, 4)

const addItem = (entries: Entries, key: string, item: number): void => {
  const items = entries.get(key)
  if (items === undefined) entries.set(key, [item])
  else items.push(item)
}

/** An index key in the entries of its list. */
interface IndexKeyLayout {
  readonly indexKey: PostingIndexKey
  /** First digits of its keys. */
  readonly prefix: string
}

const layoutOf = ({ indexKeys: byFilter, letter: listLetter, table }: PostingList) => {
  const distinct = [
    ...new Map(
      Object.values(byFilter).flatMap(({ combinableFilters }) => combinations(combinableFilters))
        .map((filters) => [filters.join(), filters])
    ).values()
  ]
  const indexKeys = Object.entries(byFilter).map((
    [filter, indexKey]
  ): IndexKeyLayout & { readonly filter: string } => ({
    indexKey,
    filter,
    prefix: letterDigits(listLetter + indexKey.letter)
  }))
  const combinableNames = [...new Set(distinct.flat())]
  const combinable = combinableNames.map((name) => indexKeys.find(({ filter }) => filter === name)!)
  const letters = combinable.map(({ indexKey }) => letterDigits(indexKey.letter))
  const indexesOf = distinct.map((filters) => filters.map((name) => combinableNames.indexOf(name)))
  return {
    wholeKey: letterDigits(`${listLetter}*`),
    indexKeys,
    /** The index keys that follow another one in keys. */
    combinable,
    /** By the letter of an index key: the indexes of its combinations in `KeySuffixes`. */
    combinationsByLetter: new Map(
      Object.values(byFilter).filter(({ combinableFilters }) => combinableFilters.length > 0).map((
        { combinableFilters, letter }
      ) => [
        letterDigits(letter),
        combinations(combinableFilters).map((filters) =>
          distinct.findIndex((each) => each.join() === filters.join())
        )
      ])
    ),
    /**
     * Returns a function from the digits of each combinable filter to the suffixes of a row. Rows
     * with equal suffixes share them, which makes maps of them faster.
     */
    suffixBuilder: () => {
      const shared = new Map<string, KeySuffixes>()
      return (digitsOf: (index: number) => string): KeySuffixes => {
        let text = ""
        for (let i = 0; i < letters.length; i++) text += letters[i]! + digitsOf(i)
        let suffixes = shared.get(text)
        if (suffixes === undefined) {
          const parts = letters.map((letter, i) => letter + digitsOf(i))
          suffixes = indexesOf.map((indexes) => indexes.map((i) => parts[i]!).join(""))
          shared.set(text, suffixes)
        }
        return suffixes
      }
    },
    /**
     * Reads the values of the combinable filters of stored rows. In SQL, since decoding the rows would
     * slow down writes.
     */
    valuesStatement: `SELECT r.item_id AS item${
      combinable.map(({ indexKey }, i) => `, encode(${indexKey.values[0]!}, 'hex') AS child${i}`)
        .join("")
    }
FROM ${table} AS r WHERE r.item_id = ANY($1::bigint[])`
  }
}

const layouts: { readonly [List in PostingListName]: ReturnType<typeof layoutOf> } = {
  accounts: layoutOf(postingLists.accounts),
  exits: layoutOf(postingLists.exits),
  transactions: layoutOf(postingLists.transactions),
  batches: layoutOf(postingLists.batches),
  bids: layoutOf(postingLists.bids),
  coordinators: layoutOf(postingLists.coordinators)
}
