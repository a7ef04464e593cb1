/**
 * The default bids of auction variables as a column, and the lists of won slots in `open_item` (key
 * `Sw` and a bidder), filled from the stored bids.
 */
export const wonSlotSchema: ReadonlyArray<string> = [
  "ALTER TABLE parameter_set ADD COLUMN default_bids numeric(78, 0)[]",
  // in JSON no other member can contain this text: it would contain the quotes with backslashes
  `UPDATE parameter_set SET default_bids =
  string_to_array(replace(substring(variables FROM '"defaultSlotSetBid":\\[([^]]*)\\]'), '"', ''), ',')::numeric(78, 0)[]
WHERE kind = 'auction'`,
  "ALTER TABLE parameter_set ADD CHECK ((default_bids IS NULL) = (first_slot IS NULL))",
  `INSERT INTO open_item (key, item)
SELECT '\\x5377'::bytea || best.bidder_addr, best.slot_num
FROM (SELECT DISTINCT ON (slot_num) slot_num, bidder_addr, bid_value FROM bid ORDER BY slot_num, item_id DESC) AS best
WHERE best.bid_value >= (
  SELECT applicable.default_bids[1 + mod(best.slot_num, 6)] FROM parameter_set AS applicable
  WHERE applicable.first_slot <= best.slot_num ORDER BY applicable.first_slot DESC, applicable.ethereum_block_num DESC LIMIT 1
)`,
  `INSERT INTO open_count (key, level, bucket, items)
SELECT key, level, item >> bits, count(*) FROM open_item CROSS JOIN (VALUES (1, 9), (2, 18)) AS levels (level, bits)
WHERE substring(key FROM 1 FOR 2) = '\\x5377'::bytea GROUP BY key, level, item >> bits`
]
