import type { AuditStatement } from "./_audit_snapshot.ts"

/** The checks of tokens, prices, coordinators and bids. */
export const registrationStatements: ReadonlyArray<AuditStatement> = [
  {
    check: "prices",
    counted: "price_change",
    text: `
SELECT 'token ' || token_id || wrong.place AS place, wrong.found, wrong.expected FROM token CROSS JOIN LATERAL (VALUES
  ('', 'price ' || coalesce(price_usd::text, 'none') || ' at ' || coalesce(price_time_ms::text, 'no time'), 'both or neither', (price_usd IS NULL) <> (price_time_ms IS NULL)),
  (', price_usd', price_usd::text, 'none, since no price_change tells that it was set',
    price_usd IS NOT NULL AND NOT EXISTS (SELECT FROM price_change WHERE price_change.token_id = token.token_id))
) AS wrong (place, found, expected, is_wrong) WHERE wrong.is_wrong`
  },
  {
    check: "prices",
    text: `
SELECT 'price_change of block ' || ethereum_block_num || ', place ' || place AS place, wrong.found, wrong.expected FROM (
  SELECT price_change.*, token.ethereum_block_num AS registered, lag(place) OVER (PARTITION BY price_change.ethereum_block_num ORDER BY place) AS before,
    row_number() OVER (PARTITION BY token_id ORDER BY price_change.ethereum_block_num, place) AS number
  FROM price_change LEFT JOIN token USING (token_id)
) AS change CROSS JOIN LATERAL (VALUES
  ('token ' || token_id, 'a registered token', registered IS NULL),
  ('place ' || place, 'place ' || coalesce(before + 1, 0), place <> coalesce(before + 1, 0)),
  ('price ' || coalesce(price_usd_before::text, 'none') || ' at ' || coalesce(price_time_ms_before::text, 'no time'), 'both or neither', (price_usd_before IS NULL) <> (price_time_ms_before IS NULL)),
  ('price ' || price_usd_before, 'none, since it is the first price of token ' || token_id, number = 1 AND price_usd_before IS NOT NULL AND registered IS DISTINCT FROM ethereum_block_num)
) AS wrong (found, expected, is_wrong) WHERE wrong.is_wrong`
  },
  {
    check: "coordinators",
    counted: "coordinator",
    text: `
SELECT 'registration 0x' || encode(bidder_addr, 'hex') AS place, 'item ' || coalesce(found.item_id::text, 'none') || ', forger ' || coalesce(encode(found.forger_addr, 'hex'), 'none') AS found,
  'item ' || coalesce(latest.item_id::text, 'none') || ', forger ' || coalesce(encode(latest.forger_addr, 'hex'), 'none') AS expected
FROM (SELECT DISTINCT ON (bidder_addr) bidder_addr, forger_addr, item_id FROM coordinator ORDER BY bidder_addr, item_id DESC) AS latest
FULL JOIN registration AS found USING (bidder_addr)
WHERE found.item_id IS DISTINCT FROM latest.item_id OR found.forger_addr IS DISTINCT FROM latest.forger_addr`
  },
  {
    check: "bids",
    counted: "bid",
    text: `
SELECT 'bid ' || item_id || wrong.place AS place, wrong.found, wrong.expected
FROM (SELECT *, lag(bid_value) OVER (PARTITION BY slot_num ORDER BY item_id) AS before FROM bid) AS bid LEFT JOIN block ON block.number = bid.ethereum_block_num
CROSS JOIN LATERAL (VALUES
  (' (slot ' || slot_num || ')', bid_value::text, 'more than ' || before || ', the bid before', bid_value <= before),
  (', bidder_addr', '0x' || encode(bidder_addr, 'hex'), 'the address of a coordinator that registered before',
    NOT EXISTS (SELECT FROM coordinator WHERE coordinator.bidder_addr = bid.bidder_addr AND coordinator.ethereum_block_num <= bid.ethereum_block_num)),
  (', timestamp_ms', bid.timestamp_ms::text, coalesce(block.timestamp_ms::text, 'that of a block that is there'), bid.timestamp_ms IS DISTINCT FROM block.timestamp_ms)
) AS wrong (place, found, expected, is_wrong) WHERE wrong.is_wrong`
  }
]
