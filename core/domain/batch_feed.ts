import { Schema } from "effect"
import {
  accountIndex,
  digits78Text as big,
  ethSignature,
  ethereumAddress as address,
  integer,
  publicKey,
  uint32
} from "./values.ts"

/** A `MerkleProof` in a feed. */
export const MerkleProofFeed = Schema.Struct({
  root: big,
  siblings: Schema.Array(big),
  oldKey: big,
  oldValue: big,
  isOld0: Schema.Boolean,
  key: big,
  value: big,
  fnc: integer(0, 3)
})

/**
 * An L1 transaction that a user added to a queue. `fromPublicKey` is null unless it creates an
 * account (from 0).
 */
export const L1UserFeed = Schema.Struct({
  toForgeL1TransactionsNum: uint32,
  position: integer(0, 65535),
  fromAddress: address,
  fromPublicKey: Schema.NullOr(publicKey),
  fromAccountIndex: accountIndex,
  toAccountIndex: accountIndex,
  tokenId: uint32,
  depositAmount: big,
  amount: big
})

/**
 * The effect of one L1 user transaction when it was forged: declared or zero, by the rules of
 * domain §3.6.
 */
export const L1EffectFeed = Schema.Struct({ effectiveDepositAmount: big, effectiveAmount: big })

/** An account that the coordinator created: all-F address and no signature for an internal one. */
export const L1CoordinatorFeed = Schema.Struct({
  address,
  publicKey,
  tokenId: uint32,
  signature: Schema.NullOr(ethSignature)
})

/** An L2 transaction in the data availability, with the nonce of its sender's account. */
export const L2Feed = Schema.Struct({
  fromAccountIndex: accountIndex,
  toAccountIndex: accountIndex,
  amount: big,
  fee: integer(0, 255),
  nonce: big
})

/** A leaf of the exit tree: one for each account with a sum above zero, ascending by index. */
export const ExitFeed = Schema.Struct({ accountIndex, balance: big, merkleProof: MerkleProofFeed })

/** A forged batch with its complete content. */
export const BatchFeed = Schema.Struct({
  batchNum: uint32,
  forgerAddr: address,
  stateRoot: big,
  exitRoot: big,
  /** Accounts that collect the fees of their token: at most 64, one for each token. */
  feeAccounts: Schema.Array(accountIndex),
  /** The queue that the batch forges, or null. */
  forgeL1TransactionsNum: Schema.NullOr(uint32),
  /** One effect for each transaction of that queue, by position. */
  l1UserEffects: Schema.Array(L1EffectFeed),
  l1Coordinator: Schema.Array(L1CoordinatorFeed),
  l2: Schema.Array(L2Feed),
  exits: Schema.Array(ExitFeed)
})

export type BatchFeed = typeof BatchFeed.Type
export type L1UserFeed = typeof L1UserFeed.Type
export type L1CoordinatorFeed = typeof L1CoordinatorFeed.Type
export type L1EffectFeed = typeof L1EffectFeed.Type
export type L2Feed = typeof L2Feed.Type
export type ExitFeed = typeof ExitFeed.Type
