import { Effect } from "effect"
import {
  type AuditSnapshot,
  type AuditStep,
  countRows,
  reportViolations
} from "./_audit_snapshot.ts"

/** Checks registrations of coordinators and bids. */
export const auditAuction = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    yield* reportViolations(
      snapshot,
      "coordinators",
      `
SELECT 'registration 0x' || encode(bidder_addr, 'hex') AS place, 'item ' || coalesce(found.item_id::text, 'none') || ', forger ' || coalesce(encode(found.forger_addr, 'hex'), 'none') AS found,
  'item ' || coalesce(latest.item_id::text, 'none') || ', forger ' || coalesce(encode(latest.forger_addr, 'hex'), 'none') AS expected
FROM (SELECT DISTINCT ON (bidder_addr) bidder_addr, forger_addr, item_id FROM coordinator ORDER BY bidder_addr, item_id DESC) AS latest
FULL JOIN registration AS found USING (bidder_addr)
WHERE found.item_id IS DISTINCT FROM latest.item_id OR found.forger_addr IS DISTINCT FROM latest.forger_addr`
    )
    yield* countRows(snapshot, "coordinators", "coordinator")
    yield* reportViolations(
      snapshot,
      "bids",
      `
SELECT 'bid ' || item_id || ' (slot ' || slot_num || ')' AS place, bid_value::text AS found, 'more than ' || before || ', the bid before' AS expected
FROM (SELECT *, lag(bid_value) OVER (PARTITION BY slot_num ORDER BY item_id) AS before FROM bid) AS bids WHERE bid_value <= before`
    )
    yield* reportViolations(
      snapshot,
      "bids",
      `
SELECT 'bid ' || item_id || ', bidder_addr' AS place, '0x' || encode(bidder_addr, 'hex') AS found, 'the address of a coordinator that registered before' AS expected
FROM bid WHERE NOT EXISTS (SELECT FROM coordinator WHERE coordinator.bidder_addr = bid.bidder_addr AND coordinator.ethereum_block_num <= bid.ethereum_block_num)`
    )
    yield* reportViolations(
      snapshot,
      "bids",
      `
SELECT 'bid ' || bid.item_id || ', timestamp_ms' AS place, bid.timestamp_ms::text AS found, coalesce(block.timestamp_ms::text, 'that of a block that is there') AS expected
FROM bid LEFT JOIN block ON block.number = bid.ethereum_block_num WHERE bid.timestamp_ms IS DISTINCT FROM block.timestamp_ms`
    )
    yield* countRows(snapshot, "bids", "bid")
  })
