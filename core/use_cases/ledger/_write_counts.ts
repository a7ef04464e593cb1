import { Cause, Effect, Exit, Option, type Scope } from "effect"
import { counter, measure, type StoreFailure } from "../../ports/mod.ts"
import { type BlockViolation, type Invariant, invariantNames } from "../violation/mod.ts"

const kinds = ["block", "rollBack", "prices", "head"] as const
const outcomes = ["applied", "held", "violation", "failed"] as const
type Outcome = typeof outcomes[number]

/** Counts writes by outcome, and violations by invariant. */
export class WriteCounts {
  readonly #counts = new Map(kinds.map((kind) => [kind, new Map<Outcome, number>()]))
  readonly #violations = new Map<Invariant, number>()

  /** Counts the outcome of a write. `isHeld` returns true if the ledger had already stored it. */
  count<A, E extends BlockViolation | StoreFailure>(
    kind: typeof kinds[number],
    writing: Effect.Effect<A, E>,
    isHeld: (report: A) => boolean = () => false
  ): Effect.Effect<A, E> {
    const counts = this.#counts.get(kind)!
    return Effect.onExit(writing, (exit) =>
      Effect.sync(() => {
        const outcome = Exit.isSuccess(exit)
          ? isHeld(exit.value) ? "held" : "applied"
          : this.#outcomeOf(exit.cause)
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
      }))
  }

  /** Registers the metrics until the scope closes. */
  get register(): Effect.Effect<void, never, Scope.Scope> {
    const writes = [...this.#counts].flatMap(([kind, counts]) =>
      outcomes.map((outcome) =>
        counter(
          "rollup_ledger_writes_total",
          "Writes of blocks, rollbacks, prices and heads, by outcome",
          () => counts.get(outcome) ?? 0,
          { kind, outcome }
        )
      )
    )
    // also those that are 0: Prometheus sees no increase in a series that begins with 1
    const violations = invariantNames.map((invariant) =>
      counter(
        "rollup_ledger_violations_total",
        "Refused writes, by violated invariant",
        () => this.#violations.get(invariant) ?? 0,
        { invariant }
      )
    )
    return measure(...writes, ...violations)
  }

  #outcomeOf(cause: Cause.Cause<BlockViolation | StoreFailure>): Outcome {
    const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
    if (failure?._tag !== "BlockViolation") return "failed"
    this.#violations.set(failure.invariant, (this.#violations.get(failure.invariant) ?? 0) + 1)
    return "violation"
  }
}
