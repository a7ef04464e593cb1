import { Effect, Struct, type Scope } from "effect"
import { passOverCodes } from "../../domain/mod.ts"
import type { TransactionId } from "../../encoding/mod.ts"
import { measure } from "../../ports/mod.ts"
import type { Selection } from "./select.ts"

const moves = ["startForging", "doneForging", "invalidate", "invalidateOldNonces", "rollBack", "purge", "remove", "settle"] as const

/** Counts what moved transactions through the pool, and why selections passed over others. */
export class PoolCounts {
  readonly #moved = new Map<typeof moves[number], number>(moves.map((move) => [move, 0]))
  readonly #passedOver = new Map<number, number>()

  moved<E>(by: typeof moves[number], changing: Effect.Effect<ReadonlyArray<TransactionId>, E>): Effect.Effect<ReadonlyArray<TransactionId>, E> {
    return Effect.tap(changing, ({ length }) => Effect.sync(() => void this.#moved.set(by, this.#moved.get(by)! + length)))
  }

  selected<E>(selecting: Effect.Effect<Selection, E>): Effect.Effect<Selection, E> {
    return Effect.tap(selecting, ({ passedOver }) => Effect.sync(() => {
      for (const { code } of passedOver) this.#passedOver.set(code, (this.#passedOver.get(code) ?? 0) + 1)
    }))
  }

  /** Tells the monitor, until the scope closes. */
  get measured(): Effect.Effect<void, never, Scope.Scope> {
    return measure(
      {
        kind: "counter", name: "rollup_pool_moved_total", help: "Transactions that were moved through the pool, by what moved them",
        read: Effect.sync(() => [...this.#moved].map(([by, value]) => ({ labels: { by }, value })))
      },
      {
        kind: "counter", name: "rollup_pool_passed_over_total", help: "Times that a selection passed over a transaction, by the reason",
        read: Effect.sync(() => Struct.keys(passOverCodes).map((reason) => ({ labels: { reason }, value: this.#passedOver.get(passOverCodes[reason]) ?? 0 })))
      }
    )
  }
}
