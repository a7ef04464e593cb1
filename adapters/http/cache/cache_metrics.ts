import { Effect, type Scope } from "effect"
import { counter, gauge, measure } from "../../../core/ports/mod.ts"
import type { AnswerStats } from "../message/mod.ts"

/** Registers the metrics of the cached answers. */
export const measureResponseCache = (
  stats: () => AnswerStats
): Effect.Effect<void, never, Scope.Scope> =>
  measure(
    answersBy("hit", () => stats().hits),
    answersBy("miss", () => stats().misses),
    answersBy("notModified", () => stats().notModified),
    answersBy("shared", () => stats().shared),
    counter(
      "rollup_answers_evicted_total",
      "Answers that were kept ready and made room for others",
      () => stats().evictions
    ),
    gauge("rollup_answers_kept", "Answers that are kept ready", () => stats().entries),
    gauge(
      "rollup_answers_kept_bytes",
      "Memory of the answers that are kept ready",
      () => stats().bytes
    ),
    gauge(
      "rollup_answers_kept_bytes_max",
      "Memory that answers may be kept ready in",
      () => stats().bytesMax
    )
  )

const answersBy = (source: string, read: () => number) =>
  counter(
    "rollup_answers_total",
    "Answers by where they came from: kept ready (hit), not changed since the client asked (notModified), computed for another client at the same time (shared), computed (miss)",
    read,
    { source }
  )
