import { openLevels, postingLists, slotKey, wonSlotSource } from "../postings/mod.ts"
import type { AuditStatement } from "./_audit_snapshot.ts"
import { keysOf, listsOf } from "./_posting_statements.ts"

/** The keys of the lists of exits, with `O` first. */
const openExitKeys = listsOf(postingLists.exits).flatMap((lists) => keysOf("O", lists))

/** Exits that can be withdrawn, slots by the bidder of their best bid, and those that are won. */
const expected = `
SELECT keys.key, r.item_id AS item FROM exit AS r CROSS JOIN LATERAL (VALUES ${
  openExitKeys.map((key) => `(${key})`).join(", ")
}) AS keys (key) WHERE r.instant_withdrawn IS NULL AND r.delayed_withdrawn IS NULL
UNION ALL SELECT ${
  slotKey("best.bidder_addr")
}, slot_num FROM (SELECT DISTINCT ON (slot_num) slot_num, bidder_addr FROM bid ORDER BY slot_num, item_id DESC) AS best
UNION ALL SELECT won.key, won.item FROM (${
  wonSlotSource("SELECT DISTINCT slot_num FROM bid", true)
}) AS won`

/** The checks of the lists of open items and of their counts. */
export const openItemStatements: ReadonlyArray<AuditStatement> = [
  {
    check: "open-items",
    counted: "open_item",
    text: `
SELECT 'open_item ' || encode(key, 'hex') || ', item ' || item AS place, CASE WHEN found.is_found THEN 'an entry' ELSE 'no entry' END AS found,
  CASE WHEN found.is_found THEN 'none: it is not open, or not under this key' ELSE 'one, since it is open' END AS expected
FROM (SELECT key, item, true AS is_found FROM open_item) AS found FULL JOIN (
  SELECT key, item, true AS is_open FROM (${expected}) AS source
) AS open USING (key, item) WHERE is_found IS NULL OR is_open IS NULL`
  },
  {
    check: "open-counts",
    counted: "open_count",
    text: `
SELECT 'open_count ' || encode(key, 'hex') || ', level ' || level || ', bucket ' || bucket AS place, coalesce(counted.items::text, 'no row') AS found, coalesce(there.items::text, 'no row') AS expected
FROM (
  SELECT key, level, item >> bits AS bucket, count(*) AS items FROM open_item CROSS JOIN (VALUES ${
      openLevels.map(({ bits, level }) => `(${level}::smallint, ${bits})`).join(", ")
    }) AS levels (level, bits) GROUP BY key, level, item >> bits
) AS there FULL JOIN open_count AS counted USING (key, level, bucket) WHERE there.items IS DISTINCT FROM counted.items`
  }
]
