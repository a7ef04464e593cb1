import type { Effect } from "effect"
import type { Account, BlockChanges, BlockFeed } from "../../domain/mod.ts"
import type { PriorLedger, StoreFailure } from "../../ports/mod.ts"
import {
  type BlockViolation,
  makeViolation,
  violationOfBlock,
  violationWithin
} from "../violation/mod.ts"

/** The fields of an account from which its leaf in the state tree is computed. */
export type StateAccount = Pick<
  Account,
  "index" | "tokenId" | "nonce" | "balance" | "publicKey" | "address"
>

/** A block whose state roots are to be verified. */
export interface StateRootRequest {
  readonly parentHash: string
  readonly parentNumber: bigint
  readonly hash: string
  /** Whether there is no batch before this block, and so no account. */
  readonly isFirst: boolean
  /** The batches in order, each with its declared root and the accounts that it created or changed. */
  readonly batches: ReadonlyArray<
    { readonly stateRoot: bigint; readonly accounts: ReadonlyArray<StateAccount> }
  >
}

/** The first batch of a block whose state root is wrong, and the root of all accounts after it. */
export interface WrongStateRoot {
  readonly position: number
  readonly expected: bigint
}

/**
 * Verifies the state roots of a block; null if all are right. Called for every new block, also for
 * one without batches, after all other checks. Fails with a transient `StoreFailure` while it reads
 * the accounts of the ledger.
 */
export type StateRootVerifier = (
  request: StateRootRequest
) => Effect.Effect<WrongStateRoot | null, StoreFailure>

/** Returns the request for a block and its changes. */
export const stateRootRequest = (
  { hash }: BlockFeed,
  { batches }: BlockChanges,
  { lastBatchNum, lastBlock }: Pick<PriorLedger, "lastBatchNum" | "lastBlock">
): StateRootRequest => ({
  hash,
  parentHash: lastBlock.hash,
  parentNumber: lastBlock.number,
  isFirst: lastBatchNum === 0,
  batches: batches.map(({ accounts, batch: { stateRoot } }) => ({ stateRoot, accounts }))
})

/** Returns the violation for a wrong state root. */
export const wrongStateRootOf = (
  { batches = [], number }: BlockFeed,
  { expected, position }: WrongStateRoot
): BlockViolation =>
  violationOfBlock(
    number,
    violationWithin(
      makeViolation(
        "state-root",
        batches[position]!.stateRoot,
        `${expected}, the root of all accounts after the batch`,
        "/stateRoot"
      ),
      `/batches/${position}`
    )
  )
