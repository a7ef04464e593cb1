import { group, setting } from "../setting.ts"
import { filePath, integer, number, yesNo } from "../value.ts"

export const pool = group("Transaction pool", {
  pendingMax: setting({
    key: "pool.pending_max",
    sets: "node.pendingMax",
    value: integer({ minimum: 0 }),
    default: 100_000,
    doc: "Pending transactions in the pool",
    limit: { beyond: "503 with Retry-After" }
  }),
  pendingPerAccountMax: setting({
    key: "pool.pending_per_account_max",
    sets: "node.pendingPerAccountMax",
    value: integer({ minimum: 0 }),
    default: 1000,
    doc: "Pending transactions per sender account",
    limit: { beyond: "503 with Retry-After" }
  }),
  minFeeUSD: setting({
    key: "pool.min_fee_usd",
    sets: "node.minFeeUSD",
    value: number({ minimum: 0 }),
    default: 0,
    doc: "Minimum fee in US dollars; tokens without a price have the value 0"
  }),
  maxFeeUSD: setting({
    key: "pool.max_fee_usd",
    sets: "node.maxFeeUSD",
    value: number({ minimum: 0 }),
    doc: "Maximum fee in US dollars; unlimited if not set"
  }),
  recommendedFeeUSD: setting({
    key: "pool.recommended_fee_usd",
    sets: "node.recommendedFeeUSD",
    value: number({ minimum: 0 }),
    default: 0.01,
    doc:
      "Average fee in US dollars from which /state recommends fees if no fee was paid in the last hour, between the minimum and the maximum fee; no transaction is refused for it"
  }),
  forgeDelaySeconds: setting({
    key: "pool.forge_delay_seconds",
    sets: "node.forgeDelaySeconds",
    value: number({ minimum: 0 }),
    default: 0,
    doc: "Seconds that the coordinator waits between two batches, which /v1/state shows"
  }),
  verifierThreadsMax: setting({
    key: "pool.verifier_threads_max",
    sets: "verifier.workersMax",
    value: integer({ minimum: 1, maximum: 1024 }),
    doc: "Threads that verify signatures, per process; one per core if not set",
    limit: { beyond: "signatures wait", metric: "rollup_verifier_waiting" }
  }),
  verifierQueueMax: setting({
    key: "pool.verifier_queue_max",
    sets: "verifier.queueMax",
    value: integer({ minimum: 0, maximum: 1_000_000 }),
    default: 4096,
    doc: "Verifications waiting for a thread, per process",
    limit: { beyond: "503 with Retry-After" }
  })
})

export const currencies = group("Prices of currencies", {
  currenciesFile: setting({
    key: "currencies.file",
    flag: "currencies",
    value: filePath,
    doc:
      "JSON file with the prices of currencies that /v1/currencies shows; read again when it changes. No prices if not set"
  })
})

export const memory = group("Memory", {
  heapBytesMax: setting({
    key: "limits.heap_bytes_max",
    value: integer({ minimum: 33_554_432, maximum: Number.MAX_SAFE_INTEGER }),
    doc:
      "Bytes of the JavaScript heap, per process, after a full garbage collection; the limit of V8 if not set",
    limit: {
      beyond:
        "503 with Retry-After for writes, from 92 % on; the process exits with code 7 if more than half of the rest is used"
    }
  })
})

export const caching = group("Caching", {
  answersBytesMax: setting({
    key: "cache.answers_bytes_max",
    sets: "node.answersBytesMax",
    value: integer({ minimum: 0 }),
    default: 67_108_864,
    doc: "Bytes of cached responses, per process; 0 disables the response cache",
    limit: {
      beyond: "the oldest responses that were not used again are evicted",
      metric: "rollup_answers_evicted_total"
    }
  }),
  finalAfterBatches: setting({
    key: "cache.final_after_batches",
    sets: "node.finalAfterBatches",
    value: integer({ minimum: 1 }),
    default: 1000,
    doc:
      "Batches after which a batch is final: no rollback reaches it, and caches may keep it indefinitely"
  })
})

export const compression = group("Compression", {
  compression: setting({
    key: "server.compression",
    value: yesNo,
    default: true,
    doc: "Compress responses for clients that accept it (zstd, br, gzip)"
  }),
  compressionBytesMin: setting({
    key: "server.compression_bytes_min",
    value: integer({ minimum: 0 }),
    default: 1024,
    doc: "Bytes from which on a response is compressed"
  })
})
