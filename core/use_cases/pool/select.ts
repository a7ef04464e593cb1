import { Clock, Effect, Result } from "effect"
import {
  type Account,
  type New,
  type PoolTransaction,
  skipCodes,
  type SkippedTransaction
} from "../../domain/mod.ts"
import {
  type AccountIndex,
  type Keccak256,
  l2TransactionId,
  type TransactionId
} from "../../encoding/mod.ts"
import type { LedgerStamp, Pooled, StoreFailure } from "../../ports/mod.ts"
import { type BatchLimits, type Refusal, type SelectedReceiver, tryApply } from "./_try_apply.ts"
import {
  type Candidate,
  candidateOf,
  openCandidates,
  type AccountToCreate,
  SelectionOverlay
} from "./_selection_overlay.ts"
import { reconcileWithLedger, isRequested } from "./_superseded.ts"
import type { PoolPorts } from "./_optimistic_change.ts"

/** The options of `Pool.select`. */
export interface SelectOptions {
  readonly maxTransactions: number
  /**
   * Accounts that the coordinator can create in the batch; the number of transactions by default.
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
  /** The stamp of the ledger that the selection was computed from. */
  readonly stamp: LedgerStamp
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
    const stamp = yield* ports.reader.stamp
    const batchNum = (stamp.batchNum ?? 0) + 1
    const run = yield* new SelectionRun(ports, keccak256, batchNum, options).run()
    if ((yield* ports.reader.stamp).version !== stamp.version && attempts < ATTEMPTS_MAX) continue
    const atMs = yield* Clock.currentTimeMillis
    const skippedTransactions = [...run.refused].map((
      [id, { code, reason }]
    ): SkippedTransaction => ({
      id,
      code,
      reason,
      batchNum,
      atMs
    }))
    yield* ports.pool.skip(skippedTransactions)
    yield* reconcileWithLedger(ports, ...run.superseded)
    return {
      batchNum,
      transactions: run.selected,
      accounts: run.overlay.toCreate,
      skippedTransactions,
      stamp
    }
  }
})

const ATTEMPTS_MAX = 5
/** Maximum number of transactions that require each other, a limit of the circuit. */
const GROUP_MAX = 4

/**
 * One pass over the pending transactions, greatest fee first. A transaction with a future nonce is
 * parked until its nonce is current.
 */
class SelectionRun {
  readonly selected: Array<SelectedTransaction> = []
  readonly refused = new Map<TransactionId, Pick<Refusal, "code" | "reason">>()
  readonly superseded: Array<PoolTransaction> = []
  readonly overlay: SelectionOverlay
  readonly #ports: PoolPorts
  readonly #keccak256: Keccak256
  readonly #maxTransactions: number
  readonly #limits: BatchLimits
  readonly #done = new Set<TransactionId>()
  /** Parked transactions by sender and nonce, greatest fee first. */
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
    this.#limits = { batchNum, newAccountsMax: maxNewAccounts ?? maxTransactions }
    this.overlay = new SelectionOverlay(ports, accounts)
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
        this.#refuse(candidate, {
          code: skipCodes.noAvailableSlots,
          reason: `The batch is full with ${this.#maxTransactions} transactions`
        })
      }
      return this
    })
  }

  /** Tries a candidate, then the parked transactions that it makes possible. */
  #tryCandidate(first: Candidate): Effect.Effect<void, StoreFailure> {
    return Effect.gen({ self: this }, function*() {
      const queue = [first]
      for (let candidate = queue.shift(); candidate !== undefined; candidate = queue.shift()) {
        if (this.#done.has(candidate.row.transaction.id)) continue
        if (this.selected.length >= this.#maxTransactions) return
        const before = this.selected.length
        const refusal = yield* this.#applyGroup(candidate)
        if (refusal === undefined) {
          for (const { transaction: { fromAccountIndex } } of this.selected.slice(before)) {
            queue.push(...this.#unpark(fromAccountIndex))
          }
          continue
        }
        this.#refuse(candidate, refusal)
        if (refusal.isEarly) this.#park(candidate)
        if (refusal.isLate) this.superseded.push(candidate.row.transaction)
      }
    })
  }

  /** Applies a transaction together with the transactions that it requires, or none of them. */
  #applyGroup(first: Candidate): Effect.Effect<Refusal | undefined, StoreFailure> {
    return Effect.gen({ self: this }, function*() {
      const group: Array<SelectedTransaction> = []
      let candidate: Candidate | null = first
      while (candidate !== null) {
        const result = yield* tryApply(
          this.#ports,
          this.overlay,
          candidate.row,
          this.#limits
        )
        if (result.kind === "refused") return this.#giveUp(group, result, candidate)
        const { transaction }: Pooled = candidate.row
        group.push({ transaction, receiver: result.receiver, feeUSD: candidate.feeUSD })
        const { request } = transaction
        if (
          request === null ||
          [...this.selected, ...group].some((other) => isRequested(other.transaction, request))
        ) break
        candidate = yield* this.#requestedBy(transaction)
        if (
          candidate === null ||
          group.length >= Math.min(GROUP_MAX, this.#maxTransactions - this.selected.length)
        ) {
          return this.#giveUp(group, undefined, candidate)
        }
      }
      this.overlay.commit()
      this.selected.push(...group)
      for (const { transaction: { id } } of group) {
        this.#done.add(id)
        this.refused.delete(id)
      }
      return undefined
    })
  }

  /** Rolls back the group. Returns the refusal of its first transaction. */
  #giveUp(
    group: ReadonlyArray<SelectedTransaction>,
    refusal: Refusal | undefined,
    candidate: Candidate | null
  ): Refusal {
    this.overlay.rollBack()
    if (group.length === 0) return refusal!
    const why = refusal?.reason ??
      (candidate === null
        ? "it is not pending"
        : "the batch has no space for all transactions that require each other")
    return {
      kind: "refused",
      code: skipCodes.requestedNotForged,
      isEarly: false,
      isLate: false,
      reason: `The requested transaction${
        candidate === null ? "" : ` ${candidate.row.transaction.id}`
      } cannot be forged in the same batch: ${why}`
    }
  }

  #requestedBy({ request }: PoolTransaction): Effect.Effect<Candidate | null, StoreFailure> {
    const { amount, fee, fromAccountIndex, nonce, tokenId } = request!
    if (
      amount === null || fee === null || fromAccountIndex === null || nonce === null ||
      tokenId === null
    ) return Effect.succeed(null)
    const id = l2TransactionId({ amount, fee, fromAccountIndex, nonce, tokenId }, this.#keccak256)
    if (Result.isFailure(id)) return Effect.succeed(null)
    return Effect.flatMap(
      this.#ports.pool.pooled([id.success]),
      ([row]) =>
        row?.transaction.state === "pend" && isRequested(row.transaction, request!)
          ? candidateOf(this.#ports, row)
          : Effect.succeed(null)
    )
  }

  #refuse(
    { row: { transaction: { id } } }: Candidate,
    { code, reason }: Pick<Refusal, "code" | "reason">
  ): void {
    if (!this.#done.has(id)) this.refused.set(id, { code, reason })
  }

  #park(candidate: Candidate): void {
    const { fromAccountIndex, nonce } = candidate.row.transaction
    const key = parkingKey(fromAccountIndex, nonce)
    const parked = this.#early.get(key)
    if (parked === undefined) this.#early.set(key, [candidate])
    else parked.push(candidate)
  }

  /** Removes and returns the parked transactions of a sender with the current nonce. */
  #unpark(index: AccountIndex): ReadonlyArray<Candidate> {
    const key = parkingKey(index, this.overlay.nonceOf(index) ?? 0n)
    const parked = this.#early.get(key) ?? []
    this.#early.delete(key)
    return parked
  }
}

const parkingKey = (index: AccountIndex, nonce: bigint): string => `${index} ${nonce}`
