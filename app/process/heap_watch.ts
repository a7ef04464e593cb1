import { Deferred, Effect } from "effect"
import { constants, PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8"
import {
  checkHealth,
  gauge,
  type Health,
  limitHits,
  measure,
  StoreFailure
} from "../../core/mod.ts"

/** V8 reserves so many bytes of its limit for young objects. */
const youngBytes = 32 * 2 ** 20

/**
 * Watches the heap until the scope closes, and registers its metrics and its health check. V8 aborts
 * if a full garbage collection frees too little, so all sizes are measured after one.
 *
 * @param bytesMax the limit; that of V8 if it is undefined or greater
 */
export const watchHeap = Effect.fnUntraced(function*(bytesMax = Infinity) {
  const v8BytesMax = oldGenerationBytesMax()
  const limitBytes = Math.min(bytesMax, v8BytesMax)
  const refusedBytes = Math.min(0.92 * limitBytes, v8BytesMax - youngBytes)
  const [full, exhausted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  let [usedBytes, isRefusing, refusals] = [oldGenerationBytes(), false, 0]
  const observer = new PerformanceObserver((list) => {
    if (!list.getEntries().some(isFullCollection)) return
    usedBytes = oldGenerationBytes()
    // what was in use before writes were refused says nothing about the time after it
    const isExhausted = isRefusing && usedBytes > (refusedBytes + limitBytes) / 2
    isRefusing = usedBytes >= refusedBytes
    if (isRefusing) Deferred.doneUnsafe(full, Effect.void)
    if (isExhausted) Deferred.doneUnsafe(exhausted, Effect.void)
  })
  observer.observe({ entryTypes: ["gc"] })
  yield* Effect.addFinalizer(() => Effect.sync(() => observer.disconnect()))
  const limitMiB = mebibytes(limitBytes)
  const usage = () =>
    `${mebibytes(usedBytes)} of ${limitMiB} MiB are in use after a full garbage collection`
  const moreHeap = (bytes: number) =>
    bytesMax < v8BytesMax
      ? `start with --heap-bytes-max=${Math.ceil(bytes)} or more`
      : `start with NODE_OPTIONS=--max-old-space-size=${mebibytes(bytes + youngBytes)} or more`
  yield* measure(
    gauge("rollup_heap_used_after_gc_bytes", "Used bytes after a full collection", () => usedBytes),
    gauge("rollup_heap_bytes_max", "Limit of the bytes in use", () => limitBytes),
    limitHits("heapBytesMax", () => refusals)
  )
  const health = Effect.sync((): Health => {
    const detail = `Heap: ${usage()}`
    if (usedBytes < Math.min(0.85 * limitBytes, refusedBytes)) return { state: "ok", detail }
    const from = isRefusing ? "" : ` from ${mebibytes(refusedBytes)} MiB on`
    const advice = `writes are refused${from}: ${moreHeap(limitBytes * 1.5)}`
    return { state: "degraded", detail: `${detail}; ${advice}` }
  })
  yield* checkHealth("memory", health)
  const refuseIfFull = Effect.suspend(() => {
    if (!isRefusing) return Effect.void
    refusals++
    const message = `The heap is full: ${usage()}; reads continue, and writes are refused`
    return Effect.fail(new StoreFailure({ retry: true, reason: "memory", message }))
  })
  return {
    limitBytes,
    /** Bytes in use, without the objects that are younger than the last collection. */
    usedBytes: () => usedBytes,
    /** Returns the used bytes and the limit as text. */
    usage,
    /** Returns the advice to start with a heap of so many bytes. */
    moreHeap,
    /** Waits until writes are refused. */
    full: Deferred.await(full),
    /** Waits until writes are refused and more than half of the remaining heap is used too. */
    exhausted: Deferred.await(exhausted),
    refuseIfFull
  }
})

/** A watch of the JavaScript heap. */
export type HeapWatch = Effect.Success<ReturnType<typeof watchHeap>>

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20)

const isFullCollection = (entry: object): boolean =>
  "detail" in entry &&
  (entry.detail as { readonly kind: number }).kind === constants.NODE_PERFORMANCE_GC_MAJOR

/** Bytes of all spaces that `--max-old-space-size` limits: all but the two of young objects. */
const oldGenerationBytes = (): number =>
  getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith("new_"))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)

/** Returns the limit of V8. Without the option, `heap_size_limit` adds less than 5 % to it. */
const oldGenerationBytesMax = (): number => {
  const options = [process.env.NODE_OPTIONS, ...process.execArgv].join(" ")
  const set = [...options.matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/gu)].at(-1)?.[1]
  return Number(set ?? 0) * 2 ** 20 || 0.95 * getHeapStatistics().heap_size_limit
}
