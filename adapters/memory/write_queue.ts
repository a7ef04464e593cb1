import { Effect, type Result, Semaphore } from "effect"
import type { BlockChanges } from "../../core/domain/mod.ts"
import type { Decision, LedgerView } from "../../core/ports/mod.ts"

/**
 * Writes a ledger in memory in the order of the calls: one that comes while a decision is being checked waits for it. Reads do not wait, and
 * see the ledger as it was.
 */
export class MemoryWriting {
  readonly #view: LedgerView
  readonly #oneAtATime = Semaphore.makeUnsafe(1)

  /** Of the ledger that all writes go to. */
  constructor(view: LedgerView) {
    this.#view = view
  }

  /** Has `store` write what was decided, when the check of the decision has ended well. */
  apply<A, E, F>(
    decide: (view: LedgerView) => Result.Result<Decision<E>, E>,
    store: (decision: Decision) => Effect.Effect<A, F>
  ): Effect.Effect<A, E | F> {
    return this.inTurn(
      Effect.flatMap(Effect.suspend(() => Effect.fromResult(decide(this.#view))), (decision) => {
        if (decision.kind === "alreadyStored") return store(decision)
        const { changes, check = turnOfOthers(changes), kind } = decision
        // nothing is written meanwhile, so what was decided still fits
        return Effect.andThen(check, Effect.suspend(() => store({ kind, changes })))
      })
    )
  }

  /** Runs a write when those before it have ended. */
  inTurn<A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.#oneAtATime.withPermit(write)
  }
}

/** Whoever reads comes in between two parts of a write that take long together; those of a small one are over sooner. */
export const turnOfOthers = ({ batches, queued }: BlockChanges): Effect.Effect<void> =>
  batches.reduce((sum, { transactions }) => sum + transactions.length, queued.length) <
      smallTransactions
    ? Effect.void
    : Effect.yieldNow

/** Deciding takes some 13 µs for each of them, and storing some 15. */
const smallTransactions = 8
