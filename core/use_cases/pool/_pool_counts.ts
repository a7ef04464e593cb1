import { Effect, Struct, type Scope } from "effect"
import { skipCodes } from "../../domain/mod.ts"
import type { TransactionId } from "../../encoding/mod.ts"
import { counter, measure } from "../../ports/mod.ts"
import type { Selection } from "./select.ts"

const moves = [
  "startForging",
  "doneForging",
  "invalidate",
  "invalidateOldNonces",
  "rollBack",
  "purge",
  "remove",
  "settle"
] as const

/**
 * Counts the transitions of transactions through the pool, and the reasons why selections skipped
 * transactions.
 */
export class PoolCounts {
  readonly #moved = new Map<typeof moves[number], number>()
  readonly #skipped = new Map<number, number>()

  moved<E>(
    by: typeof moves[number],
    changing: Effect.Effect<ReadonlyArray<TransactionId>, E>
  ): Effect.Effect<ReadonlyArray<TransactionId>, E> {
    return Effect.tap(
      changing,
      ({ length }) =>
        Effect.sync(() => void this.#moved.set(by, (this.#moved.get(by) ?? 0) + length))
    )
  }

  selected<E>(selecting: Effect.Effect<Selection, E>): Effect.Effect<Selection, E> {
    return Effect.tap(selecting, ({ skippedTransactions }) =>
      Effect.sync(() => {
        for (const { code } of skippedTransactions) {
          this.#skipped.set(code, (this.#skipped.get(code) ?? 0) + 1)
        }
      }))
  }

  /** Registers the metrics until the scope closes. */
  get measured(): Effect.Effect<void, never, Scope.Scope> {
    const moved = (by: typeof moves[number]) =>
      counter(
        "rollup_pool_moved_total",
        "Transactions that were moved through the pool, by what moved them",
        () => this.#moved.get(by) ?? 0,
        { by }
      )
    const skipped = (reason: keyof typeof skipCodes) =>
      counter(
        "rollup_pool_passed_over_total",
        "Times that a selection passed over a transaction, by the reason",
        () => this.#skipped.get(skipCodes[reason]) ?? 0,
        { reason }
      )
    return measure(...moves.map(moved), ...Struct.keys(skipCodes).map(skipped))
  }
}
