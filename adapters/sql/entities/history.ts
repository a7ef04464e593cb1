import type { Account, Exit, L1Part, L2Part, Transaction } from "../../../core/domain/mod.ts"
import {
  accountIndex,
  address,
  batchNumber,
  bigInteger,
  bigIntegers,
  boolean,
  checked,
  double,
  hash,
  int16,
  integer,
  notNull,
  nullable,
  publicKey,
  transactionId,
  transactionType,
  uint16,
  uint32,
  uint40,
  uint64,
  uint8
} from "./column_types.ts"
import { computed, type Fields, part, shape } from "./shape.ts"

/* The rows that batches add. */

type MerkleProof = Exit["merkleProof"]

export const account = shape<Account>({
  itemId: ["item_id", integer, "UNIQUE"],
  index: [
    "account_index",
    checked(accountIndex, "% BETWEEN 256 AND 281474976710655"),
    "PRIMARY KEY"
  ],
  tokenId: ["token_id", uint32],
  batchNum: ["batch_num", uint32],
  publicKey: ["public_key", publicKey],
  address: ["address", address],
  nonce: ["nonce", uint40],
  balance: ["balance", bigInteger]
})

const l1 = shape<L1Part>({
  toForgeL1TransactionsNum: ["queue", nullable(uint32)],
  userOrigin: ["user_origin", boolean],
  depositAmount: ["deposit_amount", bigInteger],
  amountSuccess: ["amount_success", boolean],
  depositAmountSuccess: ["deposit_amount_success", boolean],
  historicDepositAmountUSD: ["historic_deposit_amount_usd", nullable(double)],
  ethereumBlockNum: ["ethereum_block_num", uint64],
  ethereumTxHash: ["ethereum_tx_hash", nullable(hash)],
  l1Fee: ["l1_fee", nullable(bigInteger)]
})

const l2 = shape<L2Part>({
  fee: ["fee", uint8],
  historicFeeUSD: ["historic_fee_usd", nullable(double)],
  nonce: ["nonce", uint40]
})

/** The fields that forged and queued transactions store alike. */
const transactionFields: Fields<Omit<Transaction, "batchNum">> = {
  itemId: ["item_id", integer, "PRIMARY KEY"],
  id: ["id", transactionId],
  type: ["type", transactionType],
  position: ["position", uint16],
  fromAccountIndex: ["from_account_index", nullable(accountIndex)],
  fromAddress: ["from_address", nullable(address)],
  fromPublicKey: ["from_public_key", nullable(publicKey)],
  toAccountIndex: ["to_account_index", accountIndex],
  toAddress: ["to_address", nullable(address)],
  toPublicKey: ["to_public_key", nullable(publicKey)],
  tokenId: ["token_id", uint32],
  amount: ["amount", bigInteger],
  historicUSD: ["historic_usd", nullable(double)],
  timestampMs: ["timestamp_ms", integer],
  l1: part("user_origin", l1),
  l2: part("fee", l2)
}

/** A transaction is either of L1 or of L2, and only an L1 user transaction is in a queue. */
export const oneLayer =
  "CHECK ((fee IS NULL) <> (user_origin IS NULL) AND user_origin IS NOT DISTINCT FROM (CASE WHEN fee IS NULL THEN queue IS NOT NULL END))"

/** A forged transaction. */
export const transaction = shape<Transaction>({
  ...transactionFields,
  batchNum: ["batch_num", notNull(nullable(integer), batchNumber.check!)]
})

/** An L1 user transaction in a queue, as it was queued. */
const queued: Fields<Transaction> = {
  ...transactionFields,
  id: ["id", transactionId, "UNIQUE"],
  batchNum: computed("NULL::bigint", nullable(integer))
}
export const queuedTransaction = shape<Transaction>(queued)

/** A queued transaction, and whether a batch has forged it. */
export const storedQueuedTransaction = shape<Transaction & { readonly forged: boolean }>({
  ...queued,
  forged: ["forged", boolean, "DEFAULT false"]
})

const merkleProof = shape<MerkleProof>({
  root: ["proof_root", bigInteger],
  siblings: ["proof_siblings", bigIntegers],
  oldKey: ["proof_old_key", bigInteger],
  oldValue: ["proof_old_value", bigInteger],
  isOld0: ["proof_is_old0", boolean],
  key: ["proof_key", bigInteger],
  value: ["proof_value", bigInteger],
  fnc: ["proof_fnc", int16]
})

export const exit = shape<Exit>({
  itemId: ["item_id", integer, "PRIMARY KEY"],
  batchNum: ["batch_num", uint32],
  accountIndex: ["account_index", accountIndex],
  tokenId: ["token_id", uint32],
  address: ["address", address],
  publicKey: ["public_key", publicKey],
  merkleProof,
  balance: ["balance", bigInteger],
  instantWithdrawn: ["instant_withdrawn", nullable(uint64)],
  delayedWithdrawRequest: ["delayed_withdraw_request", nullable(uint64)],
  delayedWithdrawn: ["delayed_withdrawn", nullable(uint64)]
})
