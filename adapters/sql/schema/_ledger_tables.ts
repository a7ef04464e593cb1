import {
  account,
  batchRow,
  bid,
  blockRow,
  coordinator,
  createTable,
  exit,
  ledgerRow,
  oneLayer,
  parameterSet,
  priceChange,
  registration,
  rollBackRow,
  storedQueuedTransaction,
  transaction,
  versionedToken,
  withdrawal
} from "../entities/mod.ts"

/*
 * The tables of the ledger. Addresses, keys, hashes and ids are bytes. Amounts, roots and Ethereum
 * block numbers, which are unsigned 64-bit integers, are numeric. Times are milliseconds since
 * 1970. Texts are in the form of `connection/stored_text.ts`.
 *
 * Rows are appended, and a rollback removes a suffix. So each block and batch stores the last item
 * of every list at its end, and the values that it overwrote (balances, nonces, prices,
 * withdrawals): the cost of a rollback depends only on what it removes. A batch also stores the
 * balances and nonces after it, so that its row tells each change of an account. The large tables have no
 * foreign keys, since each would need an index that only deletes use, and the use cases check these
 * references before a write.
 */

/** A table of one row. */
const singleton = "singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)"

const chainTables: ReadonlyArray<string> = [
  // the network, as its genesis record. It is not in `ledger`, since each update of a row writes
  // the whole row again
  `CREATE TABLE genesis (${singleton}, record text NOT NULL)`,
  // No index contains the columns that a write updates, so an update with free space in the page is
  // a HOT update: any number of heads needs the space of a few.
  createTable("ledger", ledgerRow, {
    also: [
      singleton,
      "ethereum_block_num numeric(20, 0) NOT NULL CHECK (ethereum_block_num BETWEEN 0 AND 18446744073709551615)",
      // the last write: a writer that lost its connection at the commit looks up its result here
      "last_write uuid",
      // see `notifications/version_payload.ts`
      "part_versions bigint[] NOT NULL DEFAULT '{}'"
    ]
  }),
  // the process that may write, and when its lease expires without a heartbeat; each new holder has
  // a greater epoch
  `CREATE TABLE writer (
  ${singleton},
  epoch bigint NOT NULL,
  holder text,
  held_since timestamptz,
  expires_at timestamptz
)`,
  "INSERT INTO writer (epoch) VALUES (0)",
  createTable("block", blockRow),
  createTable("batch", batchRow, {
    also: [
      "CHECK (cardinality(nonces_before) = cardinality(balances_before))",
      "CHECK (cardinality(nonces) = cardinality(changed_accounts) AND cardinality(balances) = cardinality(changed_accounts))"
    ]
  }),
  // about twenty bytes for each account of a transaction, which are not worth the time to compress;
  // YugabyteDB does not support the setting and stores the columns without it
  ...["changed_accounts", "nonces_before", "balances_before", "nonces", "balances"].map((column) =>
    `ALTER TABLE batch ALTER COLUMN ${column} SET STORAGE EXTERNAL`
  ),
  "CREATE INDEX batch_block ON batch (ethereum_block_num)",
  "CREATE INDEX batch_time ON batch (timestamp_ms, batch_num)",
  createTable("rollback", rollBackRow)
]

const historyTables: ReadonlyArray<string> = [
  createTable("account", account, { storage: " WITH (fillfactor = 80)" }),
  // each id has a random place in its index: the smaller the index, the fewer of its pages are
  // read, evicted, and logged after each checkpoint. Only such a constraint is unique by hash
  createTable("transaction", transaction, {
    also: [oneLayer, "CONSTRAINT transaction_id EXCLUDE USING hash (id WITH =)"]
  }),
  // every L1 user transaction as it was queued, even if it is forged: a rollback of its batch
  // queues it again
  createTable("queued_transaction", storedQueuedTransaction, {
    also: [oneLayer, "CHECK (user_origin)"]
  }),
  "CREATE UNIQUE INDEX queued_transaction_waiting ON queued_transaction (queue, position) WHERE NOT forged",
  createTable("exit", exit, { also: ["UNIQUE (batch_num, account_index)"] }),
  "CREATE INDEX exit_requested ON exit (address, token_id) WHERE delayed_withdraw_request IS NOT NULL AND delayed_withdrawn IS NULL",
  createTable("withdrawal", withdrawal, {
    also: ["PRIMARY KEY (ethereum_block_num, exit_item, field)"]
  })
]

const auctionTables: ReadonlyArray<string> = [
  createTable("token", versionedToken),
  "CREATE INDEX token_version ON token (version)",
  "CREATE INDEX token_address ON token (ethereum_address)",
  createTable("price_change", priceChange, { also: ["PRIMARY KEY (ethereum_block_num, place)"] }),
  createTable("coordinator", coordinator),
  "CREATE INDEX coordinator_bidder ON coordinator (bidder_addr, item_id)",
  createTable("registration", registration),
  "CREATE INDEX registration_forger ON registration (forger_addr, bidder_addr)",
  createTable("bid", bid),
  // the best bid of a slot is its last one
  "CREATE INDEX bid_slot ON bid (slot_num, item_id)",
  createTable("parameter_set", parameterSet, {
    also: [
      "PRIMARY KEY (kind, ethereum_block_num)",
      "CHECK ((default_bids IS NULL) = (first_slot IS NULL))"
    ]
  }),
  "CREATE INDEX parameter_set_block ON parameter_set (ethereum_block_num)",
  "CREATE INDEX parameter_set_applicable ON parameter_set (first_slot, ethereum_block_num) WHERE first_slot IS NOT NULL"
]

const listTables: ReadonlyArray<string> = [
  // See `postings/postings.ts`. `filed` is how many of the items, from the first one on, are in the
  // lists of combined filters. The last row of each list is in a partition of its own. Only these
  // rows change, so they stay in the cache, while full rows are written once.
  `CREATE TABLE posting (
  key bytea NOT NULL,
  first_item bigint NOT NULL,
  first_ordinal bigint NOT NULL CHECK (first_ordinal >= 0 AND mod(first_ordinal, 64) = 0),
  items bigint[] NOT NULL CHECK (cardinality(items) BETWEEN 1 AND 64),
  filed smallint NOT NULL CHECK (filed BETWEEN 0 AND cardinality(items) AND (filed = 64) = (cardinality(items) = 64)),
  is_last boolean NOT NULL CHECK (is_last OR cardinality(items) = 64),
  PRIMARY KEY (key, first_item, is_last),
  CHECK (items[1] = first_item)
) PARTITION BY LIST (is_last)`,
  "CREATE TABLE posting_full PARTITION OF posting FOR VALUES IN (false)",
  // space for a row to grow in its page
  "CREATE TABLE posting_last PARTITION OF posting FOR VALUES IN (true) WITH (fillfactor = 50)",
  // see `postings/open_items.ts`
  "CREATE TABLE open_item (key bytea NOT NULL, item bigint NOT NULL, PRIMARY KEY (key, item))",
  `CREATE TABLE open_count (
  key bytea NOT NULL,
  level smallint NOT NULL,
  bucket bigint NOT NULL,
  items bigint NOT NULL CHECK (items > 0),
  PRIMARY KEY (key, level, bucket)
)`
]

export const ledgerTables: ReadonlyArray<string> = [
  ...chainTables,
  ...historyTables,
  ...auctionTables,
  ...listTables,
  // the result of the last audit, as JSON
  `CREATE TABLE audit (
  ${singleton},
  finished_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  report text NOT NULL
)`
]
