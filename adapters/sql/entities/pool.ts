import {
  type AccountOwner,
  type Authorization,
  type GroupMembership,
  type PoolState,
  poolStates,
  type PoolTransaction,
  type PoolTransition,
  poolTransactionTypes,
  type RequestedTransaction,
  type SkippedTransaction
} from "../../../core/domain/mod.ts"
import type { Pooled, ReconciledBatch } from "../../../core/ports/mod.ts"
import {
  accountIndex,
  address,
  batchNumber,
  bigInteger,
  checked,
  hash,
  int16,
  integer,
  nullable,
  oneOf,
  plainText,
  publicKey,
  skipCode,
  sum,
  text,
  transactionId,
  uint32,
  uint40,
  uint64,
  uint8
} from "./column_types.ts"
import {
  type Column,
  type Fields,
  flagged,
  inferredShape,
  optional,
  optionalPart,
  part,
  pick,
  shape,
  type ShapeRow,
  type Stored
} from "./shape.ts"

/* The rows of the pool. */

const request = shape<RequestedTransaction>({
  fromAccountIndex: ["request_from_account_index", nullable(accountIndex)],
  toAccountIndex: ["request_to_account_index", nullable(accountIndex)],
  toAddress: ["request_to_address", nullable(address)],
  toPublicKey: ["request_to_public_key", nullable(publicKey)],
  tokenId: ["request_token_id", nullable(uint32)],
  amount: ["request_amount", nullable(bigInteger)],
  fee: ["request_fee", nullable(checked(int16, "% >= 0"))],
  nonce: ["request_nonce", nullable(checked(uint64, "% >= 0"))]
})

/** The place of a transaction in its atomic group. */
const group = shape<GroupMembership>({
  id: ["group_id", hash],
  position: ["group_position", checked(int16, "% >= 0 AND % < group_size")],
  size: ["group_size", checked(int16, "% > 1")],
  requestOffset: ["request_offset", checked(int16, "% BETWEEN 1 AND 7")]
})

export const poolTransaction = shape<PoolTransaction>({
  id: ["id", transactionId, "PRIMARY KEY"],
  type: ["type", oneOf(poolTransactionTypes)],
  tokenId: ["token_id", uint32],
  fromAccountIndex: ["from_account_index", accountIndex],
  toAccountIndex: ["to_account_index", nullable(accountIndex)],
  toAddress: ["to_address", nullable(address)],
  toPublicKey: ["to_public_key", nullable(publicKey)],
  amount: ["amount", bigInteger],
  fee: ["fee", uint8],
  nonce: ["nonce", uint40],
  // in the case in which it was posted
  signature: ["signature", checked(plainText, "octet_length(%) = 128")],
  request: flagged("has_request", request),
  maxNumBatch: optional("max_num_batch", batchNumber),
  group: optionalPart("group_id", group),
  state: ["state", oneOf(poolStates)],
  timestampMs: ["timestamp_ms", integer],
  batchNum: ["batch_num", nullable(uint32)]
})

const pooledFields: Fields<Pooled> = {
  transaction: poolTransaction,
  sender: shape<AccountOwner>({
    address: ["sender_address", address],
    publicKey: ["sender_key", publicKey]
  }),
  receiver: part(
    "receiver_address",
    shape<AccountOwner>({
      address: ["receiver_address", address],
      publicKey: ["receiver_key", publicKey]
    })
  ),
  sinceMs: ["since_ms", integer],
  arrival: ["arrival", integer]
}
export const pooled = shape<Pooled>(pooledFields)

/** The same with `feeUnits` of the transaction, by which it is ordered. */
export type OrderedPooled = Pooled & { readonly feeUnits: bigint }
const feeUnits: Column<bigint> = ["fee_units", checked(sum, "% >= 0")]
export const orderedPooled = shape<OrderedPooled>({ ...pooledFields, feeUnits })

export const skippedTransaction = shape<SkippedTransaction>({
  id: ["id", transactionId],
  code: ["passed_code", skipCode],
  reason: ["passed_reason", text],
  batchNum: ["passed_batch_num", integer],
  atMs: ["passed_at_ms", integer]
})

/** The last time that the forger skipped a transaction. */
export type Skip = Omit<SkippedTransaction, "id">
export const skip: Stored<Skip | null> = part(
  "passed_code",
  pick(skippedTransaction, "code", "reason", "batchNum", "atMs")
)

/** All columns of `pool_transaction`. */
export const storedPooled = shape<OrderedPooled & { readonly skip: Skip | null }>({
  ...pooledFields,
  feeUnits,
  skip
})

/** A transition with its number, which ascends in the order of the commits. */
export type NumberedTransition = PoolTransition & { readonly number: number }
export const poolTransition = shape<NumberedTransition>({
  id: ["id", transactionId],
  from: ["from_state", nullable(oneOf(poolStates))],
  to: ["to_state", nullable(oneOf(poolStates))],
  atMs: ["at_ms", integer],
  batchNum: ["batch_num", nullable(integer)],
  reason: ["reason", text],
  number: ["number", integer]
})

export const authorization = shape<Authorization>({
  address: ["address", address],
  publicKey: ["public_key", publicKey],
  signature: ["signature", plainText],
  timestampMs: ["timestamp_ms", integer]
})

/** The row of `pool`. */
export const poolNumbers = inferredShape({
  counts: shape<{ readonly [State in PoolState]: number }>({
    pend: ["pend", integer],
    fing: ["fing", integer],
    fged: ["fged", integer],
    invl: ["invl", integer]
  }),
  nextArrival: ["next_arrival", integer],
  nextTransition: ["next_transition", integer],
  /** Sequence number of the next write among all writes of the pool. */
  nextWrite: ["next_write", integer]
})
export type PoolNumbers = ShapeRow<typeof poolNumbers>

/** A row of `pool_mark`. */
export const reconciledBatch = shape<ReconciledBatch>({
  batchNum: ["batch_num", integer],
  ethereumBlockHash: ["ethereum_block_hash", plainText]
})
