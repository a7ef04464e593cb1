import { Schema } from "effect"
import {
  accountIndex,
  digits78Text as big,
  ethSignature,
  ethereumAddress as address,
  hash,
  integer,
  publicKey,
  objectNamed,
  uint32
} from "./values.ts"

/** The schema of the proof of an exit. */
export const MerkleProofFeed = Schema.Struct({
  root: big,
  /** From the root downwards, without trailing zeros, as the withdrawal contract expects. */
  siblings: Schema.Array(big),
  /** These three describe the old leaf of a proof of absence: see `inclusionOldLeaf`. */
  oldKey: big,
  oldValue: big,
  isOld0: Schema.Boolean,
  /** Account index as a number. */
  key: big,
  /** Hash of the leaf; an exit leaf is the account with the withdrawn balance and nonce 0. */
  value: big,
  /** The kind of proof: 0, inclusion, is the only supported one. */
  fnc: integer(0, 3)
}).annotate(
  objectNamed(
    "MerkleProofFeed",
    "A Merkle proof of a leaf of the exit tree, as the circuits read it"
  )
)

/** The schema of an L1 transaction that a user queued; amounts are in units of the token. */
export const L1UserFeed = Schema.Struct({
  toForgeL1TransactionsNum: uint32,
  position: integer(0, 65535),
  fromAddress: address,
  fromPublicKey: Schema.NullOr(publicKey),
  fromAccountIndex: accountIndex,
  toAccountIndex: accountIndex,
  tokenId: uint32,
  depositAmount: big,
  amount: big,
  ethereumTxHash: Schema.optionalKey(hash),
  l1Fee: Schema.optionalKey(big)
}).annotate(
  objectNamed(
    "L1UserFeed",
    "An L1 transaction that a user added to a queue. fromPublicKey is null unless it creates an account (from 0). ethereumTxHash is the Ethereum transaction that added it, and l1Fee what its sender paid for that, in wei; both only inform"
  )
)

/** The schema of the effect of a forged L1 user transaction. */
export const L1EffectFeed = Schema.Struct({
  effectiveDepositAmount: big,
  effectiveAmount: big
}).annotate(
  objectNamed(
    "L1EffectFeed",
    "The effect of one L1 user transaction when it was forged: the declared amounts, or zero if the transaction had no effect"
  )
)

/** The schema of an account that the coordinator created. */
export const L1CoordinatorFeed = Schema.Struct({
  address,
  publicKey,
  tokenId: uint32,
  signature: Schema.NullOr(ethSignature)
}).annotate(
  objectNamed(
    "L1CoordinatorFeed",
    "An account that the coordinator created; an internal one has the address of which all digits are f and no signature"
  )
)

/** The schema of an L2 transaction in a batch; the amount is in units of the token. */
export const L2Feed = Schema.Struct({
  fromAccountIndex: accountIndex,
  toAccountIndex: accountIndex,
  amount: big,
  fee: integer(0, 255),
  nonce: Schema.optionalKey(big)
}).annotate(
  objectNamed(
    "L2Feed",
    "An L2 transaction in the data availability. nonce is that of its sender's account: by default derived, otherwise compared"
  )
)

/** The schema of a leaf of the exit tree; the balance is in units of the token. */
export const ExitFeed = Schema.Struct({
  accountIndex,
  balance: big,
  merkleProof: Schema.optionalKey(MerkleProofFeed)
}).annotate(
  objectNamed(
    "ExitFeed",
    "A leaf of the exit tree: one for each account with an exit of a declared amount above 0, ascending by index. Its balance is the sum of what left, 0 if none of the forced exits had an effect. merkleProof is by default derived, otherwise verified"
  )
)

/** The schema of a forged batch. */
export const BatchFeed = Schema.Struct({
  batchNum: uint32,
  forgerAddr: address,
  stateRoot: big,
  exitRoot: big,
  feeAccounts: Schema.Array(accountIndex),
  forgeL1TransactionsNum: Schema.NullOr(uint32),
  l1UserEffects: Schema.optionalKey(Schema.Array(L1EffectFeed)),
  l1Coordinator: Schema.Array(L1CoordinatorFeed),
  l2: Schema.Array(L2Feed),
  exits: Schema.optionalKey(Schema.Array(ExitFeed)),
  ethereumTxHash: Schema.optionalKey(hash)
}).annotate(
  objectNamed(
    "BatchFeed",
    "A forged batch. feeAccounts are at most 64 accounts; the first one of a token collects its fees, others of the same token nothing. forgeL1TransactionsNum is the queue that the batch forges, or null; l1UserEffects has one effect for each transaction of that queue, by position. l1UserEffects and exits are by default derived, otherwise compared; the exit tree must have the root exitRoot. ethereumTxHash is the Ethereum transaction that forged the batch; it only informs"
  )
)

export type BatchFeed = typeof BatchFeed.Type
export type L1UserFeed = typeof L1UserFeed.Type
export type L1CoordinatorFeed = typeof L1CoordinatorFeed.Type
export type L1EffectFeed = typeof L1EffectFeed.Type
export type L2Feed = typeof L2Feed.Type
export type ExitFeed = typeof ExitFeed.Type
