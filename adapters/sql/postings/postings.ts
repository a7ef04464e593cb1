/*
 * How a page and its exact counts cost the same at any size and depth.
 *
 * A posting list holds the item ids of one key (the transactions of an address, say) in ascending order, 64 to a row of `posting`. All
 * rows of a key but its last are full, and each knows its first item and how many items of the key come before it. So the number of
 * items below any item id (its rank) is one index probe, for the row with the greatest first item below it, and a binary search in 64
 * numbers; a total is the rank of infinity, the pending items are the total less the rank of the page's end, and a page is read from
 * the row that its position falls into. No step depends on how many items there are.
 *
 * Several filters: a row of a heavy address could be found under the address, the address and each token, each type, each token and
 * type. To write all of these with each transaction would cost more than the transaction. Instead the lists of combinations follow
 * those of single filters: when a row becomes full its 64 items are filed in the lists below it; what the last, open row holds and is
 * not filed, fewer than 64 items, is sifted when it is read. So a key with fewer than 64 items has no lists below it, and a transaction
 * writes to the ends of some nine lists. The combinations cost nothing while keys are short; among few and busy owners each transaction
 * is in some fifteen of them in the end, but they are written 64 at a time.
 *
 * A rollback removes the items of a suffix: rows behind it are deleted, the one that it falls into is cut, and the lists below lose those
 * that were filed. What stays of a row that was full stays filed: each row knows how many of its items, from the first one on, are. That is
 * done after the rollback (`removed_rows.ts`). Item ids are never used again, so positions that a client holds stay true.
 *
 * Measured: `npm run bench -- sql`.
 */

/** Items to a row. */
export const rowItems = 64

/**
 * Appends items to lists. `$1` are the keys, each once, and `$2` their items, as texts of arrays: ascending, and greater than all that
 * the key has. Returns of the rows that became full what is to be filed: the digits of the key, and the items with commas between them.
 */
export const appendStatement = `
WITH entry AS MATERIALIZED (
  SELECT key, items::bigint[] AS items FROM unnest($1::bytea[], $2::text[]) AS given (key, items)
), piece AS MATERIALIZED (
  SELECT entry.key, tail.first_item AS tail_item, tail.first_ordinal AS tail_ordinal, tail.filed AS tail_filed, ordinal,
    entry.items[(greatest(ordinal - had.total, 0) + 1)::integer : (ordinal - had.total + ${rowItems})::integer] AS items,
    had.total + cardinality(entry.items) >= ordinal + ${rowItems} AS is_full
  FROM entry
  LEFT JOIN LATERAL (
    SELECT first_item, first_ordinal, items, filed FROM posting WHERE posting.key = entry.key ORDER BY first_item DESC LIMIT 1
  ) AS tail ON true
  CROSS JOIN LATERAL (SELECT coalesce(tail.first_ordinal + cardinality(tail.items), 0) AS total) AS had
  CROSS JOIN LATERAL generate_series(had.total / ${rowItems} * ${rowItems}, had.total + cardinality(entry.items) - 1, ${rowItems}) AS ordinal
), grown AS (
  UPDATE posting SET items = posting.items || piece.items, filed = CASE WHEN piece.is_full THEN ${rowItems} ELSE posting.filed END FROM piece
  WHERE posting.key = piece.key AND posting.first_item = piece.tail_item AND piece.ordinal = piece.tail_ordinal
  RETURNING posting.key, piece.is_full, CASE WHEN piece.is_full THEN posting.items[piece.tail_filed + 1:] END AS items
), added AS (
  INSERT INTO posting (key, first_item, first_ordinal, items, filed)
  SELECT key, items[1], ordinal, items, CASE WHEN is_full THEN ${rowItems} ELSE 0 END FROM piece WHERE ordinal IS DISTINCT FROM tail_ordinal
  RETURNING key, filed = ${rowItems} AS is_full, items
)
SELECT encode(key, 'hex') AS key, array_to_string(items, ',') AS items
FROM (SELECT * FROM grown UNION ALL SELECT * FROM added) AS written WHERE is_full`

/**
 * Cuts lists: `$1` are keys, each once, and `$2` the items from which on they lose everything. Returns by key, in one row or several, how
 * many of the items that went were filed in the lists below: of all that went of a key they are the first ones.
 */
export const cutStatement = `
WITH cut AS MATERIALIZED (
  SELECT given.key, given.item, broken.*
  FROM unnest($1::bytea[], $2::bigint[]) AS given (key, item)
  LEFT JOIN LATERAL (
    SELECT first_item, filed, cardinality(items) AS size, width_bucket(given.item - 1, items) AS kept
    FROM posting WHERE posting.key = given.key AND first_item < given.item ORDER BY first_item DESC LIMIT 1
  ) AS broken ON true
), deleted AS (
  DELETE FROM posting USING cut
  WHERE (cut.size IS NULL OR cut.size = ${rowItems}) AND posting.key = cut.key AND posting.first_item >= cut.item
  RETURNING posting.key, posting.filed
), cropped AS (
  UPDATE posting SET items = posting.items[1:cut.kept], filed = least(cut.filed, cut.kept) FROM cut
  WHERE cut.kept < cut.size AND posting.key = cut.key AND posting.first_item = cut.first_item
  RETURNING posting.key, (cut.filed - posting.filed)::smallint AS filed
)
SELECT encode(key, 'hex') AS key, filed FROM (SELECT * FROM deleted UNION ALL SELECT * FROM cropped) AS gone WHERE filed > 0`
