import { Effect } from "effect"
import { feeSumUnits } from "../../../core/domain/mod.ts"
import { double, inferredShape, integer, queryOf, selectRows, sum } from "../entities/mod.ts"
import type { AuditSnapshot, AuditStatement, AuditStep } from "./_audit_snapshot.ts"

/* What the row of a batch has for a rollback and for the metrics: ranges of item ids, and totals. */

/** The totals of a batch, and what it adds to those of the previous batch. */
const totals = {
  total_transactions: "coalesce(t.size, 0)",
  total_l2_transactions: "coalesce(t.l2, 0)",
  total_accounts: "num_accounts",
  total_public_keys: "coalesce(new_key.size, 0)",
  total_l1_user_transactions: "coalesce(t.users, 0)",
  total_l1_wait_ms: "coalesce(t.users * batch.timestamp_ms - t.queued_ms, 0)"
}

const totalsStatement = `
SELECT 'batch ' || batch_num || ', ' || each.total AS place, each.found::text AS found, each.expected::text AS expected FROM batch
LEFT JOIN (
  SELECT batch_num, count(*) AS size, count(fee) AS l2, count(*) FILTER (WHERE user_origin) AS users, sum(timestamp_ms) FILTER (WHERE user_origin) AS queued_ms
  FROM transaction GROUP BY batch_num
) AS t USING (batch_num)
LEFT JOIN (
  SELECT batch_num, count(*) AS size FROM (SELECT DISTINCT ON (public_key) batch_num FROM account ORDER BY public_key, account_index) AS first_of_key GROUP BY batch_num
) AS new_key USING (batch_num)
LEFT JOIN (
  SELECT batch_num, ${
  Object.keys(totals).map((total) => `lag(${total}) OVER batches AS ${total}`).join(", ")
},
    max(forge_l1_transactions_num) OVER batches AS last_queue
  FROM batch WINDOW batches AS (ORDER BY batch_num)
) AS before USING (batch_num)
CROSS JOIN LATERAL (VALUES
  ${
  Object.entries(totals).map(([total, own]) =>
    `('${total}', batch.${total}::numeric, coalesce(before.${total}, 0) + ${own})`
  ).join(",\n  ")
},
  ('last_forged_queue', batch.last_forged_queue, before.last_queue)
) AS each (total, found, expected) WHERE each.found IS DISTINCT FROM each.expected`

/** Compares the range of the rows of each batch in a table with the rows that name the batch. */
const rangeStatement = (table: "transaction" | "exit"): AuditStatement => ({
  check: "ranges",
  text: `
SELECT 'batch ' || batch_num || ', ${table}s' AS place, coalesce(size, 0) || coalesce(' rows from ' || first || ' to ' || last, ' rows') AS found,
  coalesce(range_to - range_from || ' rows in the range from ' || range_from || ' to ' || range_to || ', after ' || end_before, 'a stored batch') AS expected
FROM (
  SELECT batch_num, ${table}s_from AS range_from, ${table}s_to AS range_to, coalesce(lag(${table}s_to) OVER (ORDER BY batch_num), 0) AS end_before FROM batch
) AS batch FULL JOIN (
  SELECT batch_num, count(*) AS size, min(item_id) AS first, max(item_id) AS last FROM ${table} GROUP BY batch_num
) AS own USING (batch_num)
WHERE range_from IS NULL OR range_from < end_before OR coalesce(size, 0) <> range_to - range_from OR first < range_from OR last >= range_to`
})

/** The checks of ranges and totals. */
export const batchStatements: ReadonlyArray<AuditStatement> = [
  { check: "totals", counted: "batch", text: totalsStatement },
  rangeStatement("transaction"),
  rangeStatement("exit")
]

const batchesPerPage = 10_000
const fees = queryOf(
  inferredShape({
    batchNum: ["batch_num", integer],
    feeUSD: ["historic_total_collected_fees_usd", double],
    feeUnits: ["total_fee_units", sum]
  }),
  `batch AS r WHERE r.batch_num > $1::bigint ORDER BY r.batch_num LIMIT ${batchesPerPage}`
)

/** Checks the sums of the fees in US dollars: `feeSumUnits` says how they are added. */
export const auditFeeTotals = ({ findings, sql }: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    let [last, total] = [0, 0n]
    for (;;) {
      const page = yield* selectRows(sql, fees, [`${last}`])
      if (page.length === 0) return
      for (const { batchNum, feeUSD, feeUnits } of page) {
        const expected = total + feeSumUnits(feeUSD)
        findings.same("totals", `batch ${batchNum}, total_fee_units`, feeUnits, expected)
        ;[last, total] = [batchNum, feeUnits]
      }
    }
  })
