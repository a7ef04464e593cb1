import {
  keysOfFacet,
  type ListedRows,
  type PostingList,
  type PostingListName,
  postingLists,
  type RowKeys
} from "../postings/mod.ts"

/*
 * The posting lists by part: the lists of one facet of a table, whose keys begin with the same two
 * letters. An audit reads one part after the other, in the order of the keys.
 */

export const listNames = Object.keys(postingLists) as ReadonlyArray<PostingListName>
const hex = (letters: string): string => Buffer.from(letters, "latin1").toString("hex")
/** Returns a `bytea` literal. */
export const bytea = (digits: string): string => `'\\x${digits}'::bytea`

export interface PostingPart {
  readonly name: PostingListName
  readonly list: PostingList
  /** The facet; undefined for the list of all rows. */
  readonly filter: string | undefined
  /** The first two bytes of the keys, as hexadecimal digits. */
  readonly prefix: string
  /** Length in bytes of a key of the facet alone, without other filters. */
  readonly octets: number
  /** Returns the keys of a row, of the facet alone and combined with other filters. */
  readonly keysOf: (row: ListedRows[PostingListName]) => ReadonlyArray<RowKeys>
}

const partOf = (name: PostingListName, filter: string | undefined): PostingPart => {
  const list = postingLists[name]
  const facet = filter === undefined ? undefined : list.facets[filter]!
  return {
    name,
    list,
    filter,
    prefix: hex(list.letter + (facet?.letter ?? "*")),
    octets: 2 + (facet?.octets ?? 0),
    keysOf: keysOfFacet(list, filter)
  }
}

/** All parts, in the order of their keys. */
export const parts: ReadonlyArray<PostingPart> = listNames.flatMap((name) =>
  [undefined, ...Object.keys(postingLists[name].facets)].map((filter) => partOf(name, filter))
).sort((a, b) => a.prefix < b.prefix ? -1 : 1)

const pageRows = 256

/** Returns the prefix after `prefix`, which is the end of its keys. */
export const endOf = (prefix: string): string =>
  `${prefix.slice(0, 2)}${(parseInt(prefix.slice(2), 16) + 1).toString(16).padStart(2, "0")}`

/** Returns SQL for a page of rows of `posting` after a key and an item. */
export const pageOf = ({ prefix }: PostingPart): string => `
SELECT encode(key, 'hex') AS key, first_item, first_ordinal, filed, is_last, items FROM posting
WHERE (key, first_item) > ($1::bytea, $2::bigint) AND key < ${
  bytea(endOf(prefix))
} ORDER BY posting.key, first_item LIMIT ${pageRows}`

/** Returns SQL for a page of indexed items of the lists of a part, after a key and an item. */
export const indexedOf = ({ octets, prefix }: PostingPart): string => `
SELECT encode(key, 'hex') AS key, first_item, items[1:filed] AS items FROM posting
WHERE (key, first_item) > ($1::bytea, $2::bigint) AND key < ${
  bytea(endOf(prefix))
} AND octet_length(key) = ${octets} ORDER BY posting.key, first_item LIMIT ${pageRows}`
