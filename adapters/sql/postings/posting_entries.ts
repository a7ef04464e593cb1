import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray, hexOrNull } from "../connection/mod.ts"
import {
  combinations,
  type ListedRows,
  type PostingFacet,
  type PostingListName,
  postingLists
} from "./posting_lists.ts"

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
export type Additions = ReadonlyArray<string>

/** Those of new rows, ascending by item; others come first now and then. */
export const entriesOf = <List extends PostingListName>(
  name: List,
  rows: ReadonlyArray<ListedRows[List]>
): Effect.Effect<ListedEntries> =>
  entriesFrom(name, rows, ({ itemId }) => itemId, (row, { facet }) => facet.digits(row as never))

/** SQL for what a row `r` of a list's table is filed under, as an array of bytes: its item first. */
export const filedValues = (name: PostingListName): string =>
  `ARRAY[${
    ["int8send(r.item_id)", ...places[name].facets.flatMap(({ facet }) => facet.values)].join(", ")
  }]`

/** Those of rows, ascending by item, by the digits of these values, one row after the other. */
export const entriesOfValues = (
  name: PostingListName,
  values: ReadonlyArray<string>
): Effect.Effect<ListedEntries> => {
  const width = 1 + places[name].facets.reduce((sum, { columns }) => sum + columns.length, 0)
  const starts = Array.from({ length: values.length / width }, (_, row) => row * width)
  return entriesFrom(
    name,
    starts,
    (start) => parseInt(values[start]!, 16),
    (start, { columns }) => columns.map((column) => hexOrNull(values[start + column]!))
  )
}

/** What combinations add to the keys of items, as far as it is known without asking. */
export interface KnownAdditions {
  readonly get: (item: number) => Additions | undefined
}

/** What is filed in the lists below when these items of keys, all of them of facets with lists below, are filed; each key once. */
export const entriesBelow = (
  sql: SqlClient.SqlClient,
  name: PostingListName,
  filed: ReadonlyMap<string, ReadonlyArray<number>>,
  known: KnownAdditions
): Effect.Effect<Entries, SqlError.SqlError> =>
  Effect.gen(function*() {
    const { additionsOf, childrenStatement, pathsBelow } = places[name]
    const unknown = new Set<number>()
    for (const items of filed.values()) {
      for (const item of items) if (known.get(item) === undefined) unknown.add(item)
    }
    const stored = unknown.size === 0
      ? []
      : yield* sql.unsafe<StoredDigits>(childrenStatement, [bigintArray([...unknown])])
    const adding = additionsOf()
    const read = new Map(
      stored.map((row) => [Number(row.item), adding((child) => row[`child${child}`] as string)])
    )
    const below: Entries = new Map()
    for (const [key, items] of filed) {
      for (const path of pathsBelow.get(key.slice(2, 4))!) {
        const groups: Entries = new Map()
        for (const item of items) file(groups, (known.get(item) ?? read.get(item))![path]!, item)
        for (const [addition, group] of groups) below.set(key + addition, group)
      }
    }
    return below
  })

/** Whether lists lie below the facet that a key belongs to. */
export const hasListsBelow = (name: PostingListName, key: string): boolean =>
  places[name].pathsBelow.has(key.slice(2, 4))

interface StoredDigits {
  readonly item: bigint
  readonly [value: string]: string | null | bigint
}

const letterDigits = (text: string): string =>
  [...text].map((letter) => letter.charCodeAt(0).toString(16)).join("")

const file = (entries: Entries, key: string, item: number): void => {
  const items = entries.get(key)
  if (items === undefined) entries.set(key, [item])
  // a row is once in a list, also where it is sent and received by the same
  else if (items[items.length - 1] !== item) items.push(item)
}

/** A facet as entries are made of it. */
interface Place {
  readonly facet: PostingFacet
  /** The digits that its keys begin with. */
  readonly prefix: string
  /** Where its values are among `filedValues`. */
  readonly columns: ReadonlyArray<number>
}

const entriesFrom = <Row>(
  name: PostingListName,
  rows: ReadonlyArray<Row>,
  itemOf: (row: Row) => number,
  digitsOf: (row: Row, place: Place) => ReadonlyArray<string | null>
): Effect.Effect<ListedEntries> =>
  Effect.gen(function*() {
    const { additionsOf, children, facets, whole } = places[name]
    const items = rows.map(itemOf)
    const single: Entries = new Map(rows.length === 0 ? [] : [[whole, items]])
    const childDigits = children.map((): Array<string> => [])
    for (const place of facets) {
      const groups: Entries = new Map()
      const ofChild = childDigits[children.indexOf(place)]
      for (let i = 0; i < rows.length; i++) {
        const digits = digitsOf(rows[i]!, place)
        if (ofChild !== undefined) ofChild[i] = digits[0]!
        for (const value of digits) if (value !== null) file(groups, value, items[i]!)
      }
      for (const [value, filed] of groups) single.set(place.prefix + value, filed)
      // thousands of rows take some milliseconds for each facet, and a statement may be on its way
      yield* Effect.yieldNow
    }
    const additions = new Map<number, Additions>()
    if (children.length > 0) {
      const adding = additionsOf()
      for (let i = 0; i < rows.length; i++) {
        additions.set(
          items[i]!,
          adding((child) => childDigits[child]![i]!)
        )
      }
    }
    return { single, additions }
  })

const placesOf = (name: PostingListName) => {
  const { letter: list, table } = postingLists[name]
  const named: { readonly [filter: string]: PostingFacet } = postingLists[name].facets
  const paths = [
    ...new Map(
      Object.values(named).flatMap(({ children }) => combinations(children)).map((
        path
      ) => [path.join(), path])
    ).values()
  ]
  let column = 1
  const facets = Object.entries(named).map((
    [filter, facet]
  ): Place & { readonly filter: string } => ({
    facet,
    filter,
    prefix: letterDigits(list + facet.letter),
    columns: facet.values.map(() => column++)
  }))
  const childNames = [...new Set(paths.flat())]
  const children = childNames.map((filter) => facets.find((place) => place.filter === filter)!)
  const letters = children.map(({ facet }) => letterDigits(facet.letter))
  const pathsOfChildren = paths.map((path) => path.map((filter) => childNames.indexOf(filter)))
  return {
    whole: letterDigits(`${list}*`),
    facets,
    /** The facets whose values the keys of combinations name. */
    children,
    /** By the digits of a facet's letter the places of the paths that lead below it. */
    pathsBelow: new Map(
      Object.values(named).flatMap((facet) =>
        facet.children.length === 0 ? [] : [
          [
            letterDigits(facet.letter),
            combinations(facet.children).map((path) =>
              paths.findIndex((each) => each.join() === path.join())
            )
          ] as const
        ]
      )
    ),
    /** What rows add to keys, by the digits of each child; rows that add the same share it, so that their texts need not be compared unit by unit. */
    additionsOf: () => {
      const shared = new Map<string, Additions>()
      return (digitsOf: (child: number) => string): Additions => {
        let text = ""
        for (let child = 0; child < letters.length; child++) {
          text += letters[child]! + digitsOf(child)
        }
        let additions = shared.get(text)
        if (additions === undefined) {
          const own = letters.map((letter, child) => letter + digitsOf(child))
          shared.set(
            text,
            additions = pathsOfChildren.map((path) => path.map((child) => own[child]!).join(""))
          )
        }
        return additions
      }
    },
    childrenStatement: `SELECT r.item_id AS item${
      children.map(({ facet }, i) => `, encode(${facet.values[0]!}, 'hex') AS child${i}`).join("")
    }
FROM ${table} AS r WHERE r.item_id = ANY($1::bigint[])`
  }
}

const places: { readonly [List in PostingListName]: ReturnType<typeof placesOf> } = {
  accounts: placesOf("accounts"),
  exits: placesOf("exits"),
  transactions: placesOf("transactions"),
  batches: placesOf("batches"),
  bids: placesOf("bids"),
  coordinators: placesOf("coordinators")
}
