import { Clock, Context, Effect, Layer } from "effect"
import type { InputFault } from "../../../contract/mod.ts"
import {
  type Network,
  type PostedAuthorization,
  type PostedGroup,
  type PostedTransaction
} from "../../../domain/mod.ts"
import type { AccountIndex, Keccak256, TransactionId } from "../../../encoding/mod.ts"
import {
  LedgerReader,
  type Pooled,
  type PoolLimits,
  PoolStore,
  SignatureVerifier,
  type StoreFailure,
  type TransactionOwners,
  type VerifierBusy
} from "../../../ports/mod.ts"
import { symbolFaults } from "./_account_symbols.ts"
import {
  type AccountsOfPosted,
  ledgerFaults,
  ownersOf,
  partiesOf,
  postedFaults,
  type PostRules,
  refuseFor,
  withoutEmptyParts
} from "./_posted_rules.ts"
import { reconcileWithLedger } from "../settle.ts"
import { isSamePosted } from "../_same_transaction.ts"
import { authorizationSubmission } from "./_submit_authorization.ts"
import { isOfEarlierOwner, removeOfEarlierOwner } from "./_earlier_owner.ts"
import {
  failIfRefused,
  type NothingToReplace,
  PoolFull,
  refusalOf,
  type Replaced,
  SubmissionConflict,
  type SubmissionRefused
} from "./submission_failures.ts"
import { groupSubmission, type SubmissionPorts } from "./_submit_group.ts"
import { replacementSubmission } from "./_submit_replacement.ts"
import { SubmissionMetrics } from "./_submission_metrics.ts"

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

/** The result of a post. `stored` is false if the same content was already stored. */
export interface Submitted {
  readonly stored: boolean
}

/** The failures of a post. */
export type SubmissionFailure =
  | SubmissionRefused
  | SubmissionConflict
  | PoolFull
  | VerifierBusy
  | StoreFailure

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
  ) => Effect.Effect<Submitted & { readonly id: TransactionId }, SubmissionFailure>
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
  ) => Effect.Effect<
    Submitted & { readonly id: TransactionId },
    SubmissionFailure | NothingToReplace
  >
  /**
   * Stores the transactions of a group as pending, or none of them. They are forged in one batch, in
   * their order, or never.
   */
  readonly submitGroup: (
    posted: PostedGroup,
    rules?: PostRules
  ) => Effect.Effect<
    Submitted & { readonly ids: ReadonlyArray<TransactionId> },
    SubmissionFailure
  >
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
const unusedId =
  "an unused id or the stored transaction: another transaction is stored under this id"

function make(
  options: SubmissionOptions,
  ports: SubmissionPorts,
  metrics: SubmissionMetrics
): Submission["Service"] {
  const { pool, reader, verifier } = ports
  const {
    keccak256,
    maxFeeUSD = Infinity,
    minFeeUSD = 0,
    network,
    pendingMax = pendingMaxDefault,
    pendingPerAccountMax = 1000,
    retryAfterSeconds = 60
  } = options
  const refuse = refuseFor(network)
  const symbolOptions = { prefix: network.prefix, reader, refuse }
  const conflict = (id: TransactionId, expected = unusedId) =>
    new SubmissionConflict({ faults: [refuse("id", id, expected)] })
  const limits: PoolLimits = { pendingMax, pendingPerAccountMax }
  const full = (limit: keyof PoolLimits, fromAccountIndex: AccountIndex) =>
    Effect.suspend(() => {
      metrics.limits[limit]++
      return Effect.fail(
        new PoolFull({ limit, maximum: limits[limit], fromAccountIndex, retryAfterSeconds })
      )
    })

  const acknowledge = Effect.fnUntraced(
    function*(known: Pooled | undefined, posted: PostedTransaction) {
      const { id } = posted
      if (known === undefined || !isSamePosted(known.transaction, posted)) {
        return yield* conflict(id)
      }
      // the first post may have failed between storing and settling the transaction
      yield* reconcileWithLedger(ports, [known])
      return { id, stored: false }
    }
  )
  const find = (id: TransactionId): Effect.Effect<Pooled | undefined, StoreFailure> =>
    Effect.map(pool.pooled([id]), ([found]) => found)

  /**
   * Returns the owners of the accounts of a transaction. The checks run from the cheapest to the most
   * expensive, each only if the previous one passed.
   */
  const checkedOwners = Effect.fnUntraced(function*(
    posted: PostedTransaction,
    parties: AccountsOfPosted,
    wrongSymbols: ReadonlyArray<InputFault>,
    checkSpace: Effect.Effect<void, SubmissionFailure>
  ): Effect.fn.Return<TransactionOwners, SubmissionFailure> {
    yield* failIfRefused([
      ...wrongSymbols,
      ...ledgerFaults(posted, parties, { minFeeUSD, maxFeeUSD }, refuse)
    ])
    yield* checkSpace
    const owners = ownersOf(parties)
    if (!(yield* verifier.transaction(posted, owners.sender.publicKey))) {
      return yield* refusalOf([
        refuse(
          "signature",
          posted.signature,
          "a valid signature of this transaction by the key of the sender's account"
        )
      ])
    }
    return owners
  })
  const checkSpaceFor = Effect.fnUntraced(function*({ fromAccountIndex }: PostedTransaction) {
    if ((yield* pool.pendingOf(fromAccountIndex)) >= pendingPerAccountMax) {
      return yield* full("pendingPerAccountMax", fromAccountIndex)
    }
    if ((yield* pool.counts).pend >= pendingMax) return yield* full("pendingMax", fromAccountIndex)
  })
  const pendingSince = (posted: PostedTransaction) =>
    Effect.map(
      Clock.currentTimeMillis,
      (timestampMs) => ({ ...posted, state: "pend", timestampMs, batchNum: null }) as const
    )

  const submitTransaction = Effect.fnUntraced(function*(
    input: PostedTransaction,
    rules: PostRules
  ) {
    const posted = withoutEmptyParts(input)
    const { id } = posted
    yield* failIfRefused(postedFaults(posted, refuse, keccak256, rules))
    const parties = yield* partiesOf(reader, posted)
    const wrongSymbols = yield* symbolFaults(rules, posted, parties, symbolOptions)
    const known = yield* find(id)
    if (known !== undefined && !isOfEarlierOwner(known, posted, parties.sender)) {
      yield* failIfRefused(wrongSymbols)
      return yield* acknowledge(known, posted)
    }
    const owners = yield* checkedOwners(posted, parties, wrongSymbols, checkSpaceFor(posted))
    const isFree = known === undefined || (yield* removeOfEarlierOwner(ports, [known]))
    if (!isFree) return yield* conflict(id)
    const transaction = yield* pendingSince(posted)
    const added = yield* pool.addTransaction(transaction, owners, limits)
    switch (added.kind) {
      case "added":
        // blocks that were applied since the checks were settled without this transaction
        yield* reconcileWithLedger(ports, [{ transaction, ...owners }])
        return { id, stored: true }
      case "known":
        return yield* acknowledge(yield* find(id), posted)
      case "full":
        return yield* full(added.limit, posted.fromAccountIndex)
    }
  })

  const replaceTransaction = replacementSubmission(ports, {
    acknowledge,
    checkedOwners: (posted, parties, wrongSymbols) =>
      checkedOwners(posted, parties, wrongSymbols, Effect.void),
    conflict,
    full,
    keccak256,
    limits,
    refuse,
    symbolOptions
  })
  const submitAuthorization = authorizationSubmission(ports, refuse)
  const submitGroup = groupSubmission(ports, {
    fees: { minFeeUSD, maxFeeUSD },
    full,
    keccak256,
    limits,
    refuse
  })

  return {
    submitTransaction: (posted, rules = {}) =>
      metrics.count("transaction", submitTransaction(posted, rules)),
    replaceTransaction: (replaced, posted, rules = {}) =>
      metrics.count("transaction", replaceTransaction(replaced, posted, rules)),
    submitGroup: (posted, rules = {}) => metrics.count("group", submitGroup(posted, rules)),
    submitAuthorization: (posted) => metrics.count("authorization", submitAuthorization(posted))
  }
}
