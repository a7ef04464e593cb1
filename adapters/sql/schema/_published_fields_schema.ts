/**
 * The number of L1 user transactions that were queued up to a block and that were forged up to a
 * batch, and the sum of the times between the blocks that queued and that forged them.
 */
export const l1TotalsSchema: ReadonlyArray<string> = [
  "ALTER TABLE batch ADD COLUMN total_l1_user_transactions bigint NOT NULL DEFAULT 0, ADD COLUMN total_l1_wait_ms numeric NOT NULL DEFAULT 0",
  `WITH forged AS (
  SELECT batch.batch_num, count(*) AS transactions, sum(batch.timestamp_ms - transaction.timestamp_ms) AS wait_ms
  FROM transaction JOIN batch ON batch.batch_num = transaction.batch_num WHERE transaction.user_origin GROUP BY batch.batch_num
), total AS (
  SELECT batch.batch_num, sum(coalesce(forged.transactions, 0)) OVER (ORDER BY batch.batch_num) AS transactions,
    sum(coalesce(forged.wait_ms, 0)) OVER (ORDER BY batch.batch_num) AS wait_ms
  FROM batch LEFT JOIN forged ON forged.batch_num = batch.batch_num
)
UPDATE batch SET total_l1_user_transactions = total.transactions, total_l1_wait_ms = total.wait_ms
FROM total WHERE total.batch_num = batch.batch_num`,
  "ALTER TABLE block ADD COLUMN total_queued bigint NOT NULL DEFAULT 0",
  `WITH queued AS (
  SELECT ethereum_block_num, count(*) AS transactions FROM queued_transaction GROUP BY ethereum_block_num
), total AS (
  SELECT block.number, sum(coalesce(queued.transactions, 0)) OVER (ORDER BY block.number) AS transactions
  FROM block LEFT JOIN queued ON queued.ethereum_block_num = block.number
)
UPDATE block SET total_queued = total.transactions FROM total WHERE total.number = block.number`
]

const hashColumn = "ADD COLUMN ethereum_tx_hash bytea CHECK (octet_length(ethereum_tx_hash) = 32)"
const feeColumn = "ADD COLUMN l1_fee numeric(78, 0) CHECK (l1_fee >= 0)"

/** The Ethereum transactions of batches and L1 transactions; NULL if the feed does not have them. */
export const ethereumTransactionsSchema: ReadonlyArray<string> = [
  `ALTER TABLE batch ${hashColumn}`,
  `ALTER TABLE transaction ${hashColumn}, ${feeColumn}`,
  `ALTER TABLE queued_transaction ${hashColumn}, ${feeColumn}`
]

/**
 * The number of the block stored before a block that follows a gap of empty blocks; NULL if that is
 * the one directly below. With it an audit finds a block that is missing.
 */
export const gapSchema: ReadonlyArray<string> = [
  "ALTER TABLE block ADD COLUMN previous_after_gap numeric(20, 0) CHECK (previous_after_gap < number - 1)"
]
