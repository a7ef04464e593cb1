import { poolStates } from "../../../core/domain/mod.ts"
import { createTable, storedPooled } from "../entities/mod.ts"

/*
 * The tables of the pool. The owners of `sender` and `receiver` are those of the accounts when the
 * transaction was posted. Reasons are in the form of `connection/stored_text.ts`.
 *
 * Every write, except that of an authorization, first locks the one row of `pool`
 * (`pool/_pool_write.ts`). So the counts and the numbers in that row, and the counters of accounts,
 * are exact, and other rows need no lock.
 */

const states = `(${poolStates.map((state) => `'${state}'`).join(", ")})`
const counts = [...poolStates, "next_arrival", "next_transition", "next_write"]

/** The columns by which the list of the pool selects; transactions of a state follow one another. */
const listColumns = {
  sender: "from_account_index",
  sender_address: "sender_address",
  sender_key: "sender_key",
  receiver_address: "receiver_address",
  receiver_key: "receiver_key",
  to_account: "to_account_index",
  to_address: "to_address",
  to_key: "to_public_key"
}

export const poolTables: ReadonlyArray<string> = [
  // one row: how many transactions are in each state, and the next numbers, which never decrease
  `CREATE TABLE pool (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  ${counts.map((name) => `${name} bigint NOT NULL CHECK (${name} >= 0)`).join(",\n  ")}
) WITH (fillfactor = 20)`,
  `INSERT INTO pool (${counts.join(", ")}) VALUES (${counts.map(() => 0).join(", ")})`,
  createTable("pool_transaction", storedPooled, {
    also: [
      "CHECK ((state = 'pend') = (batch_num IS NULL))",
      "CHECK (passed_code IS NULL OR state = 'pend')"
    ],
    storage: " WITH (fillfactor = 80)"
  }),
  // the fee is negated, so that one index range holds all transactions after a fee and an arrival
  "CREATE INDEX pool_transaction_fee ON pool_transaction (token_id, (- fee_units), arrival) WHERE state = 'pend'",
  "CREATE INDEX pool_transaction_since ON pool_transaction (since_ms, arrival) WHERE state = 'pend'",
  "CREATE INDEX pool_transaction_nonce ON pool_transaction (from_account_index, nonce, arrival) WHERE state = 'pend'",
  "CREATE INDEX pool_transaction_batch ON pool_transaction (state, batch_num, arrival) WHERE state <> 'pend'",
  "CREATE INDEX pool_transaction_last_batch ON pool_transaction (max_num_batch, arrival) WHERE state = 'pend' AND max_num_batch IS NOT NULL",
  "CREATE UNIQUE INDEX pool_transaction_group ON pool_transaction (group_id, group_position) WHERE group_id IS NOT NULL",
  "CREATE INDEX pool_transaction_arrival ON pool_transaction (arrival)",
  "CREATE INDEX pool_transaction_state ON pool_transaction (state, arrival)",
  ...Object.entries(listColumns).map(([name, column]) =>
    `CREATE INDEX pool_transaction_${name} ON pool_transaction (${column}, state, arrival) WHERE ${column} IS NOT NULL`
  ),
  // the number of pending transactions of each account that has any
  `CREATE TABLE pool_sender (
  account_index bigint PRIMARY KEY,
  pending bigint NOT NULL CHECK (pending > 0)
) WITH (fillfactor = 70)`,
  // never deleted, even if the transaction has left the pool; `number` ascends for each transaction
  `CREATE TABLE pool_transition (
  id bytea NOT NULL CHECK (octet_length(id) = 33),
  number bigint NOT NULL,
  from_state text CHECK (from_state IN ${states}),
  to_state text CHECK (to_state IN ${states}),
  at_ms bigint NOT NULL,
  batch_num bigint,
  reason text NOT NULL,
  PRIMARY KEY (id, number)
)`,
  "CREATE UNIQUE INDEX pool_transition_number ON pool_transition (number)",
  "CREATE TABLE pool_mark (batch_num bigint PRIMARY KEY, ethereum_block_hash text NOT NULL)",
  `CREATE TABLE pool_authorization (
  address bytea PRIMARY KEY CHECK (octet_length(address) = 20),
  public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
  signature text NOT NULL,
  timestamp_ms bigint NOT NULL,
  write_id uuid NOT NULL
)`,
  // the latest writes: a process that lost its connection at a commit looks up the result here
  "CREATE TABLE pool_write (number bigint PRIMARY KEY, write_id uuid NOT NULL)"
]
