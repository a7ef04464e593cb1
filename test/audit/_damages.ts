import type { AuditCheck } from "../../core/use_cases/mod.ts"
import type { AuditRequest } from "./_stores.ts"

/** A change of a database, and the violation that an audit has to report. */
export interface Damage {
  readonly damage: string
  readonly check: AuditCheck
  /** Matches the reported place. */
  readonly place: RegExp
}

const damage = (check: AuditCheck, place: RegExp, statement: string): Damage => ({
  damage: statement,
  check,
  place
})
const some = (table: string, key: string, condition = "true", order = key): string =>
  `(SELECT ${key} FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT 1)`
const middleBatch = "(SELECT max(batch_num) / 2 FROM batch)"
const lastItem = "items[cardinality(items)]"

/** The damages of one group are independent, so that one audit reports all of them. */
export const damages: {
  readonly [group: string]: AuditRequest & { readonly all: ReadonlyArray<Damage> }
} = {
  "rows of the chain": {
    stateRoot: true,
    all: [
      damage(
        "state-root",
        /^batch \d+, stateRoot$/u,
        "UPDATE batch SET state_root = 5 WHERE batch_num = (SELECT max(batch_num) FROM batch)"
      ),
      damage(
        "migrations",
        /^migration 1 \(initial schema\)$/u,
        "UPDATE migration SET checksum = 'x' WHERE number = 1"
      ),
      damage(
        "genesis",
        /^first block, hash$/u,
        "UPDATE block SET hash = decode(repeat('ab', 32), 'hex') WHERE number = (SELECT min(number) FROM block)"
      ),
      damage("standing", /^ledger, batch_num$/u, "UPDATE ledger SET batch_num = batch_num - 1"),
      damage("standing", /^ledger, next_exit$/u, "UPDATE ledger SET next_exit = 1"),
      damage(
        "blocks",
        /^block \d+, timestampMs$/u,
        "UPDATE block SET timestamp_ms = timestamp_ms - 1000000000 WHERE number = (SELECT max(number) FROM block)"
      ),
      damage(
        "blocks",
        /^block \d+, last_ethereum_block$/u,
        "UPDATE block SET last_ethereum_block = 3 WHERE number = (SELECT max(number) - 3 FROM block)"
      ),
      damage(
        "block-marks",
        /^block \d+, next_bid$/u,
        "UPDATE block SET next_bid = next_bid + 1 WHERE number = (SELECT ethereum_block_num FROM bid ORDER BY item_id LIMIT 1)"
      ),
      damage(
        "block-marks",
        /^block \d+, next_coordinator$/u,
        `UPDATE coordinator SET ethereum_block_num = ethereum_block_num + 2 WHERE item_id = ${
          some("coordinator", "item_id")
        }`
      ),
      damage(
        "batches",
        /^batch \d+, ethereumBlockHash$/u,
        `UPDATE batch SET ethereum_block_hash = decode(repeat('ab', 32), 'hex') WHERE batch_num = ${middleBatch}`
      ),
      damage(
        "batches",
        /^batch 3, slotNum$/u,
        "UPDATE batch SET slot_num = slot_num + 1 WHERE batch_num = 3"
      ),
      damage(
        "totals",
        /^batch 2, total_l2_transactions$/u,
        "UPDATE batch SET total_l2_transactions = total_l2_transactions + 1 WHERE batch_num = 2"
      ),
      damage(
        "totals",
        /^batch 5, total_public_keys$/u,
        "UPDATE batch SET total_public_keys = total_public_keys + 1 WHERE batch_num = 5"
      ),
      damage(
        "totals",
        /^batch 6, total_fee_units$/u,
        "UPDATE batch SET total_fee_units = total_fee_units + 1 WHERE batch_num = 6"
      ),
      damage(
        "totals",
        /^batch 7, numAccounts$/u,
        "UPDATE batch SET num_accounts = num_accounts + 1 WHERE batch_num = 7"
      )
    ]
  },
  "balances": {
    all: [
      damage(
        "balances",
        /^account 257 after batch \d+, balance$/u,
        "UPDATE account SET balance = balance + 1 WHERE account_index = 257"
      ),
      damage(
        "balances",
        /^account 258 after batch \d+, nonce$/u,
        "UPDATE account SET nonce = nonce + 7 WHERE account_index = 258"
      ),
      damage(
        "transitions",
        /^account 259, address$/u,
        "UPDATE account SET address = decode(repeat('ab', 20), 'hex') WHERE account_index = 259"
      ),
      damage(
        "queued",
        /position \d+\), forged$/u,
        `UPDATE queued_transaction SET forged = false WHERE item_id = ${
          some("queued_transaction", "item_id", "forged", "item_id DESC")
        }`
      ),
      damage(
        "tokens",
        /^token, version$/u,
        "UPDATE token SET version = 1000000 WHERE token_id = 1"
      ),
      damage(
        "prices",
        /^price_change of block \d+, place 1$/u,
        `DELETE FROM price_change WHERE place = 0 AND ethereum_block_num = ${
          some("price_change", "ethereum_block_num", "place = 1")
        }`
      ),
      damage(
        "coordinators",
        /^registration 0x/u,
        `UPDATE registration SET item_id = item_id + 1 WHERE item_id = ${
          some("registration", "item_id")
        }`
      ),
      damage(
        "bids",
        /^bid \d+ \(slot \d+\)$/u,
        `UPDATE bid SET bid_value = 0 WHERE item_id = (SELECT max(item_id) FROM bid GROUP BY slot_num HAVING count(*) > 1 LIMIT 1)`
      ),
      damage(
        "variables",
        /^parameter_set auction of block \d+, first_slot$/u,
        "UPDATE parameter_set SET first_slot = 77 WHERE kind = 'auction'"
      ),
      damage(
        "variables",
        /^parameter_set auction of block \d+, defaultSlotSetBidFirstSlot$/u,
        `UPDATE parameter_set SET variables = regexp_replace(variables, '"defaultSlotSetBidFirstSlot":\\d+', '"defaultSlotSetBidFirstSlot":4000000000')
        WHERE kind = 'auction'`
      ),
      damage(
        "variables",
        /^parameter_set rollup of block \d+$/u,
        "UPDATE parameter_set SET variables = '{}' WHERE kind = 'rollup'"
      ),
      damage(
        "withdrawals",
        /^withdrawal of block \d+, exit \d+, field \d$/u,
        `UPDATE exit SET instant_withdrawn = NULL WHERE item_id = ${
          some("exit", "item_id", "instant_withdrawn IS NOT NULL")
        }`
      ),
      damage(
        "withdrawals",
        /^exit \d+, delayed_withdraw_request$/u,
        "DELETE FROM withdrawal WHERE field = 1"
      ),
      damage(
        "open-counts",
        /^open_count [\da-f]+, level 1, bucket \d+$/u,
        "UPDATE open_count SET items = items + 1 WHERE level = 1"
      ),
      damage("pool", /^pool, pend$/u, "UPDATE pool SET pend = pend + 1"),
      damage(
        "pool",
        /^pool_sender 999$/u,
        "INSERT INTO pool_sender (account_index, pending) VALUES (999, 1)"
      ),
      damage(
        "pool",
        /^pool_transaction 0x[\da-f]+, fee_units$/u,
        `UPDATE pool_transaction SET fee_units = fee_units + 1 WHERE id = ${
          some("pool_transaction", "id")
        }`
      ),
      damage(
        "pool-steps",
        /^pool_transaction 0x[\da-f]+, step \d+$/u,
        "UPDATE pool_transition SET to_state = 'invl' WHERE number = (SELECT max(number) FROM pool_transition)"
      ),
      damage(
        "pool-ledger",
        /^pool_mark \d+$/u,
        "UPDATE pool_mark SET ethereum_block_hash = '0x00' WHERE batch_num = (SELECT min(batch_num) FROM pool_mark)"
      ),
      damage(
        "pool-ledger",
        /^pool_transaction 0x[\da-f]+$/u,
        `UPDATE pool_transaction SET state = 'fged', batch_num = 1, passed_code = NULL, passed_reason = NULL, passed_batch_num = NULL, passed_at_ms = NULL WHERE id = ${
          some("pool_transaction", "id", "true", "id DESC")
        }`
      )
    ]
  },
  "overwritten values, transactions and exits": {
    proofs: true,
    all: [
      damage(
        "balances",
        /^account \d+ before batch \d+, balance$/u,
        `UPDATE batch SET balances_before[1] = balances_before[1] + 1 WHERE batch_num = ${
          some("batch", "batch_num", "cardinality(balances_before) > 1", "batch_num DESC")
        }`
      ),
      damage(
        "changes",
        /^batch \d+, account \d+$/u,
        `UPDATE batch SET nonces[1] = nonces[1] + 1 WHERE batch_num = ${
          some("batch", "batch_num", "cardinality(nonces) > 1", "batch_num DESC")
        }`
      ),
      damage(
        "changes",
        /^batch \d+, account 70000$/u,
        `UPDATE batch SET changed_accounts[cardinality(changed_accounts)] = 70000 WHERE batch_num = ${
          some("batch", "batch_num", "num_accounts > 0")
        }`
      ),
      damage(
        "rollbacks",
        /^rollback \d+, serial$/u,
        "UPDATE rollback SET serial = serial + 7 WHERE serial = (SELECT max(serial) FROM rollback)"
      ),
      damage(
        "fees",
        /^batch \d+, token \d+$/u,
        `UPDATE batch SET collected_amounts[1] = collected_amounts[1] + 1 WHERE batch_num = ${
          some("batch", "batch_num", "collected_amounts[1] > 0")
        }`
      ),
      damage(
        "transactions",
        /^transaction 0x.*, toAddress$/u,
        `UPDATE transaction SET to_address = decode(repeat('ab', 20), 'hex') WHERE item_id = ${
          some("transaction", "item_id", "fee IS NOT NULL AND to_account_index > 255")
        }`
      ),
      damage(
        "transactions",
        /^transaction 0x02abab.*, id$/u,
        `UPDATE transaction SET id = decode('02' || repeat('ab', 32), 'hex') WHERE item_id = ${
          some("transaction", "item_id", "fee IS NOT NULL", "item_id DESC")
        }`
      ),
      damage(
        "transactions",
        /^transaction 0x.*, amountSuccess$/u,
        `UPDATE transaction SET amount_success = NOT amount_success WHERE item_id = ${
          some("transaction", "item_id", "queue IS NOT NULL")
        }`
      ),
      damage(
        "exits",
        /^exit \d+ \(batch \d+, account \d+\), balance$/u,
        `UPDATE exit SET balance = balance + 1 WHERE item_id = ${some("exit", "item_id")}`
      ),
      damage(
        "exit-proofs",
        /^exit \d+ \(batch \d+, account \d+\), isOld0$/u,
        `UPDATE exit SET proof_is_old0 = true WHERE item_id = ${some("exit", "item_id")}`
      ),
      damage(
        "exit-proofs",
        /^exit \d+ \(batch \d+, account \d+\)$/u,
        `UPDATE exit SET proof_value = proof_value + 1 WHERE item_id = ${
          some("exit", "item_id", "true", "item_id DESC")
        }`
      )
    ]
  },
  "missing rows": {
    all: [
      damage(
        "ranges",
        /^batch \d+, transactions$/u,
        "DELETE FROM transaction WHERE item_id = (SELECT max(item_id) FROM transaction)"
      ),
      damage("postings", /^posting 54.*first item \d+$/u, "SELECT 1"),
      damage(
        "ranges",
        /^batch \d+, exits$/u,
        "DELETE FROM exit WHERE item_id = (SELECT max(item_id) FROM exit)"
      ),
      damage(
        "queued",
        /^transaction 0x/u,
        "DELETE FROM queued_transaction WHERE item_id = (SELECT max(item_id) FROM queued_transaction WHERE forged)"
      ),
      damage(
        "transitions",
        /^account \d+$/u,
        "DELETE FROM account WHERE account_index = (SELECT max(account_index) - 1 FROM account)"
      ),
      damage(
        "blocks",
        /^block \d+, previous block$/u,
        "DELETE FROM block WHERE number = (SELECT min(number) + 1 FROM block)"
      ),
      damage(
        "tokens",
        /^last token$/u,
        "DELETE FROM token WHERE token_id = (SELECT max(token_id) FROM token)"
      ),
      damage(
        "open-items",
        /^open_item 53[\da-f]+, item \d+$/u,
        `DELETE FROM open_item WHERE substring(key FROM 1 FOR 1) = '\\x53' AND (key, item) = (SELECT key, item FROM open_item WHERE substring(key FROM 1 FOR 1) = '\\x53' LIMIT 1)`
      ),
      damage(
        "open-items",
        /^open_item 4f2a, item \d$/u,
        `INSERT INTO open_item (key, item) SELECT '\\x4f2a', item_id FROM exit WHERE item_id < 10 AND coalesce(instant_withdrawn, delayed_withdrawn) IS NOT NULL LIMIT 1`
      ),
      damage(
        "open-items",
        /^open_item 4f2a, item 999$/u,
        "INSERT INTO open_item (key, item) VALUES ('\\x4f2a', 999)"
      )
    ]
  },
  "a missing batch": {
    all: [damage("batches", /^batch 9$/u, "DELETE FROM batch WHERE batch_num = 8")]
  },
  "lists": {
    all: [
      damage(
        "posting-rows",
        /^posting 542a, first item \d+, first_ordinal$/u,
        "UPDATE posting SET first_ordinal = first_ordinal + 64 WHERE (key, first_item) = (SELECT key, max(first_item) FROM posting WHERE key = '\\x542a' GROUP BY key)"
      ),
      damage(
        "posting-rows",
        /^posting 4479, first item 1$/u,
        "INSERT INTO posting (key, first_item, first_ordinal, items, filed, is_last) VALUES ('\\x4479', 1, 0, '{1}', 0, true)"
      ),
      damage(
        "posting-rows",
        /^posting 5461[\da-f]+, first item \d+, is_last$/u,
        "UPDATE posting SET is_last = true WHERE (key, first_item) = (SELECT key, first_item FROM posting WHERE substring(key FROM 1 FOR 2) = '\\x5461' AND NOT is_last LIMIT 1)"
      ),
      damage(
        "postings",
        /^posting 4574[\da-f]+, first item \d+$/u,
        `UPDATE posting SET items = items || ${lastItem} + 900000 WHERE (key, first_item) = (SELECT key, first_item FROM posting WHERE substring(key FROM 1 FOR 2) = '\\x4574' AND cardinality(items) < 60 LIMIT 1)`
      ),
      damage(
        "postings",
        /^posting, lists of account by tokenIds$/u,
        "UPDATE posting SET items = items[1:cardinality(items) - 1] WHERE (key, first_item) = (SELECT key, first_item FROM posting WHERE substring(key FROM 1 FOR 2) = '\\x4174' AND cardinality(items) BETWEEN 2 AND 60 LIMIT 1)"
      ),
      damage(
        "postings",
        /^posting, lists of transaction by publicKey$/u,
        "DELETE FROM posting WHERE key = (SELECT key FROM posting WHERE substring(key FROM 1 FOR 2) = '\\x546b' AND octet_length(key) = 35 AND first_ordinal = 0 AND filed = 0 LIMIT 1)"
      ),
      damage(
        "posting-rows",
        /^posting 5479[\da-f]+, first item \d+$/u,
        "UPDATE posting SET items = items[1:1] || items[3:3] || items[2:2] || items[4:] WHERE (key, first_item) = (SELECT key, first_item FROM posting WHERE substring(key FROM 1 FOR 2) = '\\x5479' AND cardinality(items) > 3 LIMIT 1)"
      ),
      damage(
        "postings-below",
        /^posting, lists of transaction by address and \w+/u,
        "DELETE FROM posting WHERE (key, first_item) = (SELECT key, first_item FROM posting WHERE substring(key FROM 1 FOR 2) = '\\x5461' AND octet_length(key) > 23 LIMIT 1)"
      ),
      damage(
        "postings-below",
        /^posting, lists of transaction by accountIndex and type$/u,
        "UPDATE posting SET filed = 1 WHERE (key, first_item) = (SELECT key, first_item FROM posting WHERE substring(key FROM 1 FOR 2) = '\\x5469' AND octet_length(key) = 11 AND filed = 0 LIMIT 1)"
      )
    ]
  },
  "an unreadable genesis": {
    all: [damage("genesis", /^genesis, record$/u, "UPDATE genesis SET record = '{}'")]
  },
  "a missing migration": {
    all: [
      damage(
        "migrations",
        /^migration 1 \(initial schema\)$/u,
        "DELETE FROM migration WHERE number = 1"
      )
    ]
  }
}
