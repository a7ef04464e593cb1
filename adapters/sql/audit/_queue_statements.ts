import { transactionTypes } from "../../../core/domain/mod.ts"
import { storedQueuedTransaction, transaction } from "../entities/mod.ts"
import type { AuditStatement } from "./_audit_snapshot.ts"

const place = (row: string): string =>
  `'queued_transaction, item ' || ${row}.item_id || ' (queue ' || ${row}.queue || ', position ' || ${row}.position || ')'`

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

const fields = ["instant_withdrawn", "delayed_withdraw_request", "delayed_withdrawn"]
const fieldOf = (exit: string, field: string): string =>
  `CASE ${field} ${
    fields.map((name, number) => `WHEN ${number} THEN ${exit}.${name}`).join(" ")
  } END`

/** The checks of the queued transactions, which a rollback queues again. */
export const queueStatements: ReadonlyArray<AuditStatement> = [
  {
    check: "queued",
    counted: "queued_transaction",
    text: `
SELECT ${place("q")} AS place, 'position ' || position || ' of queue ' || queue AS found,
  coalesce('position ' || position_before + 1 || ' of queue ' || queue_before || ', or position 0 of a later one', 'position 0') AS expected
FROM (
  SELECT *, lag(queue) OVER items AS queue_before, lag(position) OVER items AS position_before FROM queued_transaction WINDOW items AS (ORDER BY item_id)
) AS q WHERE CASE WHEN queue = queue_before THEN position <> position_before + 1 ELSE position <> 0 OR queue < queue_before END`
  },
  {
    check: "queued",
    text: `
SELECT ${
      place("q")
    } || ', forged' AS place, q.forged::text AS found, coalesce('true, in batch ' || t.batch_num, 'false, since no batch has it') AS expected
FROM queued_transaction AS q LEFT JOIN transaction AS t ON t.id = q.id WHERE q.forged <> (t.id IS NOT NULL)`
  },
  {
    check: "queued",
    text: `
SELECT ${
      place("q")
    } AS place, 'waits' AS found, 'forged, because queue ' || last.queue || ' is forged' AS expected
FROM queued_transaction AS q JOIN (SELECT max(forge_l1_transactions_num) AS queue FROM batch) AS last ON q.queue <= last.queue WHERE NOT q.forged`
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
    check: "queued",
    text: `
SELECT ${
      place("q")
    } AS place, 'effects of a batch, or the sender of another type' AS found, 'the transaction as it was queued' AS expected
FROM queued_transaction AS q WHERE amount_success OR deposit_amount_success OR historic_usd IS NOT NULL OR (from_account_index IS NULL) <> (type IN (${creating}))`
  },
  {
    check: "withdrawals",
    counted: "withdrawal",
    text: `
SELECT 'withdrawal of block ' || w.ethereum_block_num || ', exit ' || w.exit_item || ', field ' || w.field AS place,
  coalesce(${
      fieldOf("exit", "w.field")
    }::text, 'not withdrawn') AS found, w.ethereum_block_num::text AS expected
FROM withdrawal AS w LEFT JOIN exit ON exit.item_id = w.exit_item WHERE ${
      fieldOf("exit", "w.field")
    } IS DISTINCT FROM w.ethereum_block_num`
  },
  {
    check: "withdrawals",
    text: `
SELECT 'exit ' || exit.item_id || ', ' || each.name AS place, each.block::text AS found, 'a withdrawal that tells so' AS expected
FROM exit CROSS JOIN LATERAL (VALUES ${
      fields.map((name, number) => `(${number}, '${name}', exit.${name})`).join(", ")
    }) AS each (field, name, block)
WHERE each.block IS NOT NULL AND NOT EXISTS (
  SELECT FROM withdrawal AS w WHERE w.ethereum_block_num = each.block AND w.exit_item = exit.item_id AND w.field = each.field
)`
  }
]
