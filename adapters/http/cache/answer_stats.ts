import { Effect, type Scope } from "effect"
import { counter, gauge, measure } from "../../../core/ports/mod.ts"
import type { EncodingStats } from "../compression/mod.ts"

/** Counters of the response cache since the start, and its current size. */
export interface AnswerStats {
  readonly entries: number
  /**
   * Bytes of bodies, and an estimate of their overhead. Stale entries count until they are evicted.
   */
  readonly bytes: number
  readonly bytesMax: number
  /** Requests answered with a cached body. */
  readonly hits: number
  /** Requests whose answer was computed. */
  readonly misses: number
  /** Requests that joined the computation of another one. */
  readonly shared: number
  /** Requests answered with 304, mostly without reading the store. */
  readonly notModified: number
  /** Entries dropped to make room. */
  readonly evictions: number
  /** By name of the content coding, such as `gzip`. */
  readonly encodings: ReadonlyMap<string, EncodingStats>
}

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
