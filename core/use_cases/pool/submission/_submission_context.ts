import { Clock, Effect } from "effect"
import type { InputFault } from "../../../contract/mod.ts"
import type { Network, PoolTransaction, PostedTransaction } from "../../../domain/mod.ts"
import type { AccountIndex, Keccak256, TransactionId } from "../../../encoding/mod.ts"
import {
  type Pooled,
  type PoolLimits,
  replacedReason,
  type SignatureVerifier,
  type StoreFailure,
  type TransactionOwners,
  type VerifierBusy
} from "../../../ports/mod.ts"
import type { PoolPorts } from "../_optimistic_change.ts"
import { isSamePosted } from "../_same_transaction.ts"
import { reconcileWithLedger } from "../reconcile.ts"
import type { SubmissionMetrics } from "./_submission_metrics.ts"
import {
  type AccountsOfPosted,
  type FeeBounds,
  ledgerFaults,
  ownersOf,
  type Refuse
} from "./_posted_rules.ts"
import {
  failIfRefused,
  PoolFull,
  refusalOf,
  SubmissionConflict,
  type SubmissionRefused
} from "./submission_failures.ts"

/** The ports of `Submission`. */
export interface SubmissionPorts extends PoolPorts {
  readonly verifier: SignatureVerifier["Service"]
}

/** The result of a post. `stored` is false if the same content was already stored. */
export interface Submitted {
  readonly stored: boolean
}

/** The result of a post of one transaction. */
export interface SubmittedTransaction extends Submitted {
  readonly id: TransactionId
}

const unusedId =
  "an unused id or the stored transaction: another transaction is stored under this id"

/** What all posts share: the ports, the rules and limits of posts, and the metrics. */
export interface SubmissionContext extends SubmissionPorts {
  readonly network: Network
  readonly keccak256: Keccak256
  readonly fees: FeeBounds
  readonly limits: PoolLimits
  readonly retryAfterSeconds: number
  readonly refuse: Refuse
  readonly metrics: SubmissionMetrics
}

/** Returns the failure of a post whose id is in use. */
export const conflict = (
  { refuse }: SubmissionContext,
  id: TransactionId,
  expected = unusedId
): SubmissionConflict => new SubmissionConflict({ faults: [refuse("id", id, expected)] })

/** Fails since a limit of the pool is reached, and counts it. */
export const failFull = (
  { limits, metrics, retryAfterSeconds }: SubmissionContext,
  limit: keyof PoolLimits,
  fromAccountIndex: AccountIndex
): Effect.Effect<never, PoolFull> =>
  Effect.suspend(() => {
    metrics.limits[limit]++
    const maximum = limits[limit]
    return Effect.fail(new PoolFull({ limit, maximum, fromAccountIndex, retryAfterSeconds }))
  })

/** Answers a repeated post, or fails if other content is stored. */
export const acknowledge = Effect.fnUntraced(function*(
  context: SubmissionContext,
  known: Pooled | undefined,
  posted: PostedTransaction
): Effect.fn.Return<SubmittedTransaction, SubmissionConflict | StoreFailure> {
  const { id } = posted
  if (known === undefined || !isSamePosted(known.transaction, posted)) {
    return yield* conflict(context, id)
  }
  // the first post may have failed between storing and reconciling the transaction
  yield* reconcileWithLedger(context, [known])
  return { id, stored: false }
})

/** Fails if the content was replaced under its id: it is public, so any client could send it again. */
export const failIfReplaced = Effect.fnUntraced(function*(
  context: SubmissionContext,
  posted: PostedTransaction
): Effect.fn.Return<void, SubmissionConflict | StoreFailure> {
  const { id } = posted
  const reason = replacedReason(posted, id)
  if ((yield* context.pool.transitions(id)).some((transition) => transition.reason === reason)) {
    return yield* conflict(
      context,
      id,
      "a new signature: this content was replaced; sign it with another fee or maxNumBatch"
    )
  }
})

/** Fails if the post breaks a rule of the ledger. */
export const checkLedgerRules = (
  { fees, refuse }: SubmissionContext,
  posted: PostedTransaction,
  parties: AccountsOfPosted,
  wrongSymbols: ReadonlyArray<InputFault>
): Effect.Effect<void, SubmissionRefused> =>
  failIfRefused([...wrongSymbols, ...ledgerFaults(posted, parties, fees, refuse)])

/** Returns the owners of the accounts of a post, or fails if the signature is not the sender's. */
export const checkedOwners = Effect.fnUntraced(function*(
  { refuse, verifier }: SubmissionContext,
  posted: PostedTransaction,
  parties: AccountsOfPosted
): Effect.fn.Return<TransactionOwners, SubmissionRefused | VerifierBusy> {
  const owners = ownersOf(parties)
  if (!(yield* verifier.transaction(posted, owners.sender.publicKey))) {
    return yield* refusalOf([wrongSignature(posted, refuse)])
  }
  return owners
})

/** Returns the fault of a signature that is not the sender's. */
export const wrongSignature = ({ signature }: PostedTransaction, refuse: Refuse): InputFault =>
  refuse(
    "signature",
    signature,
    "a valid signature of this transaction by the key of the sender's account"
  )

/** Returns a post as the pool stores it. */
export const pendingTransaction = (
  posted: PostedTransaction
): Effect.Effect<PoolTransaction> =>
  Effect.map(
    Clock.currentTimeMillis,
    (timestampMs) => ({ ...posted, state: "pend", timestampMs, batchNum: null }) as const
  )
