import {
  type Filter,
  type FiltersOf,
  type ListDeclaration,
  type ListName,
  lists
} from "../../../core/contract/mod.ts"
import { NotRegistered, type SnapshotId, type UnregisteredThing } from "../../../core/ports/mod.ts"
import {
  type IndexKeyName,
  hasValues,
  postingKey,
  type PostingList,
  type PostingListName,
  postingLists
} from "../postings/mod.ts"
import { keysParameter, type Parameter } from "./_run_query.ts"

/** Filters that are index keys. A plan answers the other ones itself, and must take them out. */
export type IndexKeyFilters<N extends PostingListName> = {
  readonly [F in keyof FiltersOf<N>]: F extends IndexKeyName<N> ? FiltersOf<N>[F] : never
}

/** The values of an index key that a query selects. */
export interface IndexKeySelection {
  readonly indexKey: string
  /**
   * Hexadecimal digits. An item has a value of each of the lists: of one, or of two for a sender
   * and a receiver.
   */
  readonly digits: ReadonlyArray<ReadonlyArray<string>>
}

/** Returns the selected values in the order of the index keys. */
export const selectionsOf = (
  list: PostingList,
  filters: object
): ReadonlyArray<IndexKeySelection> => {
  const values = Object.entries(filters).filter(([filter, value]) =>
    value !== undefined && list.filters[filter] !== undefined
  )
  return Object.keys(list.indexKeys).flatMap((indexKey) => {
    const digits = values.filter(([filter]) => list.filters[filter]!.indexKey === indexKey).map((
      [filter, value]
    ) => [...new Set([value].flat())].flatMap((each) => list.filters[filter]!.digits(each)))
    return digits.length === 0 ? [] : [{ indexKey, digits }]
  })
}

/** Returns the values of which an item must have one; if empty, it must have one of each list. */
const commonDigits = ({ digits: [first, second] }: IndexKeySelection): ReadonlyArray<string> =>
  second === undefined ? first! : first!.filter((value) => second.includes(value))

/** Returns whether no list has all items of a selection: it names a sender and another receiver. */
export const isPair = (selection: IndexKeySelection): boolean =>
  commonDigits(selection).length === 0

/** Returns the value of the sender alone and that of the receiver alone. */
const pairOf = ({ digits }: IndexKeySelection): ReadonlyArray<Uint8Array> =>
  digits.map(([ofOneSide]) => bytesOf(ofOneSide!))

/** Returns the keys of the two lists of a pair: what the sender sent, what the receiver received. */
export const pairKeys = (
  list: PostingList,
  selections: ReadonlyArray<IndexKeySelection>
): ReadonlyArray<Uint8Array> =>
  selections.filter(isPair).flatMap((pair) =>
    pairOf(pair).map((value) => postingKey(list, [pair.indexKey, value]))
  )

/**
 * Returns a condition for a row `r`. It has a parameter for each index key of the list and one for a
 * pair of sender and receiver. These are NULL if the query does not name them, so that all
 * combinations of filters share a statement.
 */
export const conditionOf = (list: PostingList, selections: ReadonlyArray<IndexKeySelection>) => {
  const indexKeys = Object.keys(list.indexKeys)
  const pair = selections.find(isPair)
  const oneOf = (indexKey: string) => {
    const selection = selections.find((each) => each.indexKey === indexKey)
    return selection === undefined || selection === pair
      ? null
      : keysParameter(commonDigits(selection).map(bytesOf))
  }
  return {
    text: (parameter: Parameter) => {
      const conditions = indexKeys.map((indexKey) => {
        const values = parameter("bytea[]")
        return `(${values} IS NULL OR ${hasValues(list, indexKey, values, "OR")})`
      })
      const values = parameter("bytea[]")
      const both = indexKeys.filter((indexKey) => list.indexKeys[indexKey]!.values.length === 2)
        .map((indexKey) => `(${hasValues(list, indexKey, values, "AND")})`)
      return [...conditions, `(${[`${values} IS NULL`, ...both].join(" OR ")})`].join(" AND ")
    },
    values: [
      ...indexKeys.map(oneOf),
      pair === undefined ? null : keysParameter(pairOf(pair))
    ]
  }
}

/** The posting lists of a combination of filters. */
interface KeyLookup {
  /** Keys of disjoint lists. */
  readonly keys: ReadonlyArray<Uint8Array>
  /** Keys of the parent lists, if their unindexed tails have to be filtered too. */
  readonly parentKeys: ReadonlyArray<Uint8Array>
}

/**
 * Returns the keys of the lists for some filters. A key begins with the index key that combines with
 * all others; their values follow in the order of its `combinableFilters`. There is a key for each
 * value, and so for each side of a transaction.
 */
export const lookUpKeys = <N extends PostingListName>(
  name: N,
  filters: IndexKeyFilters<N>
): KeyLookup => {
  const list = postingLists[name]
  const [leading, ...others] = selectionsOf(list, filters)
  if (leading === undefined) return { keys: [postingKey(list)], parentKeys: [] }
  const following = list.indexKeys[leading.indexKey]!.combinableFilters.flatMap((name) =>
    others.filter(({ indexKey }) => indexKey === name)
  )
  const partsOf = (selection: IndexKeySelection) =>
    commonDigits(selection).map((value) => [selection.indexKey, bytesOf(value)] as const)
  const parents = partsOf(leading).map((part) => [part])
  const paths = following.reduce<ReadonlyArray<ReadonlyArray<readonly [string, Uint8Array]>>>(
    (paths, selection) =>
      paths.flatMap((path) => partsOf(selection).map((part) => [...path, part])),
    parents
  )
  return {
    keys: paths.map((path) => postingKey(list, ...path)),
    parentKeys: following.length === 0 ? [] : parents.map((path) => postingKey(list, ...path))
  }
}

const bytesOf = (digits: string): Uint8Array => Buffer.from(digits, "hex")

/** Returns the error for the items that the filters refer to and that do not exist, if any. */
export const findUnregistered = (
  name: ListName,
  filters: { readonly [filter: string]: unknown },
  isRegistered: (kind: NonNullable<Filter["references"]>, value: number) => boolean,
  snapshotId: SnapshotId
): NotRegistered | undefined => {
  const declaration: ListDeclaration = lists[name]
  const things = Object.entries(filters).flatMap(
    ([filter, value]): ReadonlyArray<UnregisteredThing> => {
      const kind = declaration.filters[filter]?.references
      if (kind === undefined || value === undefined) return []
      const values = (Array.isArray(value) ? value : [value]) as ReadonlyArray<number>
      return values.filter((each) => !isRegistered(kind, each)).map((each) => ({
        filter,
        kind,
        value: each
      }))
    }
  )
  const [first, ...rest] = things
  return first && new NotRegistered({ things: [first, ...rest], snapshotId })
}
