/*
 * The tables of the pool. Ids, addresses and keys are bytes, amounts are numeric, and times are
 * milliseconds since 1970. The owners of `sender` and `receiver` are those of the accounts when the
 * transaction was posted. Reasons are in the form of `connection/answer_statement.ts`. Signatures are
 * texts, since they are returned in the case in which they were posted.
 *
 * Every write, except that of an authorization, first locks the one row of `pool`
 * (`pool/_pool_write.ts`). So the counts and the numbers in that row, and the counters of accounts,
 * are exact, and other rows need no lock.
 */

const states = "('pend', 'fing', 'fged', 'invl')"
const account = (name: string) => `${name} bigint CHECK (${name} BETWEEN 0 AND 281474976710655)`
const token = (name: string) => `${name} bigint CHECK (${name} BETWEEN 0 AND 4294967295)`
const address = (name: string) => `${name} bytea CHECK (octet_length(${name}) = 20)`
const key = (name: string) => `${name} bytea CHECK (octet_length(${name}) = 32)`
const id = "id bytea NOT NULL CHECK (octet_length(id) = 33)"
const count = (name: string) => `${name} bigint NOT NULL CHECK (${name} >= 0)`

export const poolSchema: ReadonlyArray<string> = [
  // one row: how many transactions are in each state, and the next numbers, which never decrease
  `CREATE TABLE pool (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  ${count("pend")}, ${count("fing")}, ${count("fged")}, ${count("invl")},
  ${count("next_arrival")}, ${count("next_transition")}, ${count("next_write")}
) WITH (fillfactor = 20)`,
  "INSERT INTO pool (pend, fing, fged, invl, next_arrival, next_transition, next_write) VALUES (0, 0, 0, 0, 0, 0, 0)",
  `CREATE TABLE pool_transaction (
  ${id.replace("CHECK", "PRIMARY KEY CHECK")},
  arrival bigint NOT NULL,
  ${address("sender_address")} NOT NULL,
  ${key("sender_key")} NOT NULL,
  ${address("receiver_address")},
  ${key("receiver_key")},
  state text NOT NULL CHECK (state IN ${states}),
  since_ms bigint NOT NULL,
  batch_num bigint CHECK (batch_num BETWEEN 0 AND 4294967295),
  timestamp_ms bigint NOT NULL,
  type text NOT NULL CHECK (type IN ('Exit', 'Transfer', 'TransferToEthAddr', 'TransferToBJJ')),
  ${token("token_id")} NOT NULL,
  ${account("from_account_index")} NOT NULL,
  ${account("to_account_index")},
  ${address("to_address")},
  ${key("to_public_key")},
  amount numeric(78, 0) NOT NULL CHECK (amount >= 0),
  fee smallint NOT NULL CHECK (fee BETWEEN 0 AND 255),
  fee_units numeric NOT NULL CHECK (fee_units >= 0),
  nonce bigint NOT NULL CHECK (nonce BETWEEN 0 AND 1099511627775),
  signature text NOT NULL CHECK (octet_length(signature) = 128),
  has_request boolean NOT NULL,
  ${account("request_from_account_index")},
  ${account("request_to_account_index")},
  ${address("request_to_address")},
  ${key("request_to_public_key")},
  ${token("request_token_id")},
  request_amount numeric(78, 0) CHECK (request_amount >= 0),
  request_fee smallint CHECK (request_fee >= 0),
  request_nonce numeric(20, 0) CHECK (request_nonce >= 0),
  passed_code smallint,
  passed_reason text,
  passed_batch_num bigint,
  passed_at_ms bigint,
  CHECK ((state = 'pend') = (batch_num IS NULL)),
  CHECK ((receiver_address IS NULL) = (receiver_key IS NULL)),
  CHECK (has_request OR num_nonnulls(request_from_account_index, request_to_account_index, request_to_address, request_to_public_key,
    request_token_id, request_amount, request_fee, request_nonce) = 0),
  CHECK (num_nonnulls(passed_code, passed_reason, passed_batch_num, passed_at_ms) = (CASE WHEN passed_code IS NULL THEN 0 ELSE 4 END)),
  CHECK (passed_code IS NULL OR state = 'pend')
) WITH (fillfactor = 80)`,
  // the fee is negated, so that one index range holds all transactions after a fee and an arrival
  "CREATE INDEX pool_transaction_fee ON pool_transaction (token_id, (- fee_units), arrival) WHERE state = 'pend'",
  "CREATE INDEX pool_transaction_since ON pool_transaction (since_ms, arrival) WHERE state = 'pend'",
  "CREATE INDEX pool_transaction_nonce ON pool_transaction (from_account_index, nonce, arrival) WHERE state = 'pend'",
  "CREATE INDEX pool_transaction_batch ON pool_transaction (state, batch_num, arrival) WHERE state <> 'pend'",
  // the number of pending transactions of each account that has any
  `CREATE TABLE pool_sender (
  account_index bigint PRIMARY KEY,
  pending bigint NOT NULL CHECK (pending > 0)
) WITH (fillfactor = 70)`,
  // never deleted, even if the transaction has left the pool; `number` ascends for each transaction
  `CREATE TABLE pool_transition (
  ${id},
  number bigint NOT NULL,
  from_state text CHECK (from_state IN ${states}),
  to_state text CHECK (to_state IN ${states}),
  at_ms bigint NOT NULL,
  batch_num bigint,
  reason text NOT NULL,
  PRIMARY KEY (id, number)
)`,
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

/** The last batch that may forge a transaction; NULL if any batch may. */
export const lastBatchSchema: ReadonlyArray<string> = [
  "ALTER TABLE pool_transaction ADD COLUMN max_num_batch bigint CHECK (max_num_batch BETWEEN 1 AND 4294967295)",
  "CREATE INDEX pool_transaction_last_batch ON pool_transaction (max_num_batch, arrival) WHERE state = 'pend' AND max_num_batch IS NOT NULL"
]

/** The indexes of the list of the pool. */
export const poolListSchema: ReadonlyArray<string> = [
  "CREATE INDEX pool_transaction_arrival ON pool_transaction (arrival)",
  "CREATE INDEX pool_transaction_sender ON pool_transaction (from_account_index, arrival)",
  "CREATE INDEX pool_transaction_sender_address ON pool_transaction (sender_address, arrival)",
  "CREATE INDEX pool_transaction_sender_key ON pool_transaction (sender_key, arrival)",
  "CREATE INDEX pool_transaction_receiver_address ON pool_transaction (receiver_address, arrival) WHERE receiver_address IS NOT NULL",
  "CREATE INDEX pool_transaction_receiver_key ON pool_transaction (receiver_key, arrival) WHERE receiver_key IS NOT NULL",
  "CREATE INDEX pool_transaction_to_account ON pool_transaction (to_account_index, arrival) WHERE to_account_index IS NOT NULL",
  "CREATE INDEX pool_transaction_to_address ON pool_transaction (to_address, arrival) WHERE to_address IS NOT NULL",
  "CREATE INDEX pool_transaction_to_key ON pool_transaction (to_public_key, arrival) WHERE to_public_key IS NOT NULL"
]

/** The atomic group of a transaction and its place in it; NULL if it was posted alone. */
export const groupSchema: ReadonlyArray<string> = [
  `ALTER TABLE pool_transaction
  ADD COLUMN group_id bytea CHECK (octet_length(group_id) = 32),
  ADD COLUMN group_position smallint CHECK (group_position >= 0 AND group_position < group_size),
  ADD COLUMN group_size smallint CHECK (group_size > 1),
  ADD COLUMN request_offset smallint CHECK (request_offset BETWEEN 1 AND 7),
  ADD CHECK (num_nonnulls(group_id, group_position, group_size, request_offset) IN (0, 4))`,
  "CREATE UNIQUE INDEX pool_transaction_group ON pool_transaction (group_id, group_position) WHERE group_id IS NOT NULL"
]

/**
 * The indexes of the list of the pool by state, instead of those without it: a list of pending
 * transactions reads no finished ones.
 */
export const poolListByStateSchema: ReadonlyArray<string> = [
  "CREATE INDEX pool_transaction_state ON pool_transaction (state, arrival)",
  ...([
    ["sender", "from_account_index"],
    ["sender_address", "sender_address"],
    ["sender_key", "sender_key"],
    ["receiver_address", "receiver_address"],
    ["receiver_key", "receiver_key"],
    ["to_account", "to_account_index"],
    ["to_address", "to_address"],
    ["to_key", "to_public_key"]
  ] as const).flatMap(([name, column]) => [
    `DROP INDEX pool_transaction_${name}`,
    `CREATE INDEX pool_transaction_${name} ON pool_transaction (${column}, state, arrival) WHERE ${column} IS NOT NULL`
  ])
]
