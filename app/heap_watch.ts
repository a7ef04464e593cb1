import { Context, Deferred, Effect, Layer, type Scope } from "effect"
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8"
import {
  checkHealth,
  gauge,
  type Health,
  LedgerWriter,
  limitHits,
  measure,
  PoolStore,
  StoreFailure
} from "../core/mod.ts"
import type { Stores } from "./layers.ts"

/** Shares of the limit at which the watch acts. */
const degradedShare = 0.85
const refusedShare = 0.92
const exhaustedShare = 0.97
/** Above this share, V8 aborts if full collections in quick succession free too little. */
const thrashingShare = 0.88
/** In a small heap a single request may need 3 %. */
const freeBytesMin = 2 * 2 ** 20

/** A watch of the JavaScript heap. All sizes are those after the last full garbage collection. */
export interface HeapWatch {
  /** Bytes in use; without the objects that are younger than the last collection. */
  readonly usedBytes: () => number
  readonly limitBytes: number
  /** Returns the advice to start with a heap of so many bytes. */
  readonly moreHeap: (bytes: number) => string
  /** Waits until 92 % of the limit are in use, or until V8 will soon abort. */
  readonly full: Effect.Effect<void>
  /**
   * Waits until writes are refused and nevertheless 97 % of the limit or all but 2 MiB are in use,
   * or three full collections follow each other quickly. V8 aborts soon after that.
   */
  readonly exhausted: Effect.Effect<void>
  /** Returns stores that refuse writes from 92 % of the limit on, until less than 85 % are in use. */
  readonly guard: <E>(stores: Layer.Layer<Stores, E>) => Layer.Layer<Stores, E>
}

/**
 * Watches the heap until the scope closes, and registers its metrics and its health check. V8 ends
 * the process if a full garbage collection frees too little. Memory that a collection can free does
 * not count, so the watch measures after each one.
 *
 * @param bytesMax the limit; that of V8 if it is undefined or greater
 */
export const watchHeap = (
  bytesMax: number | undefined
): Effect.Effect<HeapWatch, never, Scope.Scope> =>
  Effect.gen(function*() {
    const limitBytes = Math.min(bytesMax ?? Infinity, oldGenerationBytesMax())
    const more = (bytes: number) => moreHeap(bytes, bytesMax)
    const [full, exhausted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const thrashing = new Thrashing(limitBytes)
    let [usedBytes, refusals, isRefusing] = [oldGenerationBytes(), 0, false]
    const exhaustedBytes = Math.min(exhaustedShare * limitBytes, limitBytes - freeBytesMin)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const observer = new PerformanceObserver((list) => {
          const entries = list.getEntries()
          if (!entries.some(isFullCollection)) return
          usedBytes = oldGenerationBytes()
          const share = usedBytes / limitBytes
          const wasRefusing = isRefusing
          if (share < degradedShare) isRefusing = false
          if (share >= refusedShare) isRefusing = true
          // what was in use before writes were refused says nothing about the time after it
          if (share < thrashingShare || isRefusing !== wasRefusing) thrashing.clear()
          const isThrashing = share >= thrashingShare &&
            thrashing.add(performance.now(), isRefusing ? 3 : 2)
          if (isRefusing || isThrashing) Deferred.doneUnsafe(full, Effect.void)
          if (wasRefusing && (usedBytes >= exhaustedBytes || isThrashing)) {
            Deferred.doneUnsafe(exhausted, Effect.void)
          }
        })
        observer.observe({ entryTypes: ["gc"] })
        return observer
      }),
      (observer) => Effect.sync(() => observer.disconnect())
    )
    const refuse = Effect.suspend(() => {
      if (!isRefusing) return Effect.void
      refusals++
      return Effect.fail(
        new StoreFailure({
          retry: true,
          reason: "memory",
          message: `The heap is full: ${
            usage(usedBytes, limitBytes)
          }; reads continue, and writes are refused`
        })
      )
    })
    yield* measure(
      gauge(
        "rollup_heap_used_after_gc_bytes",
        "Used bytes of the heap after the last full garbage collection, or at the start",
        () => usedBytes
      ),
      gauge(
        "rollup_heap_bytes_max",
        "Limit of the heap: writes are refused at 92 %, and the process ends at 97 %",
        () => limitBytes
      ),
      limitHits("heapBytesMax", () => refusals)
    )
    yield* checkHealth(
      "memory",
      Effect.sync(() => healthOf(usedBytes, limitBytes, isRefusing, more))
    )
    return {
      usedBytes: () => usedBytes,
      limitBytes,
      moreHeap: more,
      full: Deferred.await(full),
      exhausted: Deferred.await(exhausted),
      guard: (stores) =>
        Layer.unwrap(
          Effect.map(
            Layer.build(stores),
            (context) => Layer.succeedContext(guardWrites(context, refuse))
          )
        )
    }
  })

/**
 * Returns the advice to start with a greater heap: to raise the limit of V8, the one that the
 * settings set, or both.
 */
const moreHeap = (bytes: number, bytesMax = Infinity, v8BytesMax = oldGenerationBytesMax()) => {
  const options = [
    ...bytes > v8BytesMax || bytesMax >= v8BytesMax
      ? [`NODE_OPTIONS=--max-old-space-size=${Math.ceil(mebibytes(bytes))}`]
      : [],
    ...bytes > bytesMax ? [`--heap-bytes-max=${Math.ceil(bytes)}`] : []
  ]
  return `start with ${options.join(" and ")} or more`
}

/** Returns a part of the heap and its limit as text. */
export const usage = (usedBytes: number, limitBytes: number): string =>
  `${Math.round(mebibytes(usedBytes))} of ${
    Math.round(mebibytes(limitBytes))
  } MiB are in use after a full garbage collection`

const mebibytes = (bytes: number): number => bytes / 2 ** 20

const healthOf = (
  usedBytes: number,
  limitBytes: number,
  isRefusing: boolean,
  more: HeapWatch["moreHeap"]
): Health => {
  const detail = usage(usedBytes, limitBytes)
  if (usedBytes < degradedShare * limitBytes) return { state: "ok", detail: `Heap: ${detail}` }
  return {
    state: "degraded",
    detail: `Heap: ${detail}; writes are refused${isRefusing ? "" : " at 92 %"}: ${
      more(limitBytes * 1.5)
    }`
  }
}

/** Returns stores whose writes fail with `refuse` if they add data. */
const guardWrites = (
  context: Context.Context<Stores>,
  refuse: Effect.Effect<void, StoreFailure>
): Context.Context<Stores> => {
  const [writer, pool] = [Context.get(context, LedgerWriter), Context.get(context, PoolStore)]
  return context.pipe(
    Context.add(LedgerWriter, {
      ...writer,
      apply: (block, decide) => Effect.andThen(refuse, writer.apply(block, decide)),
      setPrices: (prices, check) => Effect.andThen(refuse, writer.setPrices(prices, check))
    }),
    Context.add(PoolStore, {
      ...pool,
      addTransaction: (transaction, sender, limits) =>
        Effect.andThen(refuse, pool.addTransaction(transaction, sender, limits)),
      addGroup: (group, limits) => Effect.andThen(refuse, pool.addGroup(group, limits)),
      replaceTransaction: (replaced, transaction, sender, limits) =>
        Effect.andThen(refuse, pool.replaceTransaction(replaced, transaction, sender, limits)),
      addAuthorization: (authorization) =>
        Effect.andThen(refuse, pool.addAuthorization(authorization))
    })
  )
}

const isFullCollection = (entry: PerformanceEntry): boolean =>
  (entry as PerformanceEntry & { readonly detail: { readonly kind: number } }).detail.kind ===
    constants.NODE_PERFORMANCE_GC_MAJOR

/** Detects full collections in quick succession, which free too little. */
class Thrashing {
  readonly #windowMs: number
  #timesMs: Array<number> = []

  /** A collection of a greater heap takes longer. */
  constructor(limitBytes: number) {
    this.#windowMs = 800 + 8 * mebibytes(limitBytes)
  }

  /** Adds a collection. Returns whether there were `count` of them in the last seconds. */
  add(nowMs: number, count: number): boolean {
    this.#timesMs = [...this.#timesMs, nowMs].filter((timeMs) => timeMs > nowMs - this.#windowMs)
    return this.#timesMs.length >= count
  }

  clear(): void {
    this.#timesMs = []
  }
}

/** Bytes of all spaces that `--max-old-space-size` limits: all but the two of young objects. */
const oldGenerationBytes = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name, space_used_size }) =>
      space_name.startsWith("new_") ? sum : sum + space_used_size,
    0
  )

/**
 * Returns the limit of V8. `heap_size_limit` includes the young generation: without the option, that
 * is less than 5 % of it.
 */
function oldGenerationBytesMax(): number {
  const options = [process.env.NODE_OPTIONS ?? "", ...process.execArgv].join(" ")
  const last = [...options.matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/gu)].at(-1)
  const set = last === undefined ? 0 : Number(last[1]) * 2 ** 20
  return set > 0 ? set : 0.95 * getHeapStatistics().heap_size_limit
}
