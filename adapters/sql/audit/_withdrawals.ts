import { Effect } from "effect"
import {
  type AuditSnapshot,
  type AuditStep,
  countRows,
  itemsPerStatement,
  reportViolations
} from "./_audit_snapshot.ts"

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
