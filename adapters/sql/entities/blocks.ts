import type { Batch, BlockReference, EthereumBlock, HeadFeed } from "../../../core/domain/mod.ts"
import type { LedgerRollBack, LedgerTotals, NextItemIds } from "../../../core/ports/mod.ts"
import {
  accountIndex,
  address,
  batchNumber,
  bigInteger,
  bigIntegers,
  checked,
  double,
  hash,
  integer,
  integers,
  nullable,
  sum,
  uint32,
  uint40s,
  uint64
} from "./column_types.ts"
import { computed, inferredShape, pairs, part, shape, type ShapeRow } from "./shape.ts"

/* Blocks, batches and the row of the ledger. */

export const nextItemIds = shape<NextItemIds>({
  accounts: ["next_account", integer],
  exits: ["next_exit", integer],
  transactions: ["next_transaction", integer],
  batches: ["next_batch", integer],
  bids: ["next_bid", integer],
  tokens: ["next_token", integer],
  coordinators: ["next_coordinator", integer]
})

export const ethereumBlock = shape<EthereumBlock>({
  number: ["number", uint64, "PRIMARY KEY"],
  hash: ["hash", hash],
  timestampMs: ["timestamp_ms", integer]
})

/** A block, and the last and next ids after it. */
export const blockRow = inferredShape({
  block: ethereumBlock,
  /**
   * The number of the block stored before it, if that is not the one directly below. With it an
   * audit finds a block that is missing.
   */
  previousAfterGap: ["previous_after_gap", nullable(checked(uint64, "% < number - 1"))],
  lastEthereumBlock: ["last_ethereum_block", uint64],
  lastBatchNum: ["last_batch_num", uint32],
  lastAccountIndex: ["last_account_index", accountIndex],
  lastTokenId: ["last_token_id", uint32],
  /** L1 user transactions that were queued up to the block. */
  totalQueued: ["total_queued", integer],
  next: nextItemIds
})
export type BlockRow = ShapeRow<typeof blockRow>

/** The row of `ledger` is the only one that stores a head. */
const head = part(
  "head_number",
  shape<HeadFeed>({
    number: ["head_number", uint64],
    hash: ["head_hash", hash],
    timestampMs: ["head_timestamp_ms", integer],
    chainHead: ["chain_head", checked(uint64, "% BETWEEN head_number AND 18446744073709551615")]
  })
)

/** The last block that no rollback can remove; null if none was declared final. */
const final = part(
  "final_number",
  shape<BlockReference>({
    number: ["final_number", uint64],
    hash: ["final_hash", hash]
  })
)

/** The columns of the row of `ledger` that each write reads. */
export const ledgerRow = inferredShape({
  version: ["version", integer],
  /** Increases with each change of a token: a registration, a price, a rollback. */
  tokenVersion: ["token_version", integer],
  batchNum: ["batch_num", nullable(uint32)],
  next: nextItemIds,
  head,
  final
})

export const batch = shape<Batch>({
  itemId: ["item_id", integer, "UNIQUE"],
  batchNum: ["batch_num", batchNumber, "PRIMARY KEY"],
  ethereumBlockNum: ["ethereum_block_num", uint64, "REFERENCES block (number)"],
  ethereumBlockHash: ["ethereum_block_hash", hash],
  timestampMs: ["timestamp_ms", integer],
  forgerAddr: ["forger_addr", address],
  collectedFees: pairs(["collected_tokens", integers], ["collected_amounts", bigIntegers]),
  historicTotalCollectedFeesUSD: ["historic_total_collected_fees_usd", double],
  stateRoot: ["state_root", bigInteger],
  numAccounts: ["num_accounts", uint32],
  exitRoot: ["exit_root", bigInteger],
  forgeL1TransactionsNum: ["forge_l1_transactions_num", nullable(uint32)],
  slotNum: ["slot_num", uint32],
  forgedTransactions: computed("%.transactions_to - %.transactions_from", integer),
  ethereumTxHash: ["ethereum_tx_hash", nullable(hash)]
})

export const totals = shape<LedgerTotals>({
  transactions: ["total_transactions", integer],
  l2Transactions: ["total_l2_transactions", integer],
  feeUnits: ["total_fee_units", sum],
  accounts: ["total_accounts", integer],
  publicKeys: ["total_public_keys", integer],
  l1UserTransactions: ["total_l1_user_transactions", integer],
  l1WaitMs: ["total_l1_wait_ms", sum]
})

/** A batch, its ranges of items, and the accounts that it changed, before and after it. */
export const batchRow = inferredShape({
  batch,
  /** Item ids from the first inclusive to the second exclusive. */
  transactions: inferredShape({
    from: ["transactions_from", integer],
    to: ["transactions_to", checked(integer, "% >= transactions_from")]
  }),
  exits: inferredShape({
    from: ["exits_from", integer],
    to: ["exits_to", checked(integer, "% >= exits_from")]
  }),
  totals,
  lastForgedQueue: ["last_forged_queue", nullable(uint32)],
  /** The accounts that it updated and then those that it created, ascending. */
  changedAccounts: ["changed_accounts", integers],
  /** Of the updated ones only: the first of `changedAccounts`. */
  noncesBefore: ["nonces_before", uint40s],
  balancesBefore: ["balances_before", bigIntegers],
  nonces: ["nonces", uint40s],
  balances: ["balances", bigIntegers]
})
export type BatchRow = ShapeRow<typeof batchRow>

/** Rows of rollbacks are never removed. */
export const rollBackRow = shape<LedgerRollBack>({
  serial: ["serial", checked(integer, "% > 0"), "PRIMARY KEY"],
  version: ["version", integer, "UNIQUE"],
  lastBlock: shape<BlockReference>({
    number: ["last_block_number", uint64],
    hash: ["last_block_hash", hash]
  }),
  removedBlock: shape<BlockReference>({
    number: ["removed_block_number", checked(uint64, "% > last_block_number")],
    hash: ["removed_block_hash", hash]
  }),
  blocks: ["blocks", checked(integer, "% > 0")],
  batches: ["batches", checked(integer, "% >= 0")],
  timeMs: ["time_ms", integer]
})
