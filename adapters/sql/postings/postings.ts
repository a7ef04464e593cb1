/*
 * Posting lists: a page and its exact counts cost the same at any size and depth of a list.
 *
 * A posting list holds the item ids of one key, such as the transactions of an address, in
 * ascending order, 64 to a row of `posting`. All rows of a key are full except the last, which is in
 * a partition of its own: only last rows change, and so few pages stay in the cache. Each row stores
 * its first item and how many items of the key come before it. So the rank of an item id,
 * which is the number of items below it, takes one index probe, for the row with the greatest first
 * item below it, and a binary search in 64 numbers. The total is the rank of infinity, the pending
 * items are the total minus the rank of the end of the page, and a page is read from the row that
 * contains its position. No step depends on the number of items.
 *
 * Several filters: a row could be listed under its address, under address and token, address and
 * type, and address, token and type. Writing all of these keys with each transaction would cost
 * more than the transaction itself. So the lists of combined filters are filled later: when the
 * first posting row under a single filter becomes full, its 64 items are added to the lists of the
 * combinations, and from then on 16 items at a time. The items of the last row that are not yet in
 * them, fewer than 16 if a row precedes it, are filtered when they are read (`unindexedTail`): one scan
 * of the index finds their rows. A key with fewer than 64 items therefore has no lists of combinations, and
 * writing a transaction appends to about nine lists. If there are few, busy owners, each
 * transaction ends up in about fifteen more lists, but they are written 16 items at a time.
 *
 * Sender and receiver: the lists of an account, an address or a key are three, for transactions that
 * only the sender has, only the receiver, or both. They are disjoint, so a filter by one side reads
 * two of them and a filter by either side three, and a transaction has as many entries as with one
 * list. Transactions from one account to another are the rows of the shorter list of the two that
 * have the other side.
 *
 * A rollback removes a suffix of the items: rows after it are deleted, the row that contains its
 * start is shortened, and items that were in lists of combinations are removed from them. The items
 * that remain in a shortened row stay in those lists: the column `filed` counts the items of a row,
 * from the first one on, that they hold. Item ids are never reused, so a position that a client holds stays valid.
 *
 * It buys the rows "÷ COUNT(*) OVER ()" of test/bench/RESULTS.md (`npm run bench -- sql`). A list has no
 * other index, so it cannot be switched off.
 */

/** Greatest number of items in a row of `posting`. */
export const rowItems = 64

/** Items of a key that are added to its lists of combined filters at a time, after its first row. */
const combinedItems = 16

/**
 * Appends items to lists. `$1` are the keys, without duplicates; `$2` are their items, each an
 * array in text form, ascending and greater than all items of the key. For each row with items to
 * add to the lists of combined filters, it returns the key as hexadecimal digits and these items,
 * separated by commas. A last row is updated by its `ctid`, without a second search in the
 * index; no other transaction can write the row meanwhile.
 */
export const appendStatement = `
WITH piece AS MATERIALIZED (
  SELECT entry.key, entry.place, entry.first_ordinal + start AS ordinal, start + ${rowItems} >= cardinality(entry.items) AS is_last,
    CASE WHEN start = 0 THEN entry.filed ELSE 0 END AS filed, entry.items[start + 1:start + ${rowItems}] AS items,
    CASE WHEN entry.first_ordinal + cardinality(entry.items) < ${rowItems} THEN entry.filed
      ELSE greatest(CASE WHEN start = 0 THEN entry.filed ELSE 0 END,
        least(${rowItems}, cardinality(entry.items) - start) / ${combinedItems} * ${combinedItems}) END AS combined
  FROM (
    SELECT given.key, last.place, coalesce(last.first_ordinal, 0) AS first_ordinal, coalesce(last.filed, 0::smallint) AS filed,
      coalesce(last.items, '{}') || given.items::bigint[] AS items
    FROM unnest($1::bytea[], $2::text[]) AS given (key, items)
    LEFT JOIN LATERAL (
      SELECT ctid AS place, first_ordinal, items, filed FROM posting_last WHERE posting_last.key = given.key LIMIT 1
    ) AS last ON true
    OFFSET 0
  ) AS entry CROSS JOIN LATERAL generate_series(0, cardinality(entry.items) - 1, ${rowItems}) AS start
), changed AS (
  UPDATE posting_last SET first_item = piece.items[1], first_ordinal = piece.ordinal, items = piece.items,
    filed = piece.combined
  FROM piece WHERE piece.is_last AND posting_last.ctid = piece.place
), added AS (
  INSERT INTO posting (key, first_item, first_ordinal, items, filed, is_last)
  SELECT key, items[1], ordinal, items, combined, is_last
  FROM piece WHERE NOT is_last OR place IS NULL
)
SELECT encode(key, 'hex') AS key, array_to_string(items[filed + 1:combined], ',') AS items FROM piece WHERE filed < combined`

/**
 * Cuts lists: `$1` are the keys, without duplicates; `$2` are the first items to remove. Returns
 * for each key, in one row or several, how many of the removed items are in lists of combined
 * filters: they are the first ones of the removed items. Most lists are only shortened in their last
 * row, by its `ctid`. Others lose it, and with it the full rows from the item on; the full row before
 * becomes the last one, after the parts of the statement that are listed before it.
 */
export const cutStatement = `
WITH cut AS MATERIALIZED (
  SELECT given.key, given.item, last.place, last.filed, last.first_item >= given.item AS is_gone, cardinality(last.items) AS size, width_bucket(given.item - 1, last.items) AS kept
  FROM unnest($1::bytea[], $2::bigint[]) AS given (key, item)
  CROSS JOIN LATERAL (
    SELECT ctid AS place, first_item, items, filed FROM posting_last WHERE posting_last.key = given.key LIMIT 1
  ) AS last
), broken AS MATERIALIZED (
  SELECT cut.key, cut.item, row.* FROM cut LEFT JOIN LATERAL (
    SELECT first_item, filed, width_bucket(cut.item - 1, items) AS kept FROM posting_full
    WHERE posting_full.key = cut.key AND first_item < cut.item ORDER BY first_item DESC LIMIT 1
  ) AS row ON true WHERE cut.is_gone
), shortened AS (
  UPDATE posting_last SET items = posting_last.items[1:cut.kept], filed = least(cut.filed, cut.kept) FROM cut
  WHERE NOT cut.is_gone AND cut.kept < cut.size AND posting_last.ctid = cut.place RETURNING cut.key, cut.filed - posting_last.filed AS filed
), gone AS (
  DELETE FROM posting_last USING cut WHERE cut.is_gone AND posting_last.ctid = cut.place RETURNING cut.key, posting_last.filed
), full_gone AS (
  DELETE FROM posting_full USING broken WHERE posting_full.key = broken.key AND posting_full.first_item >= broken.item
  RETURNING broken.key, posting_full.filed
), moved AS (
  UPDATE posting SET items = posting.items[1:broken.kept], filed = least(broken.filed, broken.kept), is_last = true FROM broken
  WHERE NOT posting.is_last AND posting.key = broken.key AND posting.first_item = broken.first_item RETURNING broken.key, broken.filed - posting.filed AS filed
)
SELECT encode(key, 'hex') AS key, filed::smallint AS filed FROM (
  SELECT * FROM shortened UNION ALL SELECT * FROM gone UNION ALL SELECT * FROM full_gone UNION ALL SELECT * FROM moved
) AS removed WHERE filed > 0`
