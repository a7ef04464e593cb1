import { Cause, Effect, Exit, type Scope, Struct } from "effect"
import { gauge, limitHits, measure } from "../../../ports/mod.ts"
import { EventCounts } from "../../_event_counts.ts"

const kinds = ["transaction", "group", "authorization"] as const
type Kind = typeof kinds[number]

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
  readonly #counts = new EventCounts<{ readonly kind: Kind; readonly verdict: Outcome }>(
    "rollup_submissions_total",
    "Posted transactions, groups and authorizations, by kind and outcome",
    kinds.flatMap((kind) => outcomes.map((verdict) => ({ kind, verdict })))
  )
  /** Number of refusals because of each limit of the pool. */
  readonly limits = { pendingMax: 0, pendingPerAccountMax: 0 }

  /** Counts the outcome of a post. */
  count<A extends { readonly stored: boolean }, E extends { readonly _tag: string }>(
    kind: Kind,
    submitting: Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    return Effect.onExit(
      submitting,
      (exit) => Effect.sync(() => this.#counts.add({ kind, verdict: outcomeOf(exit) }))
    )
  }

  /** Registers the metrics until the scope closes. */
  register(pendingMax: number): Effect.Effect<void, never, Scope.Scope> {
    return measure(
      gauge(
        "rollup_pool_pending_max",
        "Maximum number of pending transactions",
        () => pendingMax
      ),
      ...this.#counts.series,
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
