import { Cause, Effect, Exit, type Scope, Struct } from "effect"
import { counter, gauge, limitHits, measure } from "../../ports/mod.ts"

type Posted = "transaction" | "authorization"

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

/** Counts posted transactions and authorizations by outcome. */
export class SubmissionMetrics {
  readonly #counts: { readonly [Kind in Posted]: { [Name in Outcome]: number } } = {
    transaction: none(),
    authorization: none()
  }
  /** Refusals because a limit of the pool was reached. */
  readonly limits = { pendingMax: 0, pendingPerAccountMax: 0 }

  counted<A extends { readonly stored: boolean }, E extends { readonly _tag: string }>(
    kind: Posted,
    submitting: Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    return Effect.onExit(submitting, (exit) =>
      Effect.sync(() => {
        this.#counts[kind][verdictOf(exit)]++
      }))
  }

  /** Registers the metrics until the scope closes. */
  measured(pendingMax: number): Effect.Effect<void, never, Scope.Scope> {
    const submissions = (kind: Posted) =>
      outcomes.map((verdict) =>
        counter(
          "rollup_submissions_total",
          "What wallets posted, by kind and by what became of it",
          () => this.#counts[kind][verdict],
          { kind, verdict }
        )
      )
    return measure(
      gauge(
        "rollup_pool_pending_max",
        "Pending transactions that the pool holds at most",
        () => pendingMax
      ),
      ...Struct.keys(this.#counts).flatMap(submissions),
      ...Struct.keys(this.limits).map((limit) => limitHits(limit, () => this.limits[limit]))
    )
  }
}

const none = () =>
  Object.fromEntries(outcomes.map((verdict) => [verdict, 0])) as { [Name in Outcome]: number }

const verdictOf = (
  exit: Exit.Exit<{ readonly stored: boolean }, { readonly _tag: string }>
): Outcome => {
  if (Exit.isSuccess(exit)) return exit.value.stored ? "stored" : "known"
  const failure = Cause.findErrorOption(exit.cause)
  switch (failure._tag === "Some" ? failure.value._tag : undefined) {
    case "SubmissionRefused":
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
