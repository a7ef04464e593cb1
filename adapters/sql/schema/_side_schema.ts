/*
 * Posting lists of transactions by side. The keys with the prefixes `Ti`, `Ta` and `Tk` held the
 * account, address or key of either side. Now the letter `s`, `r` or `b` before it says that the
 * sender, the receiver or both have it. The lists are built again from the rows.
 */

const prefixes = ["5469", "5461", "546b"]

const keyOf = (prefix: string, side: string, value: string): string =>
  `('\\x${prefix}${side}'::bytea || ${value})`
const keysOf = (
  prefix: string,
  column: string,
  encode: (column: string) => string
): ReadonlyArray<string> => {
  const [from, to] = [`t.from_${column}`, `t.to_${column}`]
  return [
    `(CASE WHEN ${from} = ${to} THEN ${keyOf(prefix, "62", encode(from))} ELSE ${
      keyOf(prefix, "73", encode(from))
    } END)`,
    `(CASE WHEN ${from} = ${to} THEN NULL ELSE ${keyOf(prefix, "72", encode(to))} END)`
  ]
}
const keys = [
  ...keysOf(
    "5469",
    "account_index",
    (index) => `CASE WHEN ${index} >= 256 THEN int8send(${index}) END`
  ),
  ...keysOf("5461", "address", (address) => address),
  ...keysOf("546b", "public_key", (key) => key)
]

/** Returns a statement that adds the lists of a query of `key` and `item`. */
const insertLists = (source: string): string => `
INSERT INTO posting (key, first_item, first_ordinal, items, filed)
SELECT key, min(item), min(place), array_agg(item ORDER BY item), CASE WHEN count(*) = 64 THEN 64 ELSE 0 END
FROM (SELECT key, item, row_number() OVER (PARTITION BY key ORDER BY item) - 1 AS place FROM (${source}) AS source) AS entry
GROUP BY key, place / 64`

const token = "'\\x74'::bytea || int8send(t.token_id)"
const type = "'\\x79'::bytea || int2send(t.type)"

/** Returns a query of the keys of combined filters, for the items of full rows of a key prefix. */
const combined = (prefix: string, octets: number, ends: ReadonlyArray<string>): string => `
SELECT each.key, t.item_id AS item
FROM posting CROSS JOIN LATERAL unnest(posting.items) AS listed (item) JOIN transaction AS t ON t.item_id = listed.item
CROSS JOIN LATERAL (VALUES ${ends.map((end) => `(posting.key || ${end})`).join(", ")}) AS each (key)
WHERE posting.filed = 64 AND substring(posting.key FROM 1 FOR 2) = '\\x${prefix}'::bytea AND octet_length(posting.key) = ${octets}`

export const sideSchema: ReadonlyArray<string> = [
  `DELETE FROM posting WHERE ${
    prefixes.map((prefix) => `substring(key FROM 1 FOR 2) = '\\x${prefix}'::bytea`).join(" OR ")
  }`,
  insertLists(
    `SELECT each.key, t.item_id AS item FROM transaction AS t CROSS JOIN LATERAL (VALUES ${
      keys.map((key) => `(${key})`).join(", ")
    }) AS each (key) WHERE each.key IS NOT NULL`
  ),
  insertLists(combined("5469", 11, [type])),
  insertLists(combined("5461", 23, [token, type, `${token} || ${type}`])),
  insertLists(combined("546b", 35, [token, type, `${token} || ${type}`]))
]
