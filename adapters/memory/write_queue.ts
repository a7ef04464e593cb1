import { Effect, type Result, Semaphore } from "effect"
import type { BlockChanges } from "../../core/domain/mod.ts"
import type { Decision, DeferredDecision, PriorLedger } from "../../core/ports/mod.ts"

/**
 * Runs the writes of a ledger in memory one at a time, in the order of the calls. A write waits
 * while the check of an earlier decision runs. Reads do not wait, and see the ledger without the
 * write.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { openMemoryLedger, WriteQueue } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { base } = openMemoryLedger({ genesis: simulate({ seed: 1 }).genesis })
 * const writes = new WriteQueue(base)
 * const order: Array<string> = []
 * const slow = Effect.andThen(Effect.sleep(20), Effect.sync(() => order.push("slow")))
 * const fast = Effect.sync(() => order.push("fast"))
 * await Effect.runPromise(
 *   Effect.all([writes.run(slow), writes.run(fast)], { concurrency: "unbounded" })
 * )
 * console.log(order.join(", ")) // => slow, fast
 * ```
 */
export class WriteQueue {
  readonly #ledger: PriorLedger
  readonly #semaphore = Semaphore.makeUnsafe(1)

  /** @param ledger the ledger that all writes go to */
  constructor(ledger: PriorLedger) {
    this.#ledger = ledger
  }

  /**
   * Decides about a block, resolves a deferred decision, runs the check of the decision, and passes
   * the decision to `store`. Fails without a call of `store` if the decision or its check fails.
   */
  apply<A, E, F>(
    decide: (prior: PriorLedger) => Result.Result<Decision<E> | DeferredDecision<E>, E>,
    store: (decision: Decision) => Effect.Effect<A, F>
  ): Effect.Effect<A, E | F> {
    return this.run(
      Effect.suspend(() => Effect.fromResult(decide(this.#ledger))).pipe(
        Effect.flatMap((decision) =>
          decision.kind === "deferred" ? decision.resolve : Effect.succeed(decision)
        ),
        Effect.flatMap((decision) => {
          if (decision.kind === "alreadyStored") return store(decision)
          const { changes, check = yieldForLargeBlocks(changes), kind } = decision
          // no other write runs during the check, so the decision still fits the ledger
          return Effect.andThen(check, Effect.suspend(() => store({ kind, changes })))
        })
      )
    )
  }

  /** Runs a write after all earlier ones have ended. */
  run<A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.#semaphore.withPermit(write)
  }
}

/** Yields to other fibers between two steps of a write, if its block is large. */
export const yieldForLargeBlocks = ({ batches, queued }: BlockChanges): Effect.Effect<void> =>
  batches.reduce((sum, { transactions }) => sum + transactions.length, queued.length) <
      largeBlockTransactions
    ? Effect.void
    : Effect.yieldNow

/** A block with fewer transactions takes too little time for readers to notice. */
const largeBlockTransactions = 8
