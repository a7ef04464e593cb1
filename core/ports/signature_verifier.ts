import { Context, type Effect, Schema } from "effect"
import type { Authorization, PoolTransaction } from "../domain/mod.ts"
import type { PublicKey } from "../encoding/mod.ts"

/** The signed fields of an L2 transaction, and the signature. */
export interface SignedTransaction extends
  Pick<
    PoolTransaction,
    | "tokenId"
    | "fromAccountIndex"
    | "toAccountIndex"
    | "toAddress"
    | "toPublicKey"
    | "amount"
    | "fee"
    | "nonce"
    | "request"
    | "maxNumBatch"
    | "signature"
  >
{}

/** The signed fields of an authorization, and the signature. */
export type SignedAuthorization = Pick<Authorization, "address" | "publicKey" | "signature">

/** The queue of verifications is full. A retry after `retryAfterSeconds` may succeed. */
export class VerifierBusy
  extends Schema.TaggedError<VerifierBusy>()("VerifierBusy", { retryAfterSeconds: Schema.Int })
{
  override get message(): string {
    return `Too many signatures wait for verification: try again in ${this.retryAfterSeconds} s`
  }
}

/** Port: verifies signatures for one network. The result is false for a malformed signature. */
export class SignatureVerifier extends Context.Service<SignatureVerifier, {
  /**
   * Returns whether the key, which has to be that of the sender's account, signed the transaction.
   */
  readonly transaction: (
    transaction: SignedTransaction,
    publicKey: PublicKey
  ) => Effect.Effect<boolean, VerifierBusy>
  /** Returns whether the owner of the address signed, and the key does not have a low order. */
  readonly authorization: (
    authorization: SignedAuthorization
  ) => Effect.Effect<boolean, VerifierBusy>
}>()("rollup/core/SignatureVerifier") {}
