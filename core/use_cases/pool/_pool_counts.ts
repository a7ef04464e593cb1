import { Effect, Struct, type Scope } from "effect"
import { skipCodes } from "../../domain/mod.ts"
import type { TransactionId } from "../../encoding/mod.ts"
import { counter, measure } from "../../ports/mod.ts"
import type { Selection } from "./select.ts"

const causes = [
  "startForging",
  "doneForging",
  "invalidate",
  "invalidateOldNonces",
  "rollBack",
  "purge",
  "remove",
  "settle"
] as const

/** Counts the transitions of transactions, and the reasons why selections skipped transactions. */
export class PoolCounts {
  readonly #moved = new Map<typeof causes[number], number>()
  readonly #skipped = new Map<number, number>()

  /** Counts the changed transactions of a call. */
  countChanges<E>(
    cause: typeof causes[number],
    changing: Effect.Effect<ReadonlyArray<TransactionId>, E>
  ): Effect.Effect<ReadonlyArray<TransactionId>, E> {
    return Effect.tap(
      changing,
      ({ length }) =>
        Effect.sync(() => void this.#moved.set(cause, (this.#moved.get(cause) ?? 0) + length))
    )
  }

  /** Counts the skipped transactions of a selection. */
  countSkipped<E>(selecting: Effect.Effect<Selection, E>): Effect.Effect<Selection, E> {
    return Effect.tap(selecting, ({ skippedTransactions }) =>
      Effect.sync(() => {
        for (const { code } of skippedTransactions) {
          this.#skipped.set(code, (this.#skipped.get(code) ?? 0) + 1)
        }
      }))
  }

  /** Registers the metrics until the scope closes. */
  get register(): Effect.Effect<void, never, Scope.Scope> {
    const moved = (cause: typeof causes[number]) =>
      counter(
        "rollup_pool_moved_total",
        "Transitions of transactions in the pool, by cause",
        () => this.#moved.get(cause) ?? 0,
        { by: cause }
      )
    const skipped = (reason: keyof typeof skipCodes) =>
      counter(
        "rollup_pool_passed_over_total",
        "Transactions that a selection skipped, by reason",
        () => this.#skipped.get(skipCodes[reason]) ?? 0,
        { reason }
      )
    return measure(...causes.map(moved), ...Struct.keys(skipCodes).map(skipped))
  }
}
