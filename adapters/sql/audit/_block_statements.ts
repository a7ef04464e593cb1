import type { AuditStatement } from "./_audit_snapshot.ts"

/*
 * The row of a block has *marks*: the next item id of each list and the last ids after the block,
 * which a rollback to the block restores. Item ids ascend with the blocks, so the rows that came with
 * a block are between the marks of the previous block and its own.
 */

/** A query of the rows that came with blocks: number of the block, first id, and the mark after it. */
interface MarkSource {
  readonly mark: string
  readonly rows: string
  /** Whether a block without rows keeps the mark. Next ids may grow: a rollback does not free ids. */
  readonly isKept: boolean
}

const nextOf = (mark: string, table: string): MarkSource => ({
  mark,
  rows: `SELECT ethereum_block_num, item_id, item_id + 1 FROM ${table}`,
  isKept: false
})
const lastOf = (mark: string, id: string, table: string): MarkSource => ({
  mark,
  rows: `SELECT ethereum_block_num, ${id}, ${id} FROM ${table}`,
  isKept: true
})
const createdAccounts =
  "(SELECT account.item_id, account_index, ethereum_block_num FROM account JOIN batch USING (batch_num)) AS created"

/** Without ether, which came with no block. */
const tokens = "token WHERE token_id > 0"

const sources: ReadonlyArray<MarkSource> = [
  nextOf("next_account", createdAccounts),
  {
    mark: "next_exit",
    rows: "SELECT ethereum_block_num, exits_from, exits_to FROM batch WHERE exits_to > exits_from",
    isKept: false
  },
  {
    mark: "next_transaction",
    rows: `SELECT ethereum_block_num, item_id, item_id + 1 FROM queued_transaction
UNION ALL SELECT ethereum_block_num, transactions_from, transactions_to FROM batch WHERE transactions_to > transactions_from`,
    isKept: false
  },
  nextOf("next_batch", "batch"),
  nextOf("next_bid", "bid"),
  nextOf("next_token", tokens),
  nextOf("next_coordinator", "coordinator"),
  lastOf("last_batch_num", "batch_num", "batch"),
  lastOf("last_account_index", "account_index", createdAccounts),
  lastOf("last_token_id", "token_id", tokens)
]
const nextMarks = sources.filter(({ isKept }) => !isKept).map(({ mark }) => mark)

/** The marks of the genesis block are compared with nothing: it has only ether and variables. */
const markStatement = ({ isKept, mark, rows }: MarkSource): AuditStatement => ({
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
})

/** The checks of the blocks and of their marks. */
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
  ...sources.map(markStatement),
  {
    check: "standing",
    text: `
SELECT 'ledger, ' || each.mark AS place, each.next::text AS found, each.least || ' or more, the value of block ' || number AS expected
FROM ledger CROSS JOIN (SELECT * FROM block ORDER BY number DESC LIMIT 1) AS block CROSS JOIN LATERAL (VALUES
  ${nextMarks.map((mark) => `('${mark}', ledger.${mark}, block.${mark})`).join(", ")}
) AS each (mark, next, least) WHERE each.next < each.least`
  }
]
