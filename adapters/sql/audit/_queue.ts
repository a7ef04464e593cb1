import { Effect } from "effect"
import { l1UserTransactionId, type Keccak256 } from "../../../core/encoding/mod.ts"
import {
  type AuditSnapshot,
  type AuditStep,
  itemsPerStatement,
  countRows,
  reportViolations
} from "./_audit_snapshot.ts"

const statement = `
SELECT q.item_id, '0x' || encode(q.id, 'hex') AS id, q.queue, q.position, q.forged, t.item_id AS forged_item, t.batch_num,
  (SELECT forge_l1_transactions_num FROM batch WHERE batch.batch_num = t.batch_num) AS forged_queue
FROM queued_transaction AS q LEFT JOIN transaction AS t ON t.id = q.id
WHERE q.item_id > $1::bigint ORDER BY q.item_id LIMIT ${itemsPerStatement}`

interface QueuedRow {
  readonly item_id: bigint
  readonly id: string
  readonly queue: bigint
  readonly position: number
  readonly forged: boolean
  readonly forged_item: bigint | null
  readonly batch_num: bigint | null
  readonly forged_queue: bigint | null
}

/**
 * Checks queued transactions in the order of their item ids: queues ascend, positions have no gaps,
 * and `forged` is set if and only if a batch has the transaction.
 */
export const auditQueue = (
  { advance, findings, rows }: AuditSnapshot,
  keccak256: Keccak256
): AuditStep =>
  Effect.gen(function*() {
    const [ends] = yield* rows<{ readonly last: bigint | null; readonly forged: bigint | null }>(
      "SELECT (SELECT max(item_id) FROM queued_transaction) AS last, (SELECT last_forged_queue FROM batch ORDER BY batch_num DESC LIMIT 1) AS forged"
    )
    let [last, queue, position] = [0n, -1n, -1]
    for (;;) {
      const page: ReadonlyArray<QueuedRow> = yield* rows<QueuedRow>(statement, `${last}`)
      if (page.length === 0) return
      for (const row of page) {
        const place =
          `queued_transaction, item ${row.item_id} (queue ${row.queue}, position ${row.position})`
        findings.same(
          "queued",
          `${place}, id`,
          row.id,
          l1UserTransactionId({
            toForgeL1TransactionsNum: Number(row.queue),
            position: row.position
          }, keccak256)
        )
        findings.same("queued", `${place}, forged`, row.forged, row.forged_item !== null)
        if (row.forged_item !== null) {
          findings.same(
            "queued",
            `${place}, batch ${row.batch_num}`,
            `queue ${row.forged_queue}`,
            `queue ${row.queue}`
          )
        } else if (ends!.forged !== null && row.queue <= ends!.forged) {
          findings.violate(
            "queued",
            place,
            "waits",
            `forged, because queue ${ends!.forged} is forged`
          )
        }
        const isNext = row.queue === queue
          ? row.position === position + 1
          : row.queue > queue && row.position === 0
        if (!isNext) {
          findings.violate(
            "queued",
            place,
            `position ${row.position} of queue ${row.queue}`,
            queue < 0n
              ? "position 0"
              : `position ${position + 1} of queue ${queue}, or position 0 of a later one`
          )
        }
        ;[last, queue, position] = [row.item_id, row.queue, row.position]
      }
      findings.checked("queued", page.length)
      yield* advance(page.length, Number(last) / Number(ends!.last))
    }
  })

const fields = ["instant_withdrawn", "delayed_withdraw_request", "delayed_withdrawn"]
const fieldOf = (exit: string, field: string): string =>
  `CASE ${field} ${
    fields.map((name, number) => `WHEN ${number} THEN ${exit}.${name}`).join(" ")
  } END`

/** Checks that the tables `exit` and `withdrawal` have the same withdrawals. */
export const auditWithdrawals = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const { advance, rows } = snapshot
    yield* reportViolations(
      snapshot,
      "withdrawals",
      `
SELECT 'withdrawal of block ' || w.ethereum_block_num || ', exit ' || w.exit_item || ', field ' || w.field AS place, coalesce(${
        fieldOf("exit", "w.field")
      }::text, 'not withdrawn') AS found,
  w.ethereum_block_num::text AS expected
FROM withdrawal AS w LEFT JOIN exit ON exit.item_id = w.exit_item WHERE ${
        fieldOf("exit", "w.field")
      } IS DISTINCT FROM w.ethereum_block_num`
    )
    yield* countRows(snapshot, "withdrawals", "withdrawal")
    const [last] = yield* rows<{ readonly item: bigint | null }>(
      "SELECT max(item_id) AS item FROM exit"
    )
    const end = Number(last?.item ?? 0n)
    for (let from = 0; from <= end; from += itemsPerStatement) {
      yield* reportViolations(
        snapshot,
        "withdrawals",
        `
SELECT 'exit ' || exit.item_id || ', ' || each.name AS place, each.block::text AS found, 'a withdrawal that tells so' AS expected
FROM exit CROSS JOIN LATERAL (VALUES ${
          fields.map((name, number) => `(${number}, '${name}', exit.${name})`).join(", ")
        }) AS each (field, name, block)
WHERE exit.item_id >= $1::bigint AND exit.item_id < $2::bigint AND each.block IS NOT NULL
  AND NOT EXISTS (SELECT FROM withdrawal AS w WHERE w.ethereum_block_num = each.block AND w.exit_item = exit.item_id AND w.field = each.field)`,
        `${from}`,
        `${from + itemsPerStatement}`
      )
      yield* advance(0, (from + itemsPerStatement) / (end + 1))
    }
  })
