import {
  combinations,
  type PostingIndexKey,
  type PostingList,
  postingLists,
  rowItems
} from "../postings/mod.ts"
import type { AuditStatement } from "./_audit_snapshot.ts"

/*
 * The statements compare `posting` with the rows of the tables: each item is that of a row with the
 * key, and the lists of a filter have as many items as the rows imply, with the same sum. So if each
 * list ascends, none is missing.
 */

/** The lists of one filter, or of a combination of filters. */
export interface PostingLists {
  readonly name: string
  /** The second letter of the keys. */
  readonly letter: string
  /** Length of the keys in bytes; no other lists with the letter have the same. */
  readonly octets: number
  /** SQL for the first values of a row `r`, without the letters. */
  readonly values: ReadonlyArray<string>
  /** SQL for the rest of the keys of a row `r`. */
  readonly suffix: string
}

const lettersIn = (letters: string): string =>
  `'\\x${Buffer.from(letters, "latin1").toString("hex")}'::bytea`

const noValue = lettersIn("")

const listsOfIndexKey = (
  { indexKeys }: PostingList,
  filter: string,
  { combinableFilters, letter, octets, values }: PostingIndexKey
): ReadonlyArray<PostingLists> =>
  [[], ...combinations(combinableFilters)].map((names) => ({
    name: [filter, ...names].join(" and "),
    letter,
    octets: names.reduce((sum, name) => sum + 1 + indexKeys[name]!.octets, 2 + octets),
    values,
    suffix:
      names.map((name) => `${lettersIn(indexKeys[name]!.letter)} || ${indexKeys[name]!.values[0]!}`)
        .join(" || ") || noValue
  }))

/** Returns the lists of a table, without combinations first for each filter. */
export const listsOf = (list: PostingList): ReadonlyArray<PostingLists> => [
  { name: "nothing", letter: "*", octets: 2, values: [noValue], suffix: noValue },
  ...Object.entries(list.indexKeys).flatMap(([filter, indexKey]) =>
    listsOfIndexKey(list, filter, indexKey)
  )
]

/** Returns SQL for the keys of a row `r` in lists. */
export const keysOf = (letter: string, { letter: indexKey, suffix, values }: PostingLists) =>
  values.map((value) => `${lettersIn(letter + indexKey)} || ${value} || ${suffix}`)

const place = "'posting ' || encode(key, 'hex') || ', first item ' || first_item"

/** Returns a condition for the keys of a list. */
const isKeyOf = ({ letter }: PostingList): string =>
  `key >= ${lettersIn(letter)} AND key < ${
    lettersIn(String.fromCharCode(letter.charCodeAt(0) + 1))
  }`

/** Returns a condition: the key is one of a row `r`. The cases are nested, for speed. */
const isListed = (list: PostingList): string => {
  const byLetter = Map.groupBy(listsOf(list), ({ letter }) => letter)
  const cases = [...byLetter].map(([letter, own]) =>
    `WHEN ${letter.charCodeAt(0)} THEN CASE octet_length(key) ${
      own.map((lists) =>
        `WHEN ${lists.octets} THEN key IN (${keysOf(list.letter, lists).join(", ")})`
      ).join("\n    ")
    } END`
  )
  return `CASE get_byte(key, 1) ${cases.join("\n  ")} END`
}

/** Items without a row that has the key. */
const strangeStatement = (list: PostingList): AuditStatement => ({
  check: "postings",
  text: `
SELECT ${place} AS place, 'item ' || item AS found, 'an existing row with the key' AS expected
FROM (SELECT key, first_item, unnest(items) AS item FROM posting WHERE ${isKeyOf(list)}) AS entry
LEFT JOIN ${list.table} AS r ON r.item_id = entry.item WHERE r.item_id IS NULL OR (${
    isListed(list)
  }) IS NOT TRUE`
})

const total = (items: string, sum: string): string =>
  `coalesce(${items}, 0) || ' entries with the sum ' || coalesce(${sum}, 0)`

/** Lists with more or fewer items than the rows imply, or others. */
const countStatement = (list: PostingList): AuditStatement => {
  const single = listsOf(list).filter(({ suffix }) => suffix === noValue)
  return {
    check: "postings",
    text: `
WITH own AS (
  SELECT get_byte(key, 1) AS letter, octet_length(key) AS octets, count(*) AS size, sum(item) AS sum
  FROM (SELECT key, unnest(items) AS item FROM posting WHERE ${
      isKeyOf(list)
    }) AS entry GROUP BY 1, 2
), row AS (SELECT ${
      single.map(({ values }, i) =>
        `${values.map((value) => `count(${value})`).join(" + ")} AS size${i}, ${
          values.map((value) => `coalesce(sum(r.item_id) FILTER (WHERE ${value} IS NOT NULL), 0)`)
            .join(" + ")
        } AS sum${i}`
      ).join(",\n  ")
    } FROM ${list.table} AS r)
SELECT 'posting, lists of ${list.table} by ' || expected.name AS place, ${
      total("own.size", "own.sum")
    } AS found, ${total("expected.size", "expected.sum")} AS expected
FROM row CROSS JOIN LATERAL (VALUES ${
      single.map(({ letter, name, octets }, i) =>
        `('${name}', ${letter.charCodeAt(0)}, ${octets}, size${i}, sum${i})`
      ).join(", ")
    }) AS expected (name, letter, octets, size, sum)
LEFT JOIN own USING (letter, octets) WHERE coalesce(own.size, 0) <> expected.size OR coalesce(own.sum, 0) <> expected.sum`
  }
}

/** Lists of combined filters with other items than those that the lists above them count as filed. */
const filedStatement = (list: PostingList): ReadonlyArray<AuditStatement> => {
  const combined = listsOf(list).filter(({ suffix }) => suffix !== noValue)
  if (combined.length === 0) return []
  const octetsOf = ({ letter }: PostingLists) =>
    listsOf(list).find((lists) => lists.letter === letter)!.octets
  return [{
    check: "postings-below",
    counted: `posting WHERE ${isKeyOf(list)} AND filed > 0`,
    text: `
WITH own AS MATERIALIZED (
  SELECT get_byte(key, 1) AS letter, octet_length(key) AS octets, count(*) AS size, sum(item) AS sum,
    count(*) FILTER (WHERE place <= filed) AS filed, sum(item) FILTER (WHERE place <= filed) AS filed_sum
  FROM posting CROSS JOIN LATERAL unnest(items) WITH ORDINALITY AS entry (item, place) WHERE ${
      isKeyOf(list)
    } GROUP BY 1, 2
)
SELECT 'posting, lists of ${list.table} by ' || lists.name AS place, ${
      total("below.size", "below.sum")
    } AS found, ${total("above.filed", "above.filed_sum")} AS expected
FROM (VALUES ${
      combined.map((lists) =>
        `('${lists.name}', ${lists.letter.charCodeAt(0)}, ${octetsOf(lists)}, ${lists.octets})`
      ).join(", ")
    }) AS lists (name, letter, octets_above, octets)
LEFT JOIN own AS above ON above.letter = lists.letter AND above.octets = octets_above
LEFT JOIN own AS below ON below.letter = lists.letter AND below.octets = lists.octets
WHERE coalesce(below.size, 0) <> coalesce(above.filed, 0) OR coalesce(below.sum, 0) <> coalesce(above.filed_sum, 0)`
  }]
}

/** Rows of `posting` that do not have the structure that `postings.ts` describes. */
const rowStatement = `
SELECT ${place} || wrong.place AS place, wrong.found, wrong.expected FROM (
  SELECT *, lag(first_ordinal + cardinality(items)) OVER list AS ordinal, lag(items[cardinality(items)]) OVER list AS item_before,
    lag(cardinality(items)) OVER list AS size_before, lag(filed) OVER list AS filed_before, lead(first_item) OVER list IS NULL AS is_end
  FROM posting WINDOW list AS (PARTITION BY key ORDER BY first_item)
) AS row CROSS JOIN LATERAL (VALUES
  (', first_ordinal', first_ordinal::text, coalesce(ordinal, 0)::text, first_ordinal <> coalesce(ordinal, 0)),
  (', is_last', is_last::text, is_end::text, is_last <> is_end),
  (', filed', filed::text, '0, since the row before has only ' || filed_before, filed > 0 AND filed_before <> size_before),
  ('', 'after a row of ' || size_before, 'after one of ${rowItems}', size_before <> ${rowItems}),
  ('', 'item ' || first_item, 'above ' || item_before || ', the last item of the row before', first_item <= item_before),
  ('', 'items ' || items::text, 'ascending items', EXISTS (SELECT FROM unnest(items) WITH ORDINALITY AS each (item, place) WHERE item <= items[place - 1]))
) AS wrong (place, found, expected, is_wrong) WHERE wrong.is_wrong`

const all = Object.values<PostingList>(postingLists)

const unknownStatement = `
SELECT ${place} AS place, 'a key of no list' AS found, 'none' AS expected
FROM posting WHERE (substring(key FROM 1 FOR 2), octet_length(key)) NOT IN (VALUES ${
  all.flatMap((list) =>
    listsOf(list).map(({ letter, octets }) => `(${lettersIn(list.letter + letter)}, ${octets})`)
  ).join(", ")
})`

/** The checks of the posting lists. */
export const postingStatements: ReadonlyArray<AuditStatement> = [
  { check: "posting-rows", counted: "posting", text: rowStatement },
  { check: "posting-rows", text: unknownStatement },
  ...all.flatMap((list) => [strangeStatement(list), countStatement(list), ...filedStatement(list)])
]
