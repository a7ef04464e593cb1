import { Context, Effect, Layer } from "effect"
import {
  type Network,
  type PostedAuthorization,
  type PostedGroup,
  type PostedTransaction
} from "../../../domain/mod.ts"
import type { Keccak256 } from "../../../encoding/mod.ts"
import { LedgerReader, PoolStore, SignatureVerifier } from "../../../ports/mod.ts"
import { type PostRules, refuseFor } from "./_posted_rules.ts"
import type { SubmissionPorts, Submitted, SubmittedTransaction } from "./_submission_context.ts"
import { SubmissionMetrics } from "./_submission_metrics.ts"
import { submitAuthorization } from "./_submit_authorization.ts"
import { submitGroup, type SubmittedGroup } from "./_submit_group.ts"
import { replaceTransaction } from "./_submit_replacement.ts"
import { submitTransaction } from "./_submit_transaction.ts"
import type {
  NothingToReplace,
  PoolFull,
  Replaced,
  SubmissionFailure
} from "./submission_failures.ts"

/** The network, the hash function and the limits of a `Submission`. */
export interface SubmissionOptions {
  readonly network: Network
  readonly keccak256: Keccak256
  /** Minimum fee, US dollars; 0 by default. A token without price counts as worth nothing. */
  readonly minFeeUSD?: number
  /** Maximum fee, US dollars; no bound by default. */
  readonly maxFeeUSD?: number
  /** Maximum number of pending transactions; 100,000 by default. */
  readonly pendingMax?: number
  /** Maximum number of pending transactions of one sender; 1,000 by default. */
  readonly pendingPerAccountMax?: number
  /**
   * `PoolFull.retryAfterSeconds`, the value of `Retry-After` if the pool is full; 60 by default.
   */
  readonly retryAfterSeconds?: number
}

/**
 * Validates and stores transactions and authorizations of wallets. A refusal contains every broken
 * rule that could be checked.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { EMPTY_PUBLIC_KEY, Submission, ZERO_ADDRESS } from "rollup-node-api"
 * import { inlineVerifier, keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, genesis: { network } } = simulate({ seed: 1 })
 * const stores = Layer.mergeAll(Memory.layer(genesis), Memory.poolLayer, inlineVerifier(network))
 * const layer = Layer.provide(Submission.layer({ network, keccak256 }), stores)
 * const posted = { address: ZERO_ADDRESS, publicKey: EMPTY_PUBLIC_KEY, signature: "" }
 * const submit = Effect.flatMap(Submission, (service) => service.submitAuthorization(posted))
 * const failure = await Effect.runPromise(Effect.provide(Effect.flip(submit), layer))
 * if (failure._tag === "SubmissionRefused") console.log(failure.faults.length) // => 2
 * ```
 */
export class Submission extends Context.Service<Submission, {
  /** Stores a transaction as pending. */
  readonly submitTransaction: (
    posted: PostedTransaction,
    rules?: PostRules
  ) => Effect.Effect<SubmittedTransaction, SubmissionFailure>
  /**
   * Stores a transaction as pending instead of a pending or invalid one with the same sender and
   * nonce, which leaves the pool. The new one may have the same id, with another destination or
   * `maxNumBatch`, and then has another signature. Content that was replaced under its own id is never
   * stored under it again: its signature is public, so any client could send it.
   */
  readonly replaceTransaction: (
    replaced: Replaced,
    posted: PostedTransaction,
    rules?: PostRules
  ) => Effect.Effect<SubmittedTransaction, SubmissionFailure | NothingToReplace>
  /**
   * Stores the transactions of a group as pending, or none of them. They are forged in one batch, in
   * their order, or never.
   */
  readonly submitGroup: (
    posted: PostedGroup,
    rules?: PostRules
  ) => Effect.Effect<SubmittedGroup, SubmissionFailure>
  /** Stores an authorization. */
  readonly submitAuthorization: (
    posted: PostedAuthorization
  ) => Effect.Effect<Submitted, Exclude<SubmissionFailure, PoolFull>>
}>()("rollup/core/Submission") {
  /** Returns the submission of a network over the stores. */
  static readonly layer = (
    options: SubmissionOptions
  ): Layer.Layer<Submission, never, LedgerReader | PoolStore | SignatureVerifier> =>
    Layer.effect(
      Submission,
      Effect.gen(function*() {
        const metrics = new SubmissionMetrics()
        yield* metrics.register(options.pendingMax ?? pendingMaxDefault)
        return make(options, {
          reader: yield* LedgerReader,
          pool: yield* PoolStore,
          verifier: yield* SignatureVerifier
        }, metrics)
      })
    )
}

const pendingMaxDefault = 100_000

function make(
  {
    keccak256,
    maxFeeUSD = Infinity,
    minFeeUSD = 0,
    network,
    pendingMax = pendingMaxDefault,
    pendingPerAccountMax = 1000,
    retryAfterSeconds = 60
  }: SubmissionOptions,
  ports: SubmissionPorts,
  metrics: SubmissionMetrics
): Submission["Service"] {
  const context = {
    ...ports,
    network,
    keccak256,
    fees: { minFeeUSD, maxFeeUSD },
    limits: { pendingMax, pendingPerAccountMax },
    retryAfterSeconds,
    refuse: refuseFor(network),
    metrics
  }
  return {
    submitTransaction: (posted, rules = {}) =>
      metrics.count("transaction", submitTransaction(context, posted, rules)),
    replaceTransaction: (replaced, posted, rules = {}) =>
      metrics.count("transaction", replaceTransaction(context, replaced, posted, rules)),
    submitGroup: (posted, rules = {}) =>
      metrics.count("group", submitGroup(context, posted, rules)),
    submitAuthorization: (posted) =>
      metrics.count("authorization", submitAuthorization(context, posted))
  }
}
