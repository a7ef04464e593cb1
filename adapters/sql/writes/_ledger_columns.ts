import {
  type Account,
  type Bid,
  type Coordinator,
  type Exit,
  type Token,
  type Transaction,
  type TransactionType,
  transactionTypes
} from "../../../core/domain/mod.ts"
import {
  arrays,
  bigints,
  booleans,
  type Column,
  type Columns,
  doubles,
  hexBytes,
  numerics,
  smallints,
  storedText,
  texts
} from "../connection/mod.ts"
import { encodeParameterSet } from "../reads/mod.ts"
import type {
  BatchRow,
  BlockRow,
  NextItems,
  ParameterSet,
  PriceChange,
  Withdrawal
} from "./_rows_to_write.ts"

/*
 * The columns of each table of the ledger, and the value that each takes from a row.
 */

const typeNumbers = new Map<TransactionType, number>(
  transactionTypes.map((type, number) => [type, number])
)

const nextColumns = <Row>(next: (row: Row) => Readonly<NextItems>): Columns<Row> => ({
  next_account: bigints((row) => next(row).account),
  next_exit: bigints((row) => next(row).exit),
  next_transaction: bigints((row) => next(row).transaction),
  next_batch: bigints((row) => next(row).batch),
  next_bid: bigints((row) => next(row).bid),
  next_token: bigints((row) => next(row).token),
  next_coordinator: bigints((row) => next(row).coordinator)
})

export const blockColumns: Columns<BlockRow> = {
  number: numerics((row) => row.block.number),
  hash: hexBytes((row) => row.block.hash),
  timestamp_ms: bigints((row) => row.block.timestampMs),
  last_ethereum_block: numerics((row) => row.lastEthereumBlock),
  last_batch_num: bigints((row) => row.lastBatchNum),
  last_account_index: bigints((row) => row.lastAccountIndex),
  last_token_id: bigints((row) => row.lastTokenId),
  total_queued: bigints((row) => row.totalQueued),
  previous_after_gap: numerics((row) => row.previousAfterGap),
  ...nextColumns((row) => row.next)
}

export const batchColumns: Columns<BatchRow> = {
  batch_num: bigints(({ batch }) => batch.batchNum),
  item_id: bigints(({ batch }) => batch.itemId),
  ethereum_block_num: numerics(({ batch }) => batch.ethereumBlockNum),
  ethereum_block_hash: hexBytes(({ batch }) => batch.ethereumBlockHash),
  timestamp_ms: bigints(({ batch }) => batch.timestampMs),
  forger_addr: hexBytes(({ batch }) => batch.forgerAddr),
  collected_tokens: arrays(
    "bigint",
    ({ batch }) => batch.collectedFees.map(([tokenId]) => tokenId)
  ),
  collected_amounts: arrays(
    "numeric",
    ({ batch }) => batch.collectedFees.map(([, amount]) => amount)
  ),
  historic_total_collected_fees_usd: doubles(({ batch }) => batch.historicTotalCollectedFeesUSD),
  state_root: numerics(({ batch }) => batch.stateRoot),
  num_accounts: bigints(({ batch }) => batch.numAccounts),
  exit_root: numerics(({ batch }) => batch.exitRoot),
  forge_l1_transactions_num: bigints(({ batch }) => batch.forgeL1TransactionsNum),
  slot_num: bigints(({ batch }) => batch.slotNum),
  ethereum_tx_hash: hexBytes(({ batch }) => batch.ethereumTxHash),
  transactions_from: bigints((row) => row.transactions[0]),
  transactions_to: bigints((row) => row.transactions[1]),
  exits_from: bigints((row) => row.exits[0]),
  exits_to: bigints((row) => row.exits[1]),
  total_transactions: bigints(({ totals }) => totals.transactions),
  total_l2_transactions: bigints(({ totals }) => totals.l2Transactions),
  total_fee_units: numerics(({ totals }) => totals.feeUnits),
  total_accounts: bigints(({ totals }) => totals.accounts),
  total_public_keys: bigints(({ totals }) => totals.publicKeys),
  total_l1_user_transactions: bigints(({ totals }) => totals.l1UserTransactions),
  total_l1_wait_ms: numerics(({ totals }) => totals.l1WaitMs),
  last_forged_queue: bigints((row) => row.lastForgedQueue),
  updated_accounts: arrays(
    "bigint",
    ({ accountsBefore }) => accountsBefore.map(({ index }) => index)
  ),
  nonces_before: arrays("bigint", ({ accountsBefore }) => accountsBefore.map(({ nonce }) => nonce)),
  balances_before: arrays(
    "numeric",
    ({ accountsBefore }) => accountsBefore.map(({ balance }) => balance)
  )
}

export const accountColumns: Columns<Account> = {
  account_index: bigints((row) => row.index),
  item_id: bigints((row) => row.itemId),
  token_id: bigints((row) => row.tokenId),
  batch_num: bigints((row) => row.batchNum),
  public_key: hexBytes((row) => row.publicKey),
  address: hexBytes((row) => row.address),
  nonce: bigints((row) => row.nonce),
  balance: numerics((row) => row.balance)
}

export const accountUpdateColumns: Columns<Account> = {
  account_index: bigints((row) => row.index),
  nonce: bigints((row) => row.nonce),
  balance: numerics((row) => row.balance)
}

const commonTransactionColumns: Columns<Transaction> = {
  item_id: bigints((row) => row.itemId),
  id: hexBytes((row) => row.id),
  type: smallints((row) => typeNumbers.get(row.type)!),
  position: bigints((row) => row.position),
  from_account_index: bigints((row) => row.fromAccountIndex),
  from_address: hexBytes((row) => row.fromAddress),
  from_public_key: hexBytes((row) => row.fromPublicKey),
  to_account_index: bigints((row) => row.toAccountIndex),
  to_address: hexBytes((row) => row.toAddress),
  to_public_key: hexBytes((row) => row.toPublicKey),
  token_id: bigints((row) => row.tokenId),
  amount: numerics((row) => row.amount),
  historic_usd: doubles((row) => row.historicUSD),
  timestamp_ms: bigints((row) => row.timestampMs),
  queue: bigints(({ l1 }) => l1 && l1.toForgeL1TransactionsNum),
  user_origin: booleans(({ l1 }) => l1 && l1.userOrigin),
  deposit_amount: numerics(({ l1 }) => l1 && l1.depositAmount),
  amount_success: booleans(({ l1 }) => l1 && l1.amountSuccess),
  deposit_amount_success: booleans(({ l1 }) => l1 && l1.depositAmountSuccess),
  historic_deposit_amount_usd: doubles(({ l1 }) => l1 && l1.historicDepositAmountUSD),
  ethereum_block_num: numerics(({ l1 }) => l1 && l1.ethereumBlockNum),
  fee: smallints(({ l2 }) => l2 && l2.fee),
  historic_fee_usd: doubles(({ l2 }) => l2 && l2.historicFeeUSD),
  nonce: bigints(({ l2 }) => l2 && l2.nonce),
  ethereum_tx_hash: hexBytes(({ l1 }) => l1 && l1.ethereumTxHash),
  l1_fee: numerics(({ l1 }) => l1 && l1.l1Fee)
}

export const transactionColumns: Columns<Transaction> = {
  ...commonTransactionColumns,
  batch_num: bigints((row) => row.batchNum)
}

/** Columns of `queued_transaction`; `forged` is whether a batch has forged the row. */
export const queuedColumns: Columns<Transaction & { readonly forged: boolean }> = {
  ...commonTransactionColumns as Columns<Transaction & { readonly forged: boolean }>,
  forged: booleans((row) => row.forged)
}

export const exitColumns: Columns<Exit> = {
  item_id: bigints((row) => row.itemId),
  batch_num: bigints((row) => row.batchNum),
  account_index: bigints((row) => row.accountIndex),
  token_id: bigints((row) => row.tokenId),
  address: hexBytes((row) => row.address),
  public_key: hexBytes((row) => row.publicKey),
  balance: numerics((row) => row.balance),
  proof_root: numerics(({ merkleProof }) => merkleProof.root),
  proof_siblings: arrays("numeric", ({ merkleProof }) => merkleProof.siblings),
  proof_old_key: numerics(({ merkleProof }) => merkleProof.oldKey),
  proof_old_value: numerics(({ merkleProof }) => merkleProof.oldValue),
  proof_is_old0: booleans(({ merkleProof }) => merkleProof.isOld0),
  proof_key: numerics(({ merkleProof }) => merkleProof.key),
  proof_value: numerics(({ merkleProof }) => merkleProof.value),
  proof_fnc: smallints(({ merkleProof }) => merkleProof.fnc),
  instant_withdrawn: numerics((row) => row.instantWithdrawn),
  delayed_withdraw_request: numerics((row) => row.delayedWithdrawRequest),
  delayed_withdrawn: numerics((row) => row.delayedWithdrawn)
}

export const exitUpdateColumns: Columns<Exit> = {
  item_id: bigints((row) => row.itemId),
  instant_withdrawn: numerics((row) => row.instantWithdrawn),
  delayed_withdraw_request: numerics((row) => row.delayedWithdrawRequest),
  delayed_withdrawn: numerics((row) => row.delayedWithdrawn)
}

export const withdrawalColumns: Columns<Withdrawal> = {
  ethereum_block_num: numerics((row) => row.blockNum),
  exit_item: bigints((row) => row.exitItem),
  field: smallints((row) => row.field)
}

/** A token and the token version in which it last changed. */
export type VersionedToken = Token & { readonly version: number }

export const tokenColumns: Columns<VersionedToken> = {
  token_id: bigints((row) => row.id),
  item_id: bigints((row) => row.itemId),
  ethereum_address: hexBytes((row) => row.ethereumAddress),
  name: texts((row) => storedText(row.name)),
  symbol: texts((row) => storedText(row.symbol)),
  decimals: smallints((row) => row.decimals),
  ethereum_block_num: numerics((row) => row.ethereumBlockNum),
  price_usd: doubles((row) => row.priceUSD),
  price_time_ms: bigints((row) => row.priceTimeMs),
  version: bigints((row) => row.version)
}

export const priceColumns: Columns<VersionedToken> = {
  token_id: bigints((row) => row.id),
  price_usd: doubles((row) => row.priceUSD),
  price_time_ms: bigints((row) => row.priceTimeMs),
  version: bigints((row) => row.version)
}

export const priceChangeColumns: Columns<PriceChange> = {
  ethereum_block_num: numerics((row) => row.blockNum),
  place: bigints((row) => row.position),
  token_id: bigints(({ before }) => before.id),
  price_usd_before: doubles(({ before }) => before.priceUSD),
  price_time_ms_before: bigints(({ before }) => before.priceTimeMs)
}

export const coordinatorColumns: Columns<Coordinator> = {
  item_id: bigints((row) => row.itemId),
  bidder_addr: hexBytes((row) => row.bidderAddr),
  forger_addr: hexBytes((row) => row.forgerAddr),
  url: texts((row) => storedText(row.url)),
  ethereum_block_num: numerics((row) => row.ethereumBlockNum)
}

export const registrationColumns: Columns<Coordinator> = {
  bidder_addr: hexBytes((row) => row.bidderAddr),
  forger_addr: hexBytes((row) => row.forgerAddr),
  item_id: bigints((row) => row.itemId)
}

export const bidColumns: Columns<Bid> = {
  item_id: bigints((row) => row.itemId),
  slot_num: bigints((row) => row.slotNum),
  bidder_addr: hexBytes((row) => row.bidderAddr),
  withdraw_addr: hexBytes((row) => row.withdrawAddr),
  bid_value: numerics((row) => row.bidValue),
  ethereum_block_num: numerics((row) => row.ethereumBlockNum),
  timestamp_ms: bigints((row) => row.timestampMs)
}

export const parameterSetColumns: Columns<ParameterSet> = {
  kind: texts((row) => row.kind),
  ethereum_block_num: numerics((row) => row.blockNum),
  first_slot: bigints(({ set }) =>
    "defaultSlotSetBidSlotNum" in set ? set.defaultSlotSetBidSlotNum : null
  ),
  default_bids: {
    ...texts<ParameterSet>(({ set }) =>
      "defaultSlotSetBid" in set ? `{${set.defaultSlotSetBid.join(",")}}` : null
    ),
    cast: "::numeric[]"
  },
  variables: texts((row) => encodeParameterSet(row.kind, row.set as never))
}

/** A slot and the bidder with its best bid. */
export interface HeldSlot {
  readonly bidder: string
  readonly slotNum: number
}
export const heldSlotColumns: {
  readonly bidder: Column<HeldSlot>
  readonly item: Column<HeldSlot>
} = {
  bidder: hexBytes((row) => row.bidder),
  item: bigints((row) => row.slotNum)
}
