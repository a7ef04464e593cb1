import { Effect, type Scope } from "effect"
import { figure, measure } from "../../core/ports/mod.ts"
import type { AnswerStats } from "./message.ts"

/** Tells the monitor what becomes of the answers that are kept ready. */
export const measureAnswers = (stats: () => AnswerStats): Effect.Effect<void, never, Scope.Scope> =>
  measure(
    {
      kind: "counter", name: "rollup_answers_total",
      help: "Answers by where they came from: kept ready (hit), not changed since the client asked (notModified), computed for another client at the same time (shared), computed (miss)",
      read: Effect.sync(() => {
        const { hits, misses, notModified, shared } = stats()
        return Object.entries({ hit: hits, miss: misses, notModified, shared }).map(([source, value]) => ({ labels: { source }, value }))
      })
    },
    figure("counter", "rollup_answers_evicted_total", "Answers that were kept ready and made room for others", () => stats().evictions),
    figure("gauge", "rollup_answers_kept", "Answers that are kept ready", () => stats().entries),
    figure("gauge", "rollup_answers_kept_bytes", "Memory of the answers that are kept ready", () => stats().bytes),
    figure("gauge", "rollup_answers_kept_bytes_max", "Memory that answers may be kept ready in", () => stats().bytesMax)
  )
