import { Context, type Effect, Schema } from "effect"
import type { Authorization, PoolTransaction } from "../domain/mod.ts"
import type { PublicKey } from "../encoding/mod.ts"

/** An L2 transaction as far as its signature speaks of it, and the signature. */
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
    | "signature"
  >
{
  /** Last batch that may forge the transaction, 0..2^32−1; none where absent. */
  readonly maxNumBatch?: number
}

/** An authorization as far as its signature speaks of it, and the signature. */
export type SignedAuthorization = Pick<Authorization, "address" | "publicKey" | "signature">

/** So many verifications wait that another one is not taken in; the same one may be after some seconds. */
export class VerifierBusy
  extends Schema.TaggedError<VerifierBusy>()("VerifierBusy", { retryAfterSeconds: Schema.Int })
{
  override get message(): string {
    return `Too many signatures wait for verification, expected fewer: try again in ${this.retryAfterSeconds} s`
  }
}

/** Port: verifies signatures on the network it was made for. False is an ordinary answer, also for a signature of the wrong shape. */
export class SignatureVerifier extends Context.Service<SignatureVerifier, {
  /** Whether the transaction is signed by the key, that of its sender's account. */
  readonly transaction: (
    transaction: SignedTransaction,
    publicKey: PublicKey
  ) => Effect.Effect<boolean, VerifierBusy>
  /** Whether the owner of the address signed, and signatures by the key mean anything: a key of low order is refused here. */
  readonly authorization: (
    authorization: SignedAuthorization
  ) => Effect.Effect<boolean, VerifierBusy>
}>()("rollup/core/SignatureVerifier") {}
