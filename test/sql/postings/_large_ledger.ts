import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { openExitSource } from "../../../adapters/sql/audit/_entry_statements.ts"
import { openStatement, wonSlotSource } from "../../../adapters/sql/postings/open_items.ts"
import { fileRows } from "../_posting_rows.ts"

/*
 * A ledger with tens of thousands of rows in every large table, created in the database in a few
 * seconds. Its content is not valid, but rows refer to each other, item ids have gaps, and one
 * owner has half of everything.
 */

const size = {
  transactions: 24_000,
  batches: 3000,
  accounts: 12_000,
  exits: 12_000,
  bids: 12_000,
  coordinators: 6000,
  bidders: 2000,
  blocks: 3000,
  queued: 1000,
  receivedByLight: 500
}

const item = (row: string): string => `(${row} + ${row} / 1000 + 1)::bigint`
const bytes = (number: string, length: number): string =>
  `decode(lpad(to_hex((${number})::bigint), ${2 * length}, '0'), 'hex')`
const owner = (account: string): string =>
  `CASE WHEN ${account} % 2 = 0 THEN 0 ELSE (${account} / 2) % 60 END`
const address = (account: string): string => bytes(owner(account), 20)
const publicKey = (account: string): string => bytes(owner(account), 32)
const perBatch = size.transactions / size.batches
const exitsPerBatch = size.exits / size.batches

/** The bytes of the owner of half of everything, and of an owner of little. */
export const owners = { heavy: "0".repeat(40), light: "7".padStart(40, "0") } as const
export const sizes = size

const rows = [
  `INSERT INTO block (number, hash, timestamp_ms, last_ethereum_block, last_batch_num, last_account_index, last_token_id, total_queued, next_account, next_exit, next_transaction, next_batch, next_bid, next_token, next_coordinator)
   SELECT 1000000 + i, ${
    bytes("i", 32)
  }, 1e12 + i * 12000, 1000000 + i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM generate_series(1, ${size.blocks}) AS i`,
  `INSERT INTO batch (batch_num, item_id, ethereum_block_num, ethereum_block_hash, timestamp_ms, forger_addr, collected_tokens, collected_amounts,
     historic_total_collected_fees_usd, state_root, num_accounts, exit_root, forge_l1_transactions_num, slot_num, transactions_from, transactions_to,
     exits_from, exits_to, total_transactions, total_l2_transactions, total_fee_units, total_accounts, total_public_keys, total_l1_user_transactions, total_l1_wait_ms, changed_accounts, nonces_before, balances_before, nonces, balances)
   SELECT b, ${item("b")}, 1000000 + b, ${bytes("b", 32)}, 1e12 + b * 12000, ${
    bytes("b % 3", 20)
  }, '{0,1}', '{5,6}', 0.5, b, 0, b, NULL, b / 40,
     ${item(`((b - 1) * ${perBatch})`)}, ${item(`(b * ${perBatch} - 1)`)} + 1, ${
    item(`((b - 1) * ${exitsPerBatch})`)
  }, ${item(`(b * ${exitsPerBatch} - 1)`)} + 1,
     b * ${perBatch}, b * ${perBatch}, b, ${size.accounts}, ${
    size.accounts / 2
  }, 0, 0, '{}', '{}', '{}', '{}', '{}' FROM generate_series(1, ${size.batches}) AS b`,
  `INSERT INTO account (account_index, item_id, token_id, batch_num, public_key, address, nonce, balance)
   SELECT 256 + i, ${item("i")}, i % 5, 1, ${publicKey("i")}, ${
    address("i")
  }, i, i FROM generate_series(0, ${size.accounts - 1}) AS i`,
  `INSERT INTO transaction (item_id, id, type, position, from_account_index, from_address, from_public_key, to_account_index, to_address, to_public_key,
     token_id, amount, timestamp_ms, fee, nonce, batch_num)
   SELECT ${item("i")}, ${
    bytes("i", 33)
  }, CASE WHEN i % 3 = 0 THEN 0 ELSE 1 END, i % ${perBatch}, 256 + i % 1000, ${
    address("i % 1000")
  }, ${publicKey("i % 1000")}, 256 + (i * 7) % 1000,
     ${address("(i * 7) % 1000")}, ${
    publicKey("(i * 7) % 1000")
  }, i % 5, i, 1e12, 5, i, 1 + i / ${perBatch} FROM generate_series(0, ${
    size.transactions - 1
  }) AS i`,
  `INSERT INTO queued_transaction (item_id, id, type, position, from_account_index, from_address, to_account_index, token_id, amount, timestamp_ms, queue, user_origin,
     deposit_amount, amount_success, deposit_amount_success, ethereum_block_num, forged)
   SELECT 1000000 + i, ${bytes("1000000 + i", 33)}, 6, i % 100, 256 + i, ${
    address("i")
  }, 257, 0, i, 1e12, i / 100, true, 0, false, false, 1000000, i < 20000 - ${size.queued}
   FROM generate_series(0, 19999) AS i`,
  `INSERT INTO exit (item_id, batch_num, account_index, token_id, address, public_key, balance, proof_root, proof_siblings, proof_old_key, proof_old_value,
     proof_is_old0, proof_key, proof_value, proof_fnc, instant_withdrawn)
   SELECT ${item("i")}, 1 + i / ${exitsPerBatch}, 256 + i % 1000, i % 5, ${address("i % 1000")}, ${
    publicKey("i % 1000")
  }, 1, 1, '{1,2}', 0, 0, false, 1, 1, 0,
     CASE WHEN i % 4 = 0 THEN 1000000 END FROM generate_series(0, ${size.exits - 1}) AS i`,
  `INSERT INTO coordinator (item_id, bidder_addr, forger_addr, url, ethereum_block_num)
   SELECT ${item("i")}, ${bytes(`i % ${size.bidders}`, 20)}, ${
    bytes(`i % ${size.bidders} / 10`, 20)
  }, 'https://' || i, 1000000 FROM generate_series(0, ${size.coordinators - 1}) AS i`,
  `INSERT INTO registration (bidder_addr, forger_addr, item_id)
   SELECT DISTINCT ON (bidder_addr) bidder_addr, forger_addr, item_id FROM coordinator ORDER BY bidder_addr, item_id DESC`,
  `INSERT INTO bid (item_id, slot_num, bidder_addr, withdraw_addr, bid_value, ethereum_block_num, timestamp_ms)
   SELECT ${item("i")}, CASE WHEN i % 3 = 0 THEN 100 ELSE i / 3 END, ${
    bytes(`(i / 3) % ${size.bidders}`, 20)
  }, ${bytes("1", 20)}, i, 1000000, 1e12 FROM generate_series(0, ${size.bids - 1}) AS i`,
  `UPDATE ledger SET version = 1, ethereum_block_num = ${
    1_000_000 + size.blocks
  }, batch_num = ${size.batches}`,
  openStatement(openExitSource),
  openStatement(
    "SELECT '\\x5362'::bytea || bidder_addr AS key, slot_num AS item FROM (SELECT DISTINCT ON (slot_num) * FROM bid ORDER BY slot_num, item_id DESC) AS best"
  ),
  openStatement(wonSlotSource("SELECT DISTINCT slot_num FROM bid", true))
]

/** Fills the tables of an open ledger without batches. */
export const fillLedger = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function*() {
    yield* sql.unsafe(
      `INSERT INTO token (token_id, item_id, ethereum_address, name, symbol, decimals, ethereum_block_num, version)
      SELECT i, i + 1, ${
        bytes("i", 20)
      }, 'Token ' || i, 'T' || i, 18, 0, 1 FROM generate_series(1, 4) AS i`
    )
    for (const statement of rows) yield* sql.unsafe(statement)
    yield* fileRows(sql)
  })
