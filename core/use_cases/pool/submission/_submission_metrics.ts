import { Cause, Effect, Exit, type Scope, Struct } from "effect"
import { counter, gauge, limitHits, measure } from "../../../ports/mod.ts"

const kinds = ["transaction", "group", "authorization"] as const

/** The outcomes of a post. `unanswered`: the store failed or the client disconnected. */
const outcomes = [
  "stored",
  "known",
  "refused",
  "conflict",
  "poolFull",
  "busy",
  "unanswered"
] as const
type Outcome = typeof outcomes[number]

/** Counts posted transactions, groups and authorizations by outcome. */
export class SubmissionMetrics {
  /** By kind and outcome. */
  readonly #counts = new Map<string, number>()
  /** Number of refusals because of each limit of the pool. */
  readonly limits = { pendingMax: 0, pendingPerAccountMax: 0 }

  /** Counts the outcome of a post. */
  count<A extends { readonly stored: boolean }, E extends { readonly _tag: string }>(
    kind: typeof kinds[number],
    submitting: Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    return Effect.onExit(submitting, (exit) =>
      Effect.sync(() => {
        const key = `${kind} ${outcomeOf(exit)}`
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
      }))
  }

  /** Registers the metrics until the scope closes. */
  register(pendingMax: number): Effect.Effect<void, never, Scope.Scope> {
    const submissions = kinds.flatMap((kind) =>
      outcomes.map((outcome) =>
        counter(
          "rollup_submissions_total",
          "Posted transactions, groups and authorizations, by kind and outcome",
          () => this.#counts.get(`${kind} ${outcome}`) ?? 0,
          { kind, verdict: outcome }
        )
      )
    )
    return measure(
      gauge(
        "rollup_pool_pending_max",
        "Maximum number of pending transactions",
        () => pendingMax
      ),
      ...submissions,
      ...Struct.keys(this.limits).map((limit) => limitHits(limit, () => this.limits[limit]))
    )
  }
}

const outcomeOf = (
  exit: Exit.Exit<{ readonly stored: boolean }, { readonly _tag: string }>
): Outcome => {
  if (Exit.isSuccess(exit)) return exit.value.stored ? "stored" : "known"
  const failure = Cause.findErrorOption(exit.cause)
  switch (failure._tag === "Some" ? failure.value._tag : undefined) {
    case "SubmissionRefused":
    case "NothingToReplace":
      return "refused"
    case "SubmissionConflict":
      return "conflict"
    case "PoolFull":
      return "poolFull"
    case "VerifierBusy":
      return "busy"
    default:
      return "unanswered"
  }
}
