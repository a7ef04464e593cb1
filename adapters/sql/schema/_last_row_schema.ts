/*
 * The last row of each posting list is in a partition of its own. Only these rows change, so they
 * stay in the cache, while full rows are written once. `fillfactor` leaves space for a row to grow
 * in its page.
 */

export const lastRowSchema: ReadonlyArray<string> = [
  "ALTER TABLE posting RENAME TO posting_before",
  "ALTER INDEX posting_pkey RENAME TO posting_before_pkey",
  `CREATE TABLE posting (
  key bytea NOT NULL,
  first_item bigint NOT NULL,
  first_ordinal bigint NOT NULL CHECK (first_ordinal >= 0 AND mod(first_ordinal, 64) = 0),
  items bigint[] NOT NULL CHECK (cardinality(items) BETWEEN 1 AND 64),
  filed smallint NOT NULL CHECK (filed BETWEEN 0 AND cardinality(items) AND (filed = 64) = (cardinality(items) = 64)),
  is_last boolean NOT NULL CHECK (is_last OR cardinality(items) = 64),
  PRIMARY KEY (key, first_item, is_last),
  CHECK (items[1] = first_item)
) PARTITION BY LIST (is_last)`,
  "CREATE TABLE posting_full PARTITION OF posting FOR VALUES IN (false)",
  "CREATE TABLE posting_last PARTITION OF posting FOR VALUES IN (true) WITH (fillfactor = 50)",
  `INSERT INTO posting (key, first_item, first_ordinal, items, filed, is_last)
SELECT key, first_item, first_ordinal, items, filed, lead(first_item) OVER (PARTITION BY key ORDER BY first_item) IS NULL FROM posting_before`,
  "DROP TABLE posting_before"
]
