import { Clock, Effect } from "effect"
import type { InputFault } from "../../../contract/mod.ts"
import type { Network, PoolTransaction, PostedTransaction } from "../../../domain/mod.ts"
import type { AccountIndex, Keccak256, TransactionId } from "../../../encoding/mod.ts"
import {
  type LedgerReader,
  type Pooled,
  type PoolLimits,
  type PoolStore,
  replacedReason,
  type SignatureVerifier,
  type StoreFailure,
  type TransactionOwners,
  type VerifierBusy
} from "../../../ports/mod.ts"
import { isSamePosted } from "../_same_transaction.ts"
import { reconcileWithLedger } from "../reconcile.ts"
import type { SubmissionMetrics } from "./_submission_metrics.ts"
import {
  type AccountsOfPosted,
  type FeeBounds,
  ledgerFaults,
  ownersOf,
  type Refuse,
  refuseFor
} from "./_posted_rules.ts"
import {
  failIfRefused,
  PoolFull,
  refusalOf,
  SubmissionConflict,
  type SubmissionRefused
} from "./submission_failures.ts"

/** The ports of `Submission`. */
export interface SubmissionPorts {
  readonly reader: LedgerReader["Service"]
  readonly pool: PoolStore["Service"]
  readonly verifier: SignatureVerifier["Service"]
}

/** The rules and limits of posts. */
export interface SubmissionRules {
  readonly network: Network
  readonly keccak256: Keccak256
  readonly fees: FeeBounds
  readonly limits: PoolLimits
  readonly retryAfterSeconds: number
}

/** The answer to a post of one transaction. */
export interface PostAnswer {
  readonly id: TransactionId
  readonly stored: boolean
}

const unusedId =
  "an unused id or the stored transaction: another transaction is stored under this id"

/** What all posts share: the ports, the rules and the metrics. */
export class SubmissionContext {
  readonly reader: SubmissionPorts["reader"]
  readonly pool: SubmissionPorts["pool"]
  readonly verifier: SubmissionPorts["verifier"]
  readonly prefix: string
  readonly keccak256: Keccak256
  readonly fees: FeeBounds
  readonly limits: PoolLimits
  readonly refuse: Refuse
  readonly #retryAfterSeconds: number
  readonly #metrics: SubmissionMetrics

  constructor(
    { pool, reader, verifier }: SubmissionPorts,
    { fees, keccak256, limits, network, retryAfterSeconds }: SubmissionRules,
    metrics: SubmissionMetrics
  ) {
    this.reader = reader
    this.pool = pool
    this.verifier = verifier
    this.prefix = network.prefix
    this.keccak256 = keccak256
    this.fees = fees
    this.limits = limits
    this.refuse = refuseFor(network)
    this.#retryAfterSeconds = retryAfterSeconds
    this.#metrics = metrics
  }

  /** Returns the failure of a post whose id is in use. */
  conflict(id: TransactionId, expected = unusedId): SubmissionConflict {
    return new SubmissionConflict({ faults: [this.refuse("id", id, expected)] })
  }

  /** Fails since a limit of the pool is reached, and counts it. */
  full(limit: keyof PoolLimits, fromAccountIndex: AccountIndex): Effect.Effect<never, PoolFull> {
    return Effect.suspend(() => {
      this.#metrics.limits[limit]++
      return Effect.fail(
        new PoolFull({
          limit,
          maximum: this.limits[limit],
          fromAccountIndex,
          retryAfterSeconds: this.#retryAfterSeconds
        })
      )
    })
  }
}

/** Answers a repeated post, or fails if other content is stored. */
export const acknowledge = Effect.fnUntraced(function*(
  context: SubmissionContext,
  known: Pooled | undefined,
  posted: PostedTransaction
): Effect.fn.Return<PostAnswer, SubmissionConflict | StoreFailure> {
  const { id } = posted
  if (known === undefined || !isSamePosted(known.transaction, posted)) {
    return yield* context.conflict(id)
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
    return yield* context.conflict(
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
