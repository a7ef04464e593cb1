import { Cause, Effect, Exit, type Scope, Struct } from "effect"
import { counter, gauge, limitHits, measure } from "../../../ports/mod.ts"

/** The kinds of posts. */
type PostKind = "transaction" | "group" | "authorization"

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
  readonly #counts: { readonly [Kind in PostKind]: { [Name in Outcome]: number } } = {
    transaction: zeroCounts(),
    group: zeroCounts(),
    authorization: zeroCounts()
  }
  /** Number of refusals because of each limit of the pool. */
  readonly limits = { pendingMax: 0, pendingPerAccountMax: 0 }

  /** Counts the outcome of a post. */
  count<A extends { readonly stored: boolean }, E extends { readonly _tag: string }>(
    kind: PostKind,
    submitting: Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    return Effect.onExit(submitting, (exit) =>
      Effect.sync(() => {
        this.#counts[kind][outcomeOf(exit)]++
      }))
  }

  /** Registers the metrics until the scope closes. */
  register(pendingMax: number): Effect.Effect<void, never, Scope.Scope> {
    const submissions = (kind: PostKind) =>
      outcomes.map((outcome) =>
        counter(
          "rollup_submissions_total",
          "Posted transactions, groups and authorizations, by kind and outcome",
          () => this.#counts[kind][outcome],
          { kind, verdict: outcome }
        )
      )
    return measure(
      gauge(
        "rollup_pool_pending_max",
        "Maximum number of pending transactions",
        () => pendingMax
      ),
      ...Struct.keys(this.#counts).flatMap(submissions),
      ...Struct.keys(this.limits).map((limit) => limitHits(limit, () => this.limits[limit]))
    )
  }
}

const zeroCounts = () =>
  Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as { [Name in Outcome]: number }

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
