import type { AuditCheck } from "../../core/use_cases/mod.ts"
import type { AuditRequest } from "./_stores.ts"

/** A change of a database, and the violation that an audit has to report. */
export interface Damage {
  readonly check: AuditCheck
  /** Matches the reported place. */
  readonly place: RegExp
  readonly statement: string
}

/**
 * Reads a table of damages: each begins with the check and the place as a regular expression, and
 * the statement follows on indented lines.
 */
const damagesIn = (text: string): ReadonlyArray<Damage> =>
  text.trim().split(/\n(?=\S)/u).map((row) => {
    const [, check, place, statement] = /^([\w-]+): (.+)\n([^]+)$/u.exec(row)!
    return {
      check: check as AuditCheck,
      place: new RegExp(`^${place}$`, "u"),
      statement: statement!
    }
  })

/** The damages of one group are independent, so that one audit reports all of them. */
export const damages: {
  readonly [group: string]: AuditRequest & { readonly all: ReadonlyArray<Damage> }
} = {
  "rows of the chain": {
    stateRoot: true,
    all: damagesIn(String.raw`
state-root: batch \d+, stateRoot
  UPDATE batch SET state_root = 5 WHERE batch_num = (SELECT max(batch_num) FROM batch)
migrations: schema
  UPDATE migration SET checksum = 'x' WHERE number = 1
genesis: first block, hash
  UPDATE block SET hash = decode(repeat('ab', 32), 'hex') WHERE number = (SELECT min(number) FROM block)
batches: last batch
  UPDATE ledger SET batch_num = batch_num - 1
standing: ledger, part_versions
  UPDATE ledger SET part_versions[1] = version + 1
standing: ledger, next_exit
  UPDATE ledger SET next_exit = 1
blocks: block \d+, timestampMs
  UPDATE block SET timestamp_ms = timestamp_ms - 1000000000 WHERE number = (SELECT max(number) FROM block)
blocks: block \d+, last_ethereum_block
  UPDATE block SET last_ethereum_block = 3 WHERE number = (SELECT max(number) - 3 FROM block)
block-marks: block \d+, next_bid
  UPDATE block SET next_bid = next_bid + 1 WHERE number = (SELECT ethereum_block_num FROM bid ORDER BY item_id LIMIT 1)
block-marks: block \d+, next_coordinator
  UPDATE coordinator SET ethereum_block_num = ethereum_block_num + 2 WHERE item_id = (SELECT
  min(item_id) FROM coordinator)
batches: batch \d+, ethereumBlockHash
  UPDATE batch SET ethereum_block_hash = decode(repeat('ab', 32), 'hex') WHERE batch_num = (SELECT
  max(batch_num) / 2 FROM batch)
batches: batch 3, slotNum
  UPDATE batch SET slot_num = slot_num + 1 WHERE batch_num = 3
totals: batch 2, total_l2_transactions
  UPDATE batch SET total_l2_transactions = total_l2_transactions + 1 WHERE batch_num = 2
totals: batch 5, total_public_keys
  UPDATE batch SET total_public_keys = total_public_keys + 1 WHERE batch_num = 5
totals: batch 6, total_fee_units
  UPDATE batch SET total_fee_units = total_fee_units + 1 WHERE batch_num = 6
totals: batch 7, numAccounts
  UPDATE batch SET num_accounts = num_accounts + 1 WHERE batch_num = 7`)
  },
  "balances": {
    all: damagesIn(String.raw`
balances: account 257 after batch \d+, balance
  UPDATE account SET balance = balance + 1 WHERE account_index = 257
balances: account 258 after batch \d+, nonce
  UPDATE account SET nonce = nonce + 7 WHERE account_index = 258
transitions: account 259, address
  UPDATE account SET address = decode(repeat('ab', 20), 'hex') WHERE account_index = 259
queued: .*position \d+\), forged
  UPDATE queued_transaction SET forged = false WHERE item_id = (SELECT max(item_id) FROM
  queued_transaction WHERE forged)
queued: queued_transaction, item \d+ \(queue \d+, position \d+\)
  UPDATE queued_transaction SET amount_success = true WHERE item_id = (SELECT max(item_id) FROM
  queued_transaction)
queued: transaction 0x.*
  UPDATE queued_transaction SET from_account_index = from_account_index + 1 WHERE item_id = (SELECT
  min(item_id) FROM queued_transaction WHERE forged AND from_account_index IS NOT NULL)
standing: ledger, token_version
  UPDATE token SET version = 1000000 WHERE token_id = 1
prices: price_change of block \d+, place 1
  DELETE FROM price_change WHERE place = 0 AND ethereum_block_num = (SELECT min(ethereum_block_num)
  FROM price_change WHERE place = 1)
prices: price_change of block \d+, place 0
  UPDATE price_change SET price_time_ms_before = NULL WHERE (ethereum_block_num, place) = (SELECT max(ethereum_block_num), 0
  FROM price_change WHERE place = 0 AND price_usd_before IS NOT NULL)
coordinators: registration 0x.*
  UPDATE registration SET item_id = item_id + 1 WHERE item_id = (SELECT min(item_id) FROM registration)
bids: bid \d+ \(slot \d+\)
  UPDATE bid SET bid_value = 0 WHERE item_id = (SELECT max(item_id) FROM bid GROUP BY slot_num
  HAVING count(*) > 1 LIMIT 1)
variables: parameter_set auction of block \d+, first_slot
  UPDATE parameter_set SET first_slot = 77 WHERE kind = 'auction'
variables: parameter_set auction of block \d+, defaultSlotSetBidFirstSlot
  UPDATE parameter_set SET variables = regexp_replace(variables, '"defaultSlotSetBidFirstSlot":\d+',
  '"defaultSlotSetBidFirstSlot":4000000000') WHERE kind = 'auction'
variables: parameter_set rollup of block \d+
  UPDATE parameter_set SET variables = '{}' WHERE kind = 'rollup'
variables: parameter_set withdrawalDelayer of block \d+, ethereumBlockNum
  UPDATE parameter_set SET ethereum_block_num = ethereum_block_num + 1 WHERE (kind,
  ethereum_block_num) = (SELECT kind, max(ethereum_block_num) FROM parameter_set WHERE kind =
  'withdrawalDelayer' GROUP BY kind)
withdrawals: withdrawal of block \d+, exit \d+, field \d
  UPDATE exit SET instant_withdrawn = NULL WHERE item_id = (SELECT min(item_id) FROM exit WHERE
  instant_withdrawn IS NOT NULL)
withdrawals: exit \d+, delayed_withdraw_request
  DELETE FROM withdrawal WHERE field = 1
open-counts: open_count [\da-f]+, level 1, bucket \d+
  UPDATE open_count SET items = items + 1 WHERE level = 1
pool: pool, pend
  UPDATE pool SET pend = pend + 1
pool: pool, next_arrival
  UPDATE pool SET next_arrival = 0
pool: pool, next_transition
  UPDATE pool SET next_transition = next_transition + 2
pool: pool_sender 999
  INSERT INTO pool_sender (account_index, pending) VALUES (999, 1)
pool: pool_transaction 0x[\da-f]+, fee_units
  UPDATE pool_transaction SET fee_units = fee_units + 1 WHERE id = (SELECT id FROM pool_transaction ORDER BY id LIMIT 1)
pool-steps: pool_transaction 0x[\da-f]+, step \d+
  UPDATE pool_transition SET to_state = 'invl' WHERE number = (SELECT max(number) FROM pool_transition)
pool-ledger: pool_mark \d+
  UPDATE pool_mark SET ethereum_block_hash = '0x00' WHERE batch_num = (SELECT min(batch_num) FROM pool_mark)
pool-ledger: pool transaction 0x[\da-f]+
  UPDATE pool_transaction SET state = 'fged', batch_num = 1, passed_code = NULL, passed_reason =
  NULL, passed_batch_num = NULL, passed_at_ms = NULL WHERE id = (SELECT id FROM pool_transaction
  ORDER BY id DESC LIMIT 1)`)
  },
  "overwritten values, transactions and exits": {
    proofs: true,
    all: damagesIn(String.raw`
balances: account \d+ before batch \d+, balance
  UPDATE batch SET balances_before[1] = balances_before[1] + 1 WHERE batch_num = (SELECT
  max(batch_num) FROM batch WHERE cardinality(balances_before) > 1)
changes: batch \d+, account \d+
  UPDATE batch SET nonces[1] = nonces[1] + 1 WHERE batch_num = (SELECT max(batch_num) FROM batch
  WHERE cardinality(nonces) > 1)
changes: batch \d+, account 70000
  UPDATE batch SET changed_accounts[cardinality(changed_accounts)] = 70000 WHERE batch_num = (SELECT
  min(batch_num) FROM batch WHERE num_accounts > 0)
rollbacks: rollback \d+, serial
  UPDATE rollback SET serial = serial + 7 WHERE serial = (SELECT max(serial) FROM rollback)
fees: batch \d+, token \d+
  UPDATE batch SET collected_amounts[1] = collected_amounts[1] + 1 WHERE batch_num = (SELECT
  min(batch_num) FROM batch WHERE collected_amounts[1] > 0)
transactions: transaction 0x.*, toAddress
  UPDATE transaction SET to_address = decode(repeat('ab', 20), 'hex') WHERE item_id = (SELECT
  min(item_id) FROM transaction WHERE fee IS NOT NULL AND to_account_index > 255)
transactions: transaction 0x02abab.*, id
  UPDATE transaction SET id = decode('02' || repeat('ab', 32), 'hex') WHERE item_id = (SELECT
  max(item_id) FROM transaction WHERE fee IS NOT NULL)
transactions: transaction 0x.*, amountSuccess
  UPDATE transaction SET amount_success = NOT amount_success WHERE item_id = (SELECT min(item_id)
  FROM transaction WHERE queue IS NOT NULL)
exits: exit \d+ \(batch \d+, account \d+\), balance
  UPDATE exit SET balance = balance + 1 WHERE item_id = (SELECT min(item_id) FROM exit)
exit-proofs: exit \d+ \(batch \d+, account \d+\), isOld0
  UPDATE exit SET proof_is_old0 = true WHERE item_id = (SELECT min(item_id) FROM exit)
exit-proofs: exit \d+ \(batch \d+, account \d+\), value
  UPDATE exit SET proof_value = proof_value + 1 WHERE item_id = (SELECT max(item_id) FROM exit)`)
  },
  "missing rows": {
    all: damagesIn(String.raw`
ranges: batch \d+, transactions
  DELETE FROM transaction WHERE item_id = (SELECT max(item_id) FROM transaction)
postings: posting 54[\da-f]+
  SELECT 1
ranges: list of exits
  DELETE FROM exit WHERE item_id = (SELECT max(item_id) FROM exit)
queued: transaction 0x.*
  DELETE FROM queued_transaction WHERE item_id = (SELECT max(item_id) FROM queued_transaction WHERE forged)
transitions: account \d+
  DELETE FROM account WHERE account_index = (SELECT max(account_index) - 1 FROM account)
blocks: block \d+, previous block
  DELETE FROM block WHERE number = (SELECT min(number) + 1 FROM block)
block-marks: block \d+, last_token_id
  DELETE FROM token WHERE token_id = (SELECT max(token_id) FROM token)
tokens: addresses of tokens
  INSERT INTO token SELECT (jsonb_populate_record(token, '{"item_id": 99, "token_id": 2}')).* FROM token WHERE token_id = 0
open-items: open_item 53[\da-f]+
  DELETE FROM open_item WHERE substring(key FROM 1 FOR 1) = '\x53' AND (key, item) = (SELECT key,
  item FROM open_item WHERE substring(key FROM 1 FOR 1) = '\x53' LIMIT 1)
open-items: open_item 4f2a
  INSERT INTO open_item (key, item) SELECT '\x4f2a', item_id FROM exit WHERE item_id < 10 AND
  coalesce(instant_withdrawn, delayed_withdrawn) IS NOT NULL LIMIT 1
open-items: open_item 4f740000000000000000
  INSERT INTO open_item (key, item) VALUES ('\x4f740000000000000000', 999)`)
  },
  "a missing batch": {
    all: damagesIn(String.raw`
batches: batch 9
  DELETE FROM batch WHERE batch_num = 8`)
  },
  "lists": {
    all: damagesIn(String.raw`
posting-rows: posting 542a, first item \d+, first_ordinal
  UPDATE posting SET first_ordinal = first_ordinal + 64 WHERE (key, first_item) = (SELECT key,
  max(first_item) FROM posting WHERE key = '\x542a' GROUP BY key)
postings: posting 4479
  INSERT INTO posting (key, first_item, first_ordinal, items, filed, is_last) VALUES ('\x4479', 1, 0, '{1}', 0, true)
posting-rows: posting 5461[\da-f]+, first item \d+, is_last
  UPDATE posting SET is_last = true WHERE (key, first_item) = (SELECT key, first_item FROM posting
  WHERE substring(key FROM 1 FOR 2) = '\x5461' AND NOT is_last LIMIT 1)
postings: posting 4574[\da-f]+
  UPDATE posting SET items = items || items[cardinality(items)] + 900000 WHERE (key, first_item) =
  (SELECT key, first_item FROM posting WHERE substring(key FROM 1 FOR 2) = '\x4574' AND
  cardinality(items) < 60 LIMIT 1)
postings: posting 4174[\da-f]+
  UPDATE posting SET items = items[1:cardinality(items) - 1] WHERE (key, first_item) = (SELECT key,
  first_item FROM posting WHERE substring(key FROM 1 FOR 2) = '\x4174' AND cardinality(items)
  BETWEEN 2 AND 60 LIMIT 1)
postings: posting 546b[\da-f]{66}
  DELETE FROM posting WHERE key = (SELECT key FROM posting WHERE substring(key FROM 1 FOR 2) =
  '\x546b' AND octet_length(key) = 35 AND first_ordinal = 0 AND filed = 0 LIMIT 1)
posting-rows: posting 5479[\da-f]+, first item \d+
  UPDATE posting SET items = items[1:1] || items[3:3] || items[2:2] || items[4:] WHERE (key,
  first_item) = (SELECT key, first_item FROM posting WHERE substring(key FROM 1 FOR 2) = '\x5479'
  AND cardinality(items) > 3 LIMIT 1)
postings: posting 5461[\da-f]{44,}
  DELETE FROM posting WHERE (key, first_item) = (SELECT key, first_item FROM posting WHERE
  substring(key FROM 1 FOR 2) = '\x5461' AND octet_length(key) > 23 LIMIT 1)
postings: posting 5469[\da-f]{20,}
  UPDATE posting SET filed = 1 WHERE (key, first_item) = (SELECT key, first_item FROM posting WHERE
  substring(key FROM 1 FOR 2) = '\x5469' AND octet_length(key) = 11 AND filed = 0 LIMIT 1)`)
  },
  "a list with other items, whose number, sum and sum of squares are equal": {
    all: damagesIn(String.raw`
postings: posting 54[\da-f]+
  UPDATE posting SET items = ARRAY(SELECT item FROM unnest(items || ARRAY[x + d, x + 2 * d, x + 6 * d]) AS item
  WHERE item NOT IN (x, x + 4 * d, x + 5 * d) ORDER BY item) FROM (SELECT key AS chosen, first_item AS first, x, d
  FROM posting, unnest(items) AS x, generate_series(1, 9) AS d WHERE substring(key FROM 1 FOR 1) = '\x54'
  AND filed = 0 AND items @> ARRAY[x, x + 4 * d, x + 5 * d] AND NOT items && ARRAY[x + d, x + 2 * d, x + 6 * d]
  AND x > first_item LIMIT 1) AS same_sums WHERE key = chosen AND first_item = first`)
  },
  "an unreadable genesis": {
    all: damagesIn(String.raw`
genesis: genesis, record
  UPDATE genesis SET record = '{}'`)
  },
  "a missing row of the ledger": {
    all: damagesIn(String.raw`
standing: ledger
  DELETE FROM ledger`)
  },
  "another name of a migration": {
    all: damagesIn(String.raw`
migrations: schema
  UPDATE migration SET name = 'another schema' WHERE number = 1`)
  },
  "a missing migration": {
    all: damagesIn(String.raw`
migrations: migration 1 \(initial schema\)
  DELETE FROM migration WHERE number = 1`)
  }
}
