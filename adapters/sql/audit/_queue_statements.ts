import { transactionTypes, withdrawalFields } from "../../../core/domain/mod.ts"
import { exit, storedQueuedTransaction, transaction } from "../entities/mod.ts"
import type { AuditStatement } from "./_audit_snapshot.ts"

/** Columns that a batch may change when it forges a transaction, and those of one table only. */
const changed = [
  "item_id",
  "batch_num",
  "from_account_index",
  "from_public_key",
  "to_address",
  "to_public_key",
  "amount_success",
  "deposit_amount_success",
  "historic_usd",
  "forged"
]
const kept = storedQueuedTransaction.columns.map(({ name }) => name).filter((name) =>
  !changed.includes(name) && transaction.columns.some((column) => column.name === name)
)
const rowOf = (alias: string): string => `(${kept.map((name) => `${alias}.${name}`).join(", ")})`

/** Columns that a batch fills in, if they were not known when the transaction was queued. */
const filled = ["from_account_index", "from_public_key", "to_address", "to_public_key"]
const creating = [...transactionTypes.keys()].filter((type) =>
  transactionTypes[type]!.startsWith("CreateAccount")
)

/** The columns of an exit that withdrawals set, in the order of their numbers. */
const fields = Object.keys(exit.parametersOf(...withdrawalFields))

/** The checks of the queued transactions, which a rollback queues again. */
export const queueStatements: ReadonlyArray<AuditStatement> = [
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
