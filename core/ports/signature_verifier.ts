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

/**
 * The queue of verifications is full. A retry after `retryAfterSeconds` may succeed.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { VerifierBusy } from "rollup-node-api"
 *
 * const verify = Effect.fail(new VerifierBusy({ retryAfterSeconds: 2 }))
 * const handled = Effect.catchTag(verify, "VerifierBusy", ({ message, retryAfterSeconds }) =>
 *   Effect.succeed(`${message}; Retry-After: ${retryAfterSeconds}`))
 * console.log(await Effect.runPromise(handled))
 * // => Too many signatures wait for verification: try again in 2 s; Retry-After: 2
 * ```
 */
export class VerifierBusy
  extends Schema.TaggedError<VerifierBusy>()("VerifierBusy", { retryAfterSeconds: Schema.Int })
{
  override get message(): string {
    return `Too many signatures wait for verification: try again in ${this.retryAfterSeconds} s`
  }
}

/**
 * Port: verifies signatures for one network. The result is false for a malformed signature.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { SignatureVerifier } from "rollup-node-api"
 * import {
 *   derivePublicKey,
 *   ethereumAddress,
 *   inlineVerifier,
 *   signAuthorization
 * } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const owner = new Uint8Array(32).fill(7)
 * const publicKey = derivePublicKey(new Uint8Array(32).fill(1))
 * const signature = signAuthorization(owner, publicKey, network)
 * const signed = { address: ethereumAddress(owner), publicKey, signature }
 * const verify = Effect.flatMap(SignatureVerifier, (verifier) => verifier.authorization(signed))
 * console.log(await Effect.runPromise(Effect.provide(verify, inlineVerifier(network)))) // => true
 * ```
 */
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
