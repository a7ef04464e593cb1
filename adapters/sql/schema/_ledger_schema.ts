/*
 * The tables of the ledger. Addresses, keys, hashes and ids are bytes. Amounts, roots and Ethereum
 * block numbers, which are unsigned 64-bit integers, are numeric. Times are milliseconds since
 * 1970. Texts are in the form of `connection/answer_statement.ts`.
 *
 * Rows are appended, and a rollback removes a suffix. So each block and batch stores the last item
 * of every list at its end, and the values that it overwrote (balances, nonces, prices,
 * withdrawals): the cost of a rollback depends only on what it removes. The large tables have no
 * foreign keys, since each would need an index that only deletes use, and the use cases check these
 * references before a write.
 */

const address = "bytea NOT NULL CHECK (octet_length(%) = 20)"
const maybeAddress = "bytea CHECK (octet_length(%) = 20)"
const maybeKey = "bytea CHECK (octet_length(%) = 32)"
const hash = "bytea NOT NULL CHECK (octet_length(%) = 32)"
const amount = "numeric(78, 0) NOT NULL CHECK (% >= 0)"
const maybeAmount = "numeric(78, 0) CHECK (% >= 0)"
const uint32 = "bigint NOT NULL CHECK (% BETWEEN 0 AND 4294967295)"
const maybeUint32 = "bigint CHECK (% BETWEEN 0 AND 4294967295)"
const account = "bigint NOT NULL CHECK (% BETWEEN 0 AND 281474976710655)"
const maybeAccount = "bigint CHECK (% BETWEEN 0 AND 281474976710655)"
const ethereumBlock = "numeric(20, 0) NOT NULL CHECK (% BETWEEN 0 AND 18446744073709551615)"
const maybeEthereumBlock = "numeric(20, 0) CHECK (% BETWEEN 0 AND 18446744073709551615)"

/** In the type of a column, `%` stands for its name. */
const columns = (types: { readonly [name: string]: string }): string =>
  Object.entries(types).map(([name, type]) => `${name} ${type.replaceAll("%", name)}`).join(",\n  ")

const table = (
  name: string,
  types: { readonly [name: string]: string },
  ...rules: ReadonlyArray<string>
): string => `CREATE TABLE ${name} (\n  ${[columns(types), ...rules].join(",\n  ")}\n)`

/** The columns that forged and queued transactions share. */
const transactionColumns = {
  item_id: "bigint PRIMARY KEY",
  id: "bytea NOT NULL UNIQUE CHECK (octet_length(%) = 33)",
  type: "smallint NOT NULL CHECK (% BETWEEN 0 AND 9)",
  position: "integer NOT NULL CHECK (% BETWEEN 0 AND 65535)",
  from_account_index: maybeAccount,
  from_address: maybeAddress,
  from_public_key: maybeKey,
  to_account_index: account,
  to_address: maybeAddress,
  to_public_key: maybeKey,
  token_id: uint32,
  amount,
  historic_usd: "double precision",
  timestamp_ms: "bigint NOT NULL",
  // L1 only
  queue: maybeUint32,
  user_origin: "boolean",
  deposit_amount: maybeAmount,
  amount_success: "boolean",
  deposit_amount_success: "boolean",
  historic_deposit_amount_usd: "double precision",
  ethereum_block_num: maybeEthereumBlock,
  // L2 only
  fee: "smallint CHECK (% BETWEEN 0 AND 255)",
  historic_fee_usd: "double precision",
  nonce: "bigint CHECK (% BETWEEN 0 AND 1099511627775)"
}
const oneLayer = `CHECK (
    (fee IS NULL) = (nonce IS NULL) AND (fee IS NULL) <> (user_origin IS NULL) AND (user_origin IS NULL) = (deposit_amount IS NULL)
    AND (user_origin IS NULL) = (amount_success IS NULL) AND (user_origin IS NULL) = (deposit_amount_success IS NULL)
    AND (user_origin IS NULL) = (ethereum_block_num IS NULL) AND user_origin IS NOT DISTINCT FROM (CASE WHEN fee IS NULL THEN queue IS NOT NULL END)
  )`

/** The next item id of each list; it never decreases. */
const nextItems = {
  next_account: "bigint NOT NULL",
  next_exit: "bigint NOT NULL",
  next_transaction: "bigint NOT NULL",
  next_batch: "bigint NOT NULL",
  next_bid: "bigint NOT NULL",
  next_token: "bigint NOT NULL",
  next_coordinator: "bigint NOT NULL"
}

export const ledgerSchema: ReadonlyArray<string> = [
  // one row: the network, as its genesis record. It is not in `ledger`, since each update of a row
  // writes the whole row again
  table("genesis", {
    singleton: "boolean PRIMARY KEY DEFAULT true CHECK (%)",
    record: "text NOT NULL"
  }),
  // one row: the version of the ledger, its last block and batch, and the next item ids
  table("ledger", {
    singleton: "boolean PRIMARY KEY DEFAULT true CHECK (%)",
    version: "bigint NOT NULL",
    /** Increases with each change of a token: a registration, a price, a rollback. */
    token_version: "bigint NOT NULL",
    ethereum_block_num: ethereumBlock,
    batch_num: maybeUint32,
    /** The last write: a writer that lost its connection at the commit looks up its result here. */
    last_write: "uuid",
    /** See `notifications/version_payload.ts`. */
    part_versions: "bigint[] NOT NULL DEFAULT '{}'",
    ...nextItems
  }),
  // one row: the process that may write, and when its lease expires without a heartbeat; each new
  // holder has a greater epoch
  table("writer", {
    singleton: "boolean PRIMARY KEY DEFAULT true CHECK (%)",
    epoch: "bigint NOT NULL",
    holder: "text",
    held_since: "timestamptz",
    expires_at: "timestamptz"
  }),
  "INSERT INTO writer (epoch) VALUES (0)",
  table("block", {
    number: "numeric(20, 0) PRIMARY KEY CHECK (% BETWEEN 0 AND 18446744073709551615)",
    hash,
    timestamp_ms: "bigint NOT NULL",
    last_ethereum_block: ethereumBlock,
    // the last number or next item of everything at the end of the block
    last_batch_num: uint32,
    last_account_index: account,
    last_token_id: uint32,
    ...nextItems
  }),
  table("batch", {
    batch_num: "bigint PRIMARY KEY CHECK (% BETWEEN 1 AND 4294967295)",
    item_id: "bigint NOT NULL UNIQUE",
    ethereum_block_num: "numeric(20, 0) NOT NULL REFERENCES block (number)",
    ethereum_block_hash: hash,
    timestamp_ms: "bigint NOT NULL",
    forger_addr: address,
    collected_tokens: "bigint[] NOT NULL",
    collected_amounts:
      "numeric(78, 0)[] NOT NULL CHECK (cardinality(%) = cardinality(collected_tokens))",
    historic_total_collected_fees_usd: "double precision NOT NULL",
    state_root: amount,
    num_accounts: "integer NOT NULL",
    exit_root: amount,
    forge_l1_transactions_num: maybeUint32,
    slot_num: uint32,
    // its items are in [from, to)
    transactions_from: "bigint NOT NULL",
    transactions_to: "bigint NOT NULL CHECK (% >= transactions_from)",
    exits_from: "bigint NOT NULL",
    exits_to: "bigint NOT NULL CHECK (% >= exits_from)",
    // totals of this batch and all earlier ones
    total_transactions: "bigint NOT NULL",
    total_l2_transactions: "bigint NOT NULL",
    total_fee_units: "numeric NOT NULL",
    total_accounts: "bigint NOT NULL",
    total_public_keys: "bigint NOT NULL",
    last_forged_queue: maybeUint32,
    // the values that it overwrote, as parallel lists
    updated_accounts: "bigint[] NOT NULL",
    nonces_before: "bigint[] NOT NULL",
    balances_before: "numeric(78, 0)[] NOT NULL"
  }),
  // about ten bytes for each account of a transaction, which are not worth the time to compress;
  // YugabyteDB does not support the setting and stores the columns without it
  ...["updated_accounts", "nonces_before", "balances_before"].map((column) =>
    `ALTER TABLE batch ALTER COLUMN ${column} SET STORAGE EXTERNAL`
  ),
  "CREATE INDEX batch_block ON batch (ethereum_block_num)",
  "CREATE INDEX batch_time ON batch (timestamp_ms, batch_num)",
  table("account", {
    account_index: "bigint PRIMARY KEY CHECK (% BETWEEN 256 AND 281474976710655)",
    item_id: "bigint NOT NULL UNIQUE",
    token_id: uint32,
    batch_num: uint32,
    public_key: "bytea NOT NULL CHECK (octet_length(%) = 32)",
    address,
    nonce: "bigint NOT NULL CHECK (% BETWEEN 0 AND 1099511627775)",
    balance: amount
  }) + " WITH (fillfactor = 80)",
  table("transaction", {
    ...transactionColumns,
    batch_num: "bigint NOT NULL CHECK (% BETWEEN 1 AND 4294967295)"
  }, oneLayer),
  // every L1 user transaction as it was queued, even if it is forged: a rollback of its batch
  // queues it again
  table(
    "queued_transaction",
    { ...transactionColumns, forged: "boolean NOT NULL DEFAULT false" },
    oneLayer,
    "CHECK (user_origin)"
  ),
  "CREATE UNIQUE INDEX queued_transaction_waiting ON queued_transaction (queue, position) WHERE NOT forged",
  table("exit", {
    item_id: "bigint PRIMARY KEY",
    batch_num: uint32,
    account_index: account,
    token_id: uint32,
    address,
    public_key: "bytea NOT NULL CHECK (octet_length(%) = 32)",
    balance: amount,
    proof_root: amount,
    proof_siblings: "numeric(78, 0)[] NOT NULL",
    proof_old_key: amount,
    proof_old_value: amount,
    proof_is_old0: "boolean NOT NULL",
    proof_key: amount,
    proof_value: amount,
    proof_fnc: "smallint NOT NULL",
    instant_withdrawn: maybeEthereumBlock,
    delayed_withdraw_request: maybeEthereumBlock,
    delayed_withdrawn: maybeEthereumBlock
  }, "UNIQUE (batch_num, account_index)"),
  "CREATE INDEX exit_requested ON exit (address, token_id) WHERE delayed_withdraw_request IS NOT NULL AND delayed_withdrawn IS NULL",
  // the fields of exits that a block set, for a rollback: 0 instantWithdrawn,
  // 1 delayedWithdrawRequest, 2 delayedWithdrawn
  table("withdrawal", {
    ethereum_block_num: "numeric(20, 0) NOT NULL REFERENCES block (number)",
    exit_item: "bigint NOT NULL",
    field: "smallint NOT NULL CHECK (% BETWEEN 0 AND 2)"
  }, "PRIMARY KEY (ethereum_block_num, exit_item, field)"),
  table("token", {
    token_id: "bigint PRIMARY KEY CHECK (% BETWEEN 0 AND 4294967295)",
    item_id: "bigint NOT NULL UNIQUE",
    ethereum_address: address,
    name: "text NOT NULL",
    symbol: "text NOT NULL",
    decimals: "smallint NOT NULL CHECK (% BETWEEN 0 AND 255)",
    ethereum_block_num: ethereumBlock,
    price_usd: "double precision CHECK (% BETWEEN 0 AND 1e12)",
    price_time_ms: "bigint",
    // `ledger.token_version` when the row last changed
    version: "bigint NOT NULL"
  }),
  "CREATE INDEX token_version ON token (version)",
  "CREATE INDEX token_address ON token (ethereum_address)",
  // the prices that were overwritten; prices between two blocks belong to the earlier block
  table("price_change", {
    ethereum_block_num: "numeric(20, 0) NOT NULL REFERENCES block (number)",
    place: "bigint NOT NULL",
    token_id: uint32,
    price_usd_before: "double precision",
    price_time_ms_before: "bigint"
  }, "PRIMARY KEY (ethereum_block_num, place)"),
  table("coordinator", {
    item_id: "bigint PRIMARY KEY",
    bidder_addr: address,
    forger_addr: address,
    url: "text NOT NULL",
    ethereum_block_num: ethereumBlock
  }),
  "CREATE INDEX coordinator_bidder ON coordinator (bidder_addr, item_id)",
  // the latest registration of each bidder
  table("registration", {
    bidder_addr: "bytea PRIMARY KEY",
    forger_addr: address,
    item_id: "bigint NOT NULL"
  }),
  "CREATE INDEX registration_forger ON registration (forger_addr, bidder_addr)",
  table("bid", {
    item_id: "bigint PRIMARY KEY",
    slot_num: uint32,
    bidder_addr: address,
    withdraw_addr: address,
    bid_value: amount,
    ethereum_block_num: ethereumBlock,
    timestamp_ms: "bigint NOT NULL"
  }),
  // the best bid of a slot is its last one
  "CREATE INDEX bid_slot ON bid (slot_num, item_id)",
  // every set of variables that was ever in force, as JSON. For auction variables, `first_slot` is
  // the first slot to which their default bids apply, 2^32 if to none; it never decreases
  table(
    "parameter_set",
    {
      kind: "text NOT NULL CHECK (% IN ('rollup', 'auction', 'withdrawalDelayer'))",
      ethereum_block_num: "numeric(20, 0) NOT NULL REFERENCES block (number)",
      first_slot: "bigint CHECK (% BETWEEN 0 AND 4294967296)",
      variables: "text NOT NULL"
    },
    "PRIMARY KEY (kind, ethereum_block_num)"
  ),
  "CREATE INDEX parameter_set_block ON parameter_set (ethereum_block_num)",
  "CREATE INDEX parameter_set_applicable ON parameter_set (first_slot, ethereum_block_num) WHERE first_slot IS NOT NULL",
  // one row: the result of the last audit, as JSON
  table("audit", {
    singleton: "boolean PRIMARY KEY DEFAULT true CHECK (%)",
    finished_at: "timestamptz NOT NULL DEFAULT clock_timestamp()",
    report: "text NOT NULL"
  }),
  // see `postings/postings.ts`
  table(
    "posting",
    {
      key: "bytea NOT NULL",
      first_item: "bigint NOT NULL",
      first_ordinal: "bigint NOT NULL CHECK (% >= 0 AND mod(%, 64) = 0)",
      items: "bigint[] NOT NULL CHECK (cardinality(%) BETWEEN 1 AND 64)",
      // how many of the items, from the first one on, are in the lists of combined filters
      filed:
        "smallint NOT NULL CHECK (% BETWEEN 0 AND cardinality(items) AND (% = 64) = (cardinality(items) = 64))"
    },
    "PRIMARY KEY (key, first_item)",
    "CHECK (items[1] = first_item)"
  ) + " WITH (fillfactor = 70)",
  // see `postings/open_items.ts`
  table("open_item", { key: "bytea NOT NULL", item: "bigint NOT NULL" }, "PRIMARY KEY (key, item)"),
  table("open_count", {
    key: "bytea NOT NULL",
    level: "smallint NOT NULL",
    bucket: "bigint NOT NULL",
    items: "bigint NOT NULL CHECK (% > 0)"
  }, "PRIMARY KEY (key, level, bucket)")
]
