import { Cause, Effect, Exit, Option } from "effect"
import type { StoreFailure } from "../../ports/mod.ts"
import { EventCounts } from "../_event_counts.ts"
import { type BlockViolation, type Invariant, invariantNames } from "../violation/mod.ts"

const kinds = ["block", "rollBack", "prices", "head"] as const
type Kind = typeof kinds[number]
const outcomes = ["applied", "held", "violation", "failed"] as const
type Outcome = typeof outcomes[number]

/** Counts writes by outcome, and violations by invariant. */
export class WriteCounts {
  readonly #writes = new EventCounts<{ readonly kind: Kind; readonly outcome: Outcome }>(
    "rollup_ledger_writes_total",
    "Writes of blocks, rollbacks, prices and heads, by outcome",
    kinds.flatMap((kind) => outcomes.map((outcome) => ({ kind, outcome })))
  )
  readonly #violations = new EventCounts<{ readonly invariant: Invariant }>(
    "rollup_ledger_violations_total",
    "Refused writes, by violated invariant",
    invariantNames.map((invariant) => ({ invariant }))
  )
  readonly series = [...this.#writes.series, ...this.#violations.series]

  /** Counts the outcome of a write. `isHeld` returns true if the ledger had already stored it. */
  count<A, E extends BlockViolation | StoreFailure>(
    kind: Kind,
    writing: Effect.Effect<A, E>,
    isHeld: (report: A) => boolean = () => false
  ): Effect.Effect<A, E> {
    return Effect.onExit(writing, (exit) =>
      Effect.sync(() => {
        const outcome = Exit.isSuccess(exit)
          ? isHeld(exit.value) ? "held" : "applied"
          : this.#outcomeOf(exit.cause)
        this.#writes.add({ kind, outcome })
      }))
  }

  #outcomeOf(cause: Cause.Cause<BlockViolation | StoreFailure>): Outcome {
    const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
    if (failure?._tag !== "BlockViolation") return "failed"
    this.#violations.add({ invariant: failure.invariant })
    return "violation"
  }
}
