import { Clock, Effect, Result } from "effect"
import {
  type Account,
  type New,
  type PoolTransaction,
  protocol,
  type RequestedTransaction,
  skipCodes,
  type SkippedTransaction
} from "../../../domain/mod.ts"
import {
  type AccountIndex,
  type Keccak256,
  l2TransactionId,
  type TransactionId
} from "../../../encoding/mod.ts"
import type { SnapshotId, Pooled, StoreFailure } from "../../../ports/mod.ts"
import {
  type BatchLimits,
  otherNonce,
  type Refusal,
  refusal,
  type SelectedReceiver,
  tryApply
} from "./_try_apply.ts"
import {
  type Candidate,
  candidateOf,
  type CandidateTransaction,
  compareCandidates,
  groupCandidate,
  openCandidates
} from "./_candidates.ts"
import { type AccountToCreate, StagedSelection } from "./_staged_selection.ts"
import { reconcileWithLedger } from "../reconcile.ts"
import { isRequested } from "../_same_transaction.ts"
import type { PoolPorts } from "../_optimistic_change.ts"

/** The options of `Pool.select`. */
export interface SelectOptions {
  /** L2 transactions: the accounts to create take places of the batch in addition. */
  readonly maxTransactions: number
  /**
   * Accounts that the coordinator can create in the batch; the number of transactions by default, and
   * at most 256, the L1 transactions of a batch.
   */
  readonly maxNewAccounts?: number
  /**
   * All accounts that the L1 part of the same batch, or unfinished batches, create or change, with
   * their values afterwards.
   */
  readonly accounts?: ReadonlyArray<New<Account>>
}

/** A selected transaction with its receiver and fee. */
export interface SelectedTransaction {
  readonly transaction: PoolTransaction
  readonly receiver: SelectedReceiver
  /** US dollars. */
  readonly feeUSD: number
}

/** Transactions for the next batch, in forging order. They stay pending until `startForging`. */
export interface Selection {
  /** The batch after the last one of the ledger. */
  readonly batchNum: number
  readonly transactions: ReadonlyArray<SelectedTransaction>
  /**
   * Coordinator L1 transactions to forge before them, in this order: the first one is at `position`
   * 0.
   */
  readonly accounts: ReadonlyArray<AccountToCreate>
  readonly skippedTransactions: ReadonlyArray<SkippedTransaction>
  /** The snapshot id of the ledger that the selection was computed from. */
  readonly snapshotId: SnapshotId
}

/**
 * Returns a selection, and stores why other transactions were skipped. If the ledger changes in the
 * meantime, it tries again, at most five times in all.
 */
export const selectFrom = Effect.fnUntraced(function*(
  ports: PoolPorts,
  keccak256: Keccak256,
  options: SelectOptions
): Effect.fn.Return<Selection, StoreFailure> {
  for (let attempts = 1;; attempts++) {
    const snapshotId = yield* ports.reader.snapshotId
    const batchNum = (snapshotId.batchNum ?? 0) + 1
    const run = yield* new SelectionRun(ports, keccak256, batchNum, options).run()
    if (
      (yield* ports.reader.snapshotId).version !== snapshotId.version && attempts < ATTEMPTS_MAX
    ) continue
    const atMs = yield* Clock.currentTimeMillis
    const skippedTransactions = [...run.refused].map(([id, { code, reason }]) => ({
      id,
      code,
      reason,
      batchNum,
      atMs
    }))
    yield* ports.pool.skip(
      skippedTransactions,
      run.selected.map(({ transaction }) => transaction.id)
    )
    yield* reconcileWithLedger(ports, run.superseded)
    return {
      batchNum,
      transactions: run.selected,
      accounts: run.staged.toCreate,
      skippedTransactions,
      snapshotId
    }
  }
})

const ATTEMPTS_MAX = 5
/** Maximum number of transactions without a group that require each other. */
const LINKED_MAX = 4

/** Why a candidate was not applied, and the transaction that was refused. */
interface Failure extends Refusal {
  /** Null if a required transaction is not pending. */
  readonly row: Pooled | null
}

const noSpace = refusal(
  skipCodes.noAvailableSlots,
  "the batch has no space for all transactions that require each other"
)
const notPending = refusal(skipCodes.requestedNotForged, "it is not pending")
const notSeen = refusal(
  skipCodes.requestedNotForged,
  "it would be more than 4 positions before or 3 after the one that requires it"
)

/**
 * One pass over the pending transactions, greatest fee first (PROTOCOL.md "Selection"). A transaction
 * with a future nonce is parked until its nonce is current.
 */
class SelectionRun {
  readonly selected: Array<SelectedTransaction> = []
  readonly refused = new Map<TransactionId, Pick<Refusal, "code" | "reason">>()
  readonly superseded: Array<Pooled> = []
  readonly staged: StagedSelection
  readonly #ports: PoolPorts
  readonly #keccak256: Keccak256
  readonly #maxTransactions: number
  readonly #limits: BatchLimits
  readonly #done = new Set<TransactionId>()
  /** Parked candidates by the sender and nonce that they wait for, greatest fee first. */
  readonly #early = new Map<string, Array<Candidate>>()

  constructor(
    ports: PoolPorts,
    keccak256: Keccak256,
    batchNum: number,
    { accounts = [], maxNewAccounts, maxTransactions }: SelectOptions
  ) {
    this.#ports = ports
    this.#keccak256 = keccak256
    this.#maxTransactions = maxTransactions
    const newAccountsMax = Math.min(maxNewAccounts ?? maxTransactions, protocol.maxL1Tx)
    this.#limits = { batchNum, newAccountsMax }
    this.staged = new StagedSelection(ports, accounts)
  }

  run(): Effect.Effect<this, StoreFailure> {
    return Effect.gen({ self: this }, function*() {
      const next = yield* openCandidates(this.#ports)
      for (;;) {
        if (this.selected.length >= this.#maxTransactions) break
        const candidate = yield* next()
        if (candidate === null) return this
        yield* this.#tryCandidate(candidate)
      }
      // the batch is full: skip some of the next candidates with this reason
      for (let noted = 0; noted < this.#maxTransactions; noted++) {
        const candidate = yield* next()
        if (candidate === null) break
        const reason = `The batch is full with ${this.#maxTransactions} transactions`
        for (const { row } of candidate.transactions) {
          this.#refuse(row, { code: skipCodes.noAvailableSlots, reason })
        }
      }
      return this
    })
  }

  /** Tries a candidate, then the parked ones that it makes possible, greatest fee first. */
  #tryCandidate(first: Candidate): Effect.Effect<void, StoreFailure> {
    return Effect.gen({ self: this }, function*() {
      const queue = [first]
      for (let candidate = queue.shift(); candidate !== undefined; candidate = queue.shift()) {
        if (this.#done.has(candidate.transactions[0]!.row.transaction.id)) continue
        if (this.selected.length >= this.#maxTransactions) return
        const before = this.selected.length
        const failure = yield* this.#applyAll(candidate)
        if (failure === undefined) {
          for (const { transaction } of this.selected.slice(before)) {
            queue.push(...this.#unpark(transaction.fromAccountIndex, transaction.nonce + 1n))
          }
          queue.sort(compareCandidates)
          continue
        }
        this.#explain(candidate, failure)
        if (failure.row === null) continue
        if (failure.isEarly) this.#park(candidate, failure.row)
        if (failure.isLate) this.superseded.push(failure.row)
      }
    })
  }

  /**
   * Applies the transactions of a candidate, and those that a transaction without a group requires,
   * or none of them.
   */
  #applyAll(candidate: Candidate): Effect.Effect<Failure | undefined, StoreFailure> {
    return Effect.gen({ self: this }, function*() {
      const linked = yield* this.#withRequired(candidate)
      if ("kind" in linked) return linked
      const required = this.#seesRequired(linked) ? linked : requiredFirst(linked)
      const early = yield* this.#earlyIn(required)
      if (early !== undefined) return early
      if (!this.#seesRequired(required)) return { ...notSeen, row: null }
      const applied: Array<SelectedTransaction> = []
      for (const { feeUSD, row } of required) {
        const isFull = applied.length >= this.#maxTransactions - this.selected.length
        const result = isFull
          ? noSpace
          : yield* tryApply(this.#ports, this.staged, row, this.#limits)
        if (result.kind === "refused") {
          this.staged.rollBack()
          return { ...result, row }
        }
        applied.push({ transaction: row.transaction, receiver: result, feeUSD })
      }
      this.staged.commit()
      this.selected.push(...applied)
      for (const { transaction: { id } } of applied) {
        this.#done.add(id)
        this.refused.delete(id)
      }
      return undefined
    })
  }

  /**
   * Returns the transactions of a candidate, followed by those that a transaction without a group
   * requires and that are not selected yet. One of a group comes with its whole group.
   */
  #withRequired(
    { transactions }: Candidate
  ): Effect.Effect<ReadonlyArray<CandidateTransaction> | Failure, StoreFailure> {
    return Effect.gen({ self: this }, function*() {
      const all = [...transactions]
      for (let linked = 1;; linked++) {
        const { group, request } = all.at(-1)!.row.transaction
        if (
          group !== undefined || request === null ||
          [...this.selected, ...all.map(({ row }) => row)].some((other) =>
            isRequested(other.transaction, request)
          )
        ) return all
        const requested = yield* this.#requestedBy(request)
        if (requested === null) return { ...notPending, row: null }
        if (linked >= LINKED_MAX) return { ...noSpace, row: requested[0]!.row }
        all.push(...requested)
      }
    })
  }

  /** Returns the first of some transactions whose nonce is not yet current, if there is one. */
  #earlyIn(transactions: ReadonlyArray<CandidateTransaction>) {
    return Effect.gen({ self: this }, function*() {
      const senders = new Set<AccountIndex>()
      for (const { row } of transactions) {
        const { fromAccountIndex, nonce } = row.transaction
        if (senders.has(fromAccountIndex)) continue
        senders.add(fromAccountIndex)
        const account = yield* this.staged.account(fromAccountIndex)
        if (account !== null && nonce > account.nonce) return { ...otherNonce(nonce, account), row }
      }
      return undefined
    })
  }

  /** Returns whether circuits see what these transactions require if they follow the selected ones. */
  #seesRequired(transactions: ReadonlyArray<CandidateTransaction>): boolean {
    return transactions.every(({ row: { transaction } }, place) => {
      const { group, request } = transaction
      if (group !== undefined || request === null) return true
      const all = [...this.selected, ...transactions.map(({ row }) => row)]
      const at = all.findIndex((other) => isRequested(other.transaction, request))
      const distance = at - this.selected.length - place
      return distance >= -4 && distance <= 3
    })
  }

  /** Stores why the transactions of a candidate were not applied. */
  #explain({ transactions }: Candidate, { code, reason, row: failed }: Failure): void {
    for (const { row } of transactions) {
      const { group } = row.transaction
      if (row === failed) this.#refuse(row, { code, reason })
      else {
        const which = failed === null ? "" : ` ${failed.transaction.id}`
        this.#refuse(row, {
          code: skipCodes.requestedNotForged,
          reason: `The ${
            group === undefined
              ? `requested transaction${which}`
              : `transaction${which} of its group`
          } cannot be forged in the same batch: ${reason}`
        })
      }
    }
  }

  /** Returns the requested transaction or its whole group; null if they are not pending. */
  #requestedBy(request: RequestedTransaction) {
    return Effect.gen({ self: this }, function*() {
      const { amount, fee, fromAccountIndex, nonce, tokenId } = request
      if (
        amount === null || fee === null || fromAccountIndex === null || nonce === null ||
        tokenId === null
      ) return null
      const id = l2TransactionId({ amount, fee, fromAccountIndex, nonce, tokenId }, this.#keccak256)
      if (Result.isFailure(id)) return null
      const [row] = yield* this.#ports.pool.pooled([id.success])
      if (row?.transaction.state !== "pend" || !isRequested(row.transaction, request)) return null
      const { group } = row.transaction
      if (group === undefined) return [yield* candidateOf(this.#ports, row)]
      const { transactions } = yield* groupCandidate(this.#ports, group.id)
      return transactions.length === group.size ? transactions : null
    })
  }

  #refuse({ transaction: { id } }: Pooled, why: Pick<Refusal, "code" | "reason">): void {
    if (!this.#done.has(id)) this.refused.set(id, why)
  }

  /** Lets a candidate wait until the nonce of one of the transactions that it needs is current. */
  #park(candidate: Candidate, { transaction: { fromAccountIndex, nonce } }: Pooled): void {
    const key = parkingKey(fromAccountIndex, nonce)
    const parked = this.#early.get(key)
    if (parked === undefined) this.#early.set(key, [candidate])
    else parked.push(candidate)
  }

  /** Removes and returns the candidates that wait for this nonce of a sender. */
  #unpark(index: AccountIndex, nonce: bigint): ReadonlyArray<Candidate> {
    const key = parkingKey(index, nonce)
    const parked = this.#early.get(key) ?? []
    this.#early.delete(key)
    return parked
  }
}

/** Returns linked transactions in the reverse order, but those of a group, the last ones, in theirs. */
const requiredFirst = (linked: ReadonlyArray<CandidateTransaction>) => {
  const alone = linked.filter(({ row }) => row.transaction.group === undefined)
  return [...linked.slice(alone.length), ...alone.toReversed()]
}

const parkingKey = (index: AccountIndex, nonce: bigint): string => `${index} ${nonce}`
