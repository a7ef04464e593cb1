import { Effect, type Scope } from "effect"
import { counter, gauge, measure } from "../../../core/ports/mod.ts"
import type { AnswerStats } from "../message/mod.ts"

/** Registers the metrics of the response cache until the scope closes. */
export const measureResponseCache = (
  stats: () => AnswerStats
): Effect.Effect<void, never, Scope.Scope> =>
  measure(
    ...Object.entries(
      {
        hit: "hits",
        miss: "misses",
        notModified: "notModified",
        shared: "shared"
      } as const
    ).map(([source, name]) =>
      counter(
        "rollup_answers_total",
        "Answers by source: cached (hit), not modified since the last answer to the client (notModified), computed for a concurrent request (shared), computed (miss)",
        () => stats()[name],
        { source }
      )
    ),
    counter(
      "rollup_answers_evicted_total",
      "Answers evicted from the response cache",
      () => stats().evictions
    ),
    gauge("rollup_answers_kept", "Answers in the response cache", () => stats().entries),
    gauge(
      "rollup_answers_kept_bytes",
      "Memory of the answers in the response cache",
      () => stats().bytes
    ),
    gauge(
      "rollup_answers_kept_bytes_max",
      "Maximum memory of the response cache",
      () => stats().bytesMax
    ),
    ...[...stats().encodings].flatMap(([encoding, counts]) => [
      counter(
        "rollup_answers_encoded_total",
        "Answers sent compressed, by content encoding",
        () => counts.sent,
        { encoding }
      ),
      counter(
        "rollup_answers_compressed_total",
        "Bodies compressed, by content encoding; compressed bodies are cached",
        () => counts.compressed,
        { encoding }
      )
    ])
  )
