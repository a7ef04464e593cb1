import { type Effect, type Scope, Struct } from "effect"
import { counter, gauge, measure } from "../../../core/ports/mod.ts"
import type { ResponseCache } from "./response_cache.ts"

/** Registers the metrics of a response cache until the scope closes. */
export const measureResponseCache = (
  { compressor, counts, entries }: ResponseCache
): Effect.Effect<void, never, Scope.Scope> =>
  measure(
    ...Struct.keys(counts).map((source) =>
      counter(
        "rollup_answers_total",
        "Answers by source: cached (hit), not modified since the last answer to the client (notModified), computed for a concurrent request (shared), computed (miss)",
        () => counts[source],
        { source }
      )
    ),
    counter(
      "rollup_answers_evicted_total",
      "Answers evicted from the response cache",
      () => entries.evictions
    ),
    gauge("rollup_answers_kept", "Answers in the response cache", () => entries.size),
    gauge(
      "rollup_answers_kept_bytes",
      "Memory of the answers in the response cache",
      () => entries.bytes
    ),
    gauge(
      "rollup_answers_kept_bytes_max",
      "Maximum memory of the response cache",
      () => entries.bytesMax
    ),
    ...[...compressor.stats].flatMap(([encoding, stats]) => [
      counter(
        "rollup_answers_encoded_total",
        "Answers sent compressed, by content encoding",
        () => stats.sent,
        { encoding }
      ),
      counter(
        "rollup_answers_compressed_total",
        "Bodies compressed, by content encoding; compressed bodies are cached",
        () => stats.compressed,
        { encoding }
      )
    ])
  )
