import { transactionTypes, withdrawalFields } from "../../../core/domain/mod.ts"
import { exit, storedQueuedTransaction, transaction } from "../entities/mod.ts"
import type { AuditStatement } from "./_audit_snapshot.ts"

/** The head must not contradict the last block, and no version may be newer than that of the row. */
const ledgerStatement = `
SELECT 'ledger, ' || wrong.place AS place, wrong.found, wrong.expected
FROM ledger JOIN block ON block.number = ledger.ethereum_block_num CROSS JOIN LATERAL (VALUES
  ('head_hash', '0x' || encode(ledger.head_hash, 'hex'), '0x' || encode(block.hash, 'hex'), ledger.head_number = block.number AND ledger.head_hash <> block.hash),
  ('head_timestamp_ms', ledger.head_timestamp_ms::text, 'at least ' || block.timestamp_ms, ledger.head_number > block.number AND ledger.head_timestamp_ms < block.timestamp_ms),
  ('part_versions', ledger.part_versions::text, 'none above ' || ledger.version, ledger.version < ANY (ledger.part_versions)),
  ('token_version', ledger.token_version::text, 'at least ' || (SELECT max(version) FROM token), ledger.token_version < (SELECT max(version) FROM token))
) AS wrong (place, found, expected, is_wrong) WHERE wrong.is_wrong`

/** Columns that a batch fills in, if they were not known when the transaction was queued. */
const filled = ["from_account_index", "from_public_key", "to_address", "to_public_key"]
/** Columns that a batch may change when it forges a transaction, and those of one table only. */
const changed = [
  ...filled,
  "item_id",
  "batch_num",
  "amount_success",
  "deposit_amount_success",
  "historic_usd",
  "forged"
]
const kept = storedQueuedTransaction.columns.map(({ name }) => name).filter((name) =>
  !changed.includes(name) && transaction.columns.some((column) => column.name === name)
)
const rowOf = (alias: string): string => `(${kept.map((name) => `${alias}.${name}`).join(", ")})`

const creating = [...transactionTypes.keys()].filter((type) =>
  transactionTypes[type]!.startsWith("CreateAccount")
)

/** The columns of an exit that withdrawals set, in the order of their numbers. */
const fields = Object.keys(exit.parametersOf(...withdrawalFields))

/**
 * The checks of the row of `ledger`, of tokens, prices, coordinators and bids, and of what a rollback
 * restores: queued transactions and withdrawals. The last block and batch of the ledger are those
 * that the ports return.
 */
export const rowStatements: ReadonlyArray<AuditStatement> = [
  { check: "standing", counted: "ledger", text: ledgerStatement },
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
  },
  {
    check: "queued",
    counted: "queued_transaction",
    text: `
SELECT 'queued_transaction, item ' || q.item_id || ' (queue ' || q.queue || ', position ' || q.position || ')' || wrong.place AS place, wrong.found, wrong.expected
FROM (
  SELECT *, lag(queue) OVER items AS queue_before, lag(position) OVER items AS position_before FROM queued_transaction WINDOW items AS (ORDER BY item_id)
) AS q LEFT JOIN transaction AS t ON t.id = q.id CROSS JOIN (SELECT max(forge_l1_transactions_num) AS queue FROM batch) AS last
CROSS JOIN LATERAL (VALUES
  ('', 'position ' || q.position || ' of queue ' || q.queue, coalesce('position ' || position_before + 1 || ' of queue ' || queue_before || ', or position 0 of a later one', 'position 0'),
    CASE WHEN q.queue = queue_before THEN q.position <> position_before + 1 ELSE q.position <> 0 OR q.queue < queue_before END),
  (', forged', q.forged::text, coalesce('true, in batch ' || t.batch_num, 'false, since no batch has it'), q.forged <> (t.id IS NOT NULL)),
  ('', 'waits', 'forged, because queue ' || last.queue || ' is forged', q.queue <= last.queue AND NOT q.forged),
  ('', 'effects of a batch, or the sender of another type', 'the transaction as it was queued',
    q.amount_success OR q.deposit_amount_success OR q.historic_usd IS NOT NULL OR (q.from_account_index IS NULL) <> (q.type IN (${creating})))
) AS wrong (place, found, expected, is_wrong) WHERE wrong.is_wrong`
  },
  {
    check: "queued",
    text: `
SELECT 'transaction 0x' || encode(t.id, 'hex') || ' (item ' || t.item_id || ', batch ' || t.batch_num || ')' AS place,
  CASE WHEN q.id IS NULL THEN 'no queued transaction with this id' ELSE 'other fields than in the queue' END AS found, 'the queued transaction' AS expected
FROM transaction AS t LEFT JOIN queued_transaction AS q ON q.id = t.id
WHERE t.user_origin AND (q.id IS NULL OR ${rowOf("t")} IS DISTINCT FROM ${rowOf("q")} OR ${
      filled.map((name) => `q.${name} <> t.${name}`).join(" OR ")
    })`
  },
  {
    check: "withdrawals",
    counted: "withdrawal",
    text: `
SELECT coalesce('withdrawal of block ' || w.ethereum_block_num || ', exit ' || w.exit_item || ', field ' || w.field, 'exit ' || exit_item || ', ' || told.name) AS place,
  CASE WHEN told.name IS NULL THEN 'not withdrawn in this block' ELSE ethereum_block_num::text END AS found,
  coalesce(w.ethereum_block_num::text, 'a withdrawal that tells so') AS expected
FROM withdrawal AS w FULL JOIN (
  SELECT exit.item_id AS exit_item, each.* FROM exit CROSS JOIN LATERAL (VALUES ${
      fields.map((name, number) => `(${number}, '${name}', exit.${name})`).join(", ")
    }) AS each (field, name, ethereum_block_num) WHERE each.ethereum_block_num IS NOT NULL
) AS told USING (exit_item, field, ethereum_block_num) WHERE w.exit_item IS NULL OR told.name IS NULL`
  }
]
