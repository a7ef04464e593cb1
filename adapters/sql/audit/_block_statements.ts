import { feeSumUnits } from "../../../core/domain/mod.ts"
import { double, inferredShape, integer, queryOf, sum } from "../entities/mod.ts"
import {
  type AuditSnapshot,
  type AuditStatement,
  type AuditStep,
  eachRow
} from "./_audit_snapshot.ts"

/*
 * The row of a block has *marks*: the next item id of each list and the last ids after the block,
 * which a rollback to the block restores. Item ids ascend with the blocks, so the rows that came with
 * a block are between the marks of the previous block and its own.
 */

const nextIds = (table: string): string =>
  `SELECT ethereum_block_num, item_id, item_id + 1 FROM ${table}`
const lastIds = (id: string, table: string): string =>
  `SELECT ethereum_block_num, ${id}, ${id} FROM ${table}`
const createdAccounts =
  "(SELECT account.item_id, account_index, ethereum_block_num FROM account JOIN batch USING (batch_num)) AS created"

/** Without ether, which came with no block. */
const tokens = "token WHERE token_id > 0"

const nextMarks = {
  next_account: nextIds(createdAccounts),
  next_exit:
    "SELECT ethereum_block_num, exits_from, exits_to FROM batch WHERE exits_to > exits_from",
  next_transaction: `${nextIds("queued_transaction")}
UNION ALL SELECT ethereum_block_num, transactions_from, transactions_to FROM batch WHERE transactions_to > transactions_from`,
  next_batch: nextIds("batch"),
  next_bid: nextIds("bid"),
  next_token: nextIds(tokens),
  next_coordinator: nextIds("coordinator")
}

/** By mark: a query of the rows that came with blocks, as block, first id, and the mark after it. */
const marks: { readonly [mark: string]: string } = {
  ...nextMarks,
  last_batch_num: lastIds("batch_num", "batch"),
  last_account_index: lastIds("account_index", createdAccounts),
  last_token_id: lastIds("token_id", tokens)
}

/**
 * Compares a mark with the rows. A block without rows keeps a last id; a next id may grow, since a
 * rollback does not free ids. The marks of the genesis block are compared with nothing: it has only
 * ether and variables.
 */
const markStatement = (mark: string): AuditStatement => {
  const [isKept, rows] = [!(mark in nextMarks), marks[mark]!]
  return {
    check: "block-marks",
    text: `
SELECT 'block ' || number || ', ${mark}' AS place, coalesce(mark::text, 'no block with its rows') AS found,
  coalesce(next::text, before || '${
      isKept ? "" : " or more"
    }') || ', rows from ' || before || ' on' AS expected
FROM (SELECT number, ${mark} AS mark, lag(${mark}) OVER (ORDER BY number) AS before FROM block) AS marked
FULL JOIN (
  SELECT number, min(first) AS first, max(next) AS next FROM (${rows}) AS source (number, first, next) GROUP BY number
) AS implied USING (number)
WHERE mark IS NULL OR (before IS NOT NULL AND CASE WHEN next IS NULL THEN mark ${
      isKept ? "<>" : "<"
    } before ELSE mark <> next OR first < before${isKept ? " + 1" : ""} END)`
  }
}

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

/** The checks of the blocks, of their marks, and of the totals of batches. */
export const blockStatements: ReadonlyArray<AuditStatement> = [
  {
    check: "blocks",
    text: `
SELECT 'block ' || number || ', ' || wrong.place AS place, wrong.found, wrong.expected FROM (
  SELECT *, lag(number) OVER chain AS before, lag(last_ethereum_block) OVER chain AS last_before, coalesce(previous_after_gap, number - 1) AS previous
  FROM block WINDOW chain AS (ORDER BY number)
) AS block CROSS JOIN LATERAL (VALUES
  ('previous block', before::text, previous::text, before <> previous),
  ('last_ethereum_block', last_ethereum_block::text, greatest(last_before, number) || ' or more', last_ethereum_block < greatest(last_before, number))
) AS wrong (place, found, expected, is_wrong) WHERE wrong.is_wrong AND before IS NOT NULL`
  },
  {
    check: "block-marks",
    counted: "block",
    text: `
SELECT 'block ' || number || ', total_queued' AS place, total_queued::text AS found, expected::text AS expected FROM (
  SELECT number, total_queued, sum(coalesce(transactions, 0)) OVER (ORDER BY number) AS expected
  FROM block LEFT JOIN (
    SELECT ethereum_block_num AS number, count(*) AS transactions FROM queued_transaction GROUP BY ethereum_block_num
  ) AS queued USING (number)
) AS counted WHERE total_queued <> expected`
  },
  ...Object.keys(marks).map(markStatement),
  {
    check: "standing",
    text: `
SELECT 'ledger, ' || each.mark AS place, each.next::text AS found, each.least || ' or more, the value of block ' || number AS expected
FROM ledger CROSS JOIN (SELECT * FROM block ORDER BY number DESC LIMIT 1) AS block CROSS JOIN LATERAL (VALUES
  ${Object.keys(nextMarks).map((mark) => `('${mark}', ledger.${mark}, block.${mark})`).join(", ")}
) AS each (mark, next, least) WHERE each.next < each.least`
  },
  { check: "totals", counted: "batch", text: totalsStatement }
]

/** The total of the fees after a batch, and the fees of the next one. */
const fees = queryOf(
  inferredShape({
    batchNum: ["batch_num", integer],
    feeUSD: ["historic_total_collected_fees_usd", double],
    feeUnits: ["total_fee_units", sum]
  }),
  `batch AS r WHERE r.batch_num > $1::bigint ORDER BY r.batch_num LIMIT 10000`
)

/** Checks the sums of the fees in US dollars: `feeSumUnits` says how they are added. */
export const auditFeeTotals = (snapshot: AuditSnapshot): AuditStep => {
  let total = 0n
  return eachRow(snapshot, fees, {
    first: ["0"],
    next: ({ batchNum }) => [`${batchNum}`]
  }, ({ batchNum, feeUSD, feeUnits }) => {
    const place = `batch ${batchNum}, total_fee_units`
    snapshot.findings.same("totals", place, feeUnits, total + feeSumUnits(feeUSD))
    total = feeUnits
  })
}
