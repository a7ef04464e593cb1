import { combinedKeys, type PostingFacet, type PostingList, postingLists } from "../postings/mod.ts"

/*
 * The posting lists by part: the lists of one facet of a table, whose keys begin with the same two
 * letters. An audit reads one part after the other, in the order of the keys.
 */

export const lists = Object.values(postingLists)
const hex = (letters: string): string => Buffer.from(letters, "latin1").toString("hex")
/** Returns a `bytea` literal. */
export const bytea = (digits: string): string => `'\\x${digits}'::bytea`

export interface PostingPart {
  readonly list: PostingList
  /** The facet; undefined for the list of all rows. */
  readonly filter: string | undefined
  /** The first two bytes of the keys, as hexadecimal digits. */
  readonly prefix: string
  /** Length in bytes of a key of the facet alone, without other filters. */
  readonly octets: number
  /** SQL for the number of single lists of the facet that contain a row `r`. */
  readonly entries: string
  /** SQL for the keys of a row, of the facet alone and combined with other filters. */
  readonly keys: ReadonlyArray<string>
}

const valueCount = ({ values }: PostingFacet): string =>
  values.map((value) => `(${value} IS NOT NULL)::integer`).join(" + ")

const partOf = (list: PostingList, filter: string | undefined): PostingPart => {
  const facet = filter === undefined ? undefined : list.facets[filter]!
  const prefix = hex(list.letter + (facet?.letter ?? "*"))
  const octets = 2 + (facet?.octets ?? 0)
  const single = facet === undefined
    ? [bytea(prefix)]
    : facet.values.map((value) => `${bytea(prefix)} || ${value}`)
  const below = filter === undefined
    ? []
    : single.flatMap((parent) => combinedKeys(list, filter, `(${parent})`))
  return {
    list,
    filter,
    prefix,
    octets,
    entries: facet === undefined ? "1" : valueCount(facet),
    keys: [...single, ...below]
  }
}

/** All parts, in the order of their keys. */
export const parts: ReadonlyArray<PostingPart> = lists.flatMap((
  list
) => [partOf(list, undefined), ...Object.keys(list.facets).map((filter) => partOf(list, filter))])
  .sort((a, b) => a.prefix < b.prefix ? -1 : 1)

const pageRows = 2000

/** Returns the prefix after `prefix`, which is the end of its keys. */
export const endOf = (prefix: string): string =>
  `${prefix.slice(0, 2)}${(parseInt(prefix.slice(2), 16) + 1).toString(16).padStart(2, "0")}`

/**
 * Returns SQL for a page of rows of `posting`, with the items of each row that do not have its key
 * (`strange`), that do not ascend (`descending`) and, for keys with several filters, that their
 * parent list does not count as indexed (`unfiled`).
 *
 * @param lists SQL for the rows of `posting`
 */
export const pageOf = ({ keys, list, octets, prefix }: PostingPart): string => `
SELECT encode(p.key, 'hex') AS key, p.first_item, p.first_ordinal, p.filed, p.is_last, cardinality(p.items) AS size, p.items[cardinality(p.items)] AS last_item, checked.*
FROM (
  SELECT * FROM posting WHERE (key, first_item) > ($1::bytea, $2::bigint) AND key < ${
  bytea(endOf(prefix))
} ORDER BY key, first_item LIMIT ${pageRows}
) AS p CROSS JOIN LATERAL (
  SELECT string_agg(listed.item::text, ', ') FILTER (WHERE NOT coalesce(p.key = ANY(ARRAY[${
  keys.join(", ")
}]), false)) AS strange,
    string_agg(listed.item::text, ', ') FILTER (WHERE listed.place > 1 AND listed.item <= p.items[(listed.place - 1)::integer]) AS descending,
    string_agg(listed.item::text, ', ') FILTER (WHERE octet_length(p.key) > ${octets} AND NOT EXISTS (
      SELECT FROM (
        SELECT items, filed FROM posting AS above WHERE above.key = substring(p.key FROM 1 FOR ${octets}) AND above.first_item <= listed.item ORDER BY above.first_item DESC LIMIT 1
      ) AS above WHERE listed.item = ANY(above.items[1:above.filed])
    )) AS unfiled
  FROM unnest(p.items) WITH ORDINALITY AS listed (item, place) LEFT JOIN ${list.table} AS r ON r.item_id = listed.item
) AS checked ORDER BY p.key, p.first_item`
