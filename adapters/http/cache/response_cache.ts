import { Deferred, Effect } from "effect"
import type { NetworkConstants } from "../../../core/domain/mod.ts"
import type { LedgerSnapshot, LedgerStamp, LedgerTip, PoolTip } from "../../../core/ports/mod.ts"
import { type Answer, versionsOf } from "../../../core/use_cases/mod.ts"
import {
  type AnswerStats,
  cacheControl,
  type HeaderRecord,
  type HttpAnswer,
  type HttpRequest,
  largeBytes,
  notModifiedHeaders,
  utf8Body
} from "../message/mod.ts"
import type { ComputedResponse, RevisionRoutes } from "../routes/mod.ts"
import {
  contentTag,
  type Dependence,
  isMatched,
  type LedgerTags,
  makeLedgerTags,
  namedTags
} from "./_entity_tag.ts"
import { GenerationalCache } from "./_generational_cache.ts"

const encoder = new TextEncoder()

export interface ResponseCacheOptions {
  readonly tip: LedgerTip | null
  readonly poolTip: PoolTip | null
  readonly constants: NetworkConstants
  /** Bound of the cached answers; 0 disables the cache. */
  readonly bytesMax: number
  /**
   * Identifies program and configuration: all that the text of an answer depends on besides ledger,
   * revision and URL.
   */
  readonly program: string
  /** Number of later batches that makes a batch final, too deep for a rollback. */
  readonly finalAfterBatches: number
  readonly nowMs: () => number
}

/** The newest snapshot known to this process. */
interface CurrentSnapshot {
  readonly stamp: LedgerStamp
  /** Null if only the stamp is known. */
  readonly snapshot: LedgerSnapshot | null
}

/**
 * The parts of an answer that stay the same until a part of the ledger changes that it depends on.
 */
interface Content {
  /**
   * A string if it is ASCII: Node writes headers and string in one chunk, but headers and bytes in
   * two, which is slower.
   */
  readonly body: string | Uint8Array
  readonly bytes: number
  readonly etag: string
  readonly own: HeaderRecord
  readonly batch: number | null
}

interface CacheEntry extends Content, Dependence {
  readonly pool: Answer["pool"]
  /** Number of requests answered from the cache. */
  hits: number
  /** The snapshot that the headers of `whole` and `unchanged` name. */
  current: CurrentSnapshot | null
  whole: HttpAnswer | null
  unchanged: HttpAnswer | null
}

/**
 * Returns a cache of answers. An entry is current until a part of the ledger changes that it
 * depends on; a client that has it gets a 304. The headers of a cached answer name the newest
 * snapshot known, for which the answer would be the same. Concurrent requests for the same answer
 * share one computation.
 */
export const makeResponseCache = (
  { bytesMax, constants, finalAfterBatches, nowMs, poolTip, program, tip }: ResponseCacheOptions
) => {
  const cache = new GenerationalCache<CacheEntry>(bytesMax, nowMs)
  const counts = { hits: 0, misses: 0, shared: 0, notModified: 0 }
  const tagsOf = new Map<string, LedgerTags>()
  const tagsFor = ({ revision }: RevisionRoutes): LedgerTags => {
    let tags = tagsOf.get(revision.name)
    if (tags === undefined) {
      tagsOf.set(revision.name, tags = makeLedgerTags(tip!, revision, program))
    }
    return tags
  }
  const versionsAt = (
    dependsOn: Dependence["dependsOn"],
    version: number,
    snapshot: LedgerSnapshot | null
  ): string =>
    // if the versions of the parts are unknown, any part may have changed
    dependsOn.length === 0
      ? ""
      : snapshot === null
      ? `*${version.toString(36)}`
      : versionsOf(dependsOn, snapshot, constants)

  let latest: CurrentSnapshot | null = null
  /** The stamp of the last computed answer. */
  let shown: LedgerStamp | undefined
  /** Returns the newest snapshot, or null if its version, block or batch is unknown. */
  const currentSnapshot = (): CurrentSnapshot | null => {
    const version = tip?.version() ?? null
    if (version === null) return null
    if (latest !== null && latest.stamp.version === version && latest.snapshot !== null) {
      return latest
    }
    const snapshot = tip!.snapshot?.(version) ?? null
    const stamp = snapshot?.stamp ?? shown
    if (stamp?.version !== version) return null
    return latest?.stamp.version === version && latest.snapshot === snapshot
      ? latest
      : latest = { stamp, snapshot }
  }

  const isCurrent = (entry: CacheEntry, now: CurrentSnapshot): boolean =>
    (entry.current === now ||
      entry.versions === versionsAt(entry.dependsOn, now.stamp.version, now.snapshot)) &&
    (entry.pool === undefined ||
      entry.pool.version === (poolTip?.versionOf(entry.pool.key) ?? null))
  const refreshHeaders = (
    routes: RevisionRoutes,
    entry: CacheEntry,
    now: CurrentSnapshot
  ): void => {
    entry.current = now
    entry.whole = wholeOf(routes, entry, now.stamp)
    entry.unchanged = null
  }
  const cachingOf = (batch: number | null, { batchNum }: LedgerStamp): string =>
    batch !== null && batchNum !== null && batch <= batchNum - finalAfterBatches
      ? cacheControl.final
      : cacheControl.tip
  const headersOf = (
    routes: RevisionRoutes,
    { batch, bytes, etag, own }: Content,
    stamp: LedgerStamp
  ): HeaderRecord => ({
    ...routes.headers(stamp),
    ...own,
    "cache-control": cachingOf(batch, stamp),
    etag,
    "content-length": `${bytes}`
  })
  const wholeOf = (routes: RevisionRoutes, content: Content, stamp: LedgerStamp): HttpAnswer => ({
    status: 200,
    body: content.body,
    isAscii: typeof content.body === "string",
    headers: headersOf(routes, content, stamp)
  })

  /** Returns the cache key; it has the revision if a header selects it. */
  const keyOf = ({ revision }: RevisionRoutes, { headers, url }: HttpRequest): string =>
    headers["api-revision"] === undefined ? url : `${revision.name} ${url}`

  /**
   * Returns a cached answer or a 304 without reading the store; "stale-hot" if the entry is stale
   * and has had many hits, so that the caller recomputes it even under load; undefined otherwise.
   * `batchOf` returns the batch of the answer, as `ComputedResponse.batch`.
   */
  const lookup = (
    routes: RevisionRoutes,
    request: HttpRequest,
    batchOf: () => number | null
  ): HttpAnswer | "stale-hot" | undefined => {
    const { headers, method, url } = request
    if (
      !(method === "GET" || method === "HEAD") || headers["content-length"] !== undefined ||
      headers["transfer-encoding"] !== undefined
    ) return undefined
    const now = currentSnapshot()
    if (now === null) return undefined
    const ifNoneMatch = headers["if-none-match"]
    const key = keyOf(routes, request)
    const entry = cache.get(key)
    let otherwise: "stale-hot" | undefined
    if (entry !== undefined) {
      if (isCurrent(entry, now)) {
        entry.hits++
        if (entry.current !== now) refreshHeaders(routes, entry, now)
        if (ifNoneMatch === undefined || !isMatched(ifNoneMatch, entry.etag)) {
          counts.hits++
          return entry.whole!
        }
        counts.notModified++
        return entry.unchanged ??= notModified(entry.whole!.headers)
      }
      if (entry.hits >= hotHitsMin) otherwise = "stale-hot"
    }
    if (ifNoneMatch === undefined) return otherwise
    const etag = namedTags(ifNoneMatch).find((tag) => {
      // a client has the tag only if it received this very answer
      const tagged = tagsFor(routes).read(url, tag)
      return tagged !== undefined &&
        tagged.versions === versionsAt(tagged.dependsOn, now.stamp.version, now.snapshot)
    })
    if (etag === undefined) return otherwise
    counts.notModified++
    return notModified({
      ...routes.headers(now.stamp),
      "cache-control": cachingOf(batchOf(), now.stamp),
      etag
    })
  }

  /**
   * Adds the entity tag to an answer, and caches it if a later lookup can check whether it is
   * current.
   */
  const complete = (
    routes: RevisionRoutes,
    request: HttpRequest,
    { batch = null, body, dependsOn, headers, pool, stamp, status }: ComputedResponse
  ): HttpAnswer => {
    if (status !== 200 || dependsOn === undefined || stamp === undefined || tip === null) {
      const plain = { ...routes.headers(stamp), ...headers }
      return {
        status,
        body,
        headers: status === 200
          ? { ...plain, "cache-control": cacheControl.tip, etag: contentTag(routes.revision, body) }
          : plain
      }
    }
    shown = stamp
    const snapshot = tip.snapshot?.(stamp.version) ?? null
    const versions = versionsAt(dependsOn, stamp.version, snapshot)
    // versions of the pool are local to this process
    const etag = pool === undefined
      ? tagsFor(routes).write(request.url, { dependsOn, versions })
      : contentTag(routes.revision, body)
    const { body: sent, bytes } = typeof body === "string"
      ? utf8Body(body)
      : { body, bytes: body.length }
    const content: Content = { body: sent, bytes, etag, own: headers, batch }
    const key = keyOf(routes, request)
    if (
      pool?.version === null || (snapshot === null && cache.get(key) !== undefined) ||
      !cache.accepts(key, content)
    ) return wholeOf(routes, content, stamp)
    // connections share a large body as bytes; a string is copied for each of them while Node sends
    // it
    const shared = typeof sent === "string" && bytes > largeBytes
      ? encoder.encode(sent)
      : sent
    const entry: CacheEntry = {
      body: shared,
      bytes,
      etag,
      own: headers,
      batch,
      dependsOn,
      versions,
      pool,
      hits: 0,
      current: null,
      whole: null,
      unchanged: null
    }
    cache.put(key, entry)
    const now = currentSnapshot()
    if (now?.stamp.version !== stamp.version) return wholeOf(routes, entry, stamp)
    refreshHeaders(routes, entry, now)
    return entry.whole!
  }

  const get = <E>(
    routes: RevisionRoutes,
    request: HttpRequest,
    computed: Effect.Effect<ComputedResponse, E>
  ): Effect.Effect<HttpAnswer, E> => {
    const ifNoneMatch = request.headers["if-none-match"]
    const whole = Effect.mapEager(computed, (computed) => {
      counts.misses++
      return complete(routes, request, computed)
    })
    return Effect.mapEager(
      tip?.isRemote === true ? singleFlight(keyOf(routes, request), whole) : whole,
      (answer) => {
        const { etag } = answer.headers
        if (ifNoneMatch === undefined || etag === undefined || !isMatched(ifNoneMatch, etag)) {
          return answer
        }
        counts.notModified++
        return notModified(answer.headers)
      }
    )
  }

  /**
   * Computations by name. The deferred is cleared once it is done: an old table of the map keeps
   * its values until a full garbage collection.
   */
  const inFlight = new Map<string, { answer: Deferred.Deferred<HttpAnswer, unknown> | undefined }>()
  /**
   * Joins the computation of the same answer if one is in flight. It goes on if the client that
   * started it disconnects. A request never joins a computation that began before a change known to
   * this process, since its answer may lack that change.
   */
  const singleFlight = <E>(
    key: string,
    computed: Effect.Effect<HttpAnswer, E>
  ): Effect.Effect<HttpAnswer, E> =>
    Effect.suspend(() => {
      const name = `${tip!.version()} ${poolTip?.version()} ${key}`
      const known = inFlight.get(name)?.answer
      if (known !== undefined) {
        counts.shared++
        return Deferred.await(known as Deferred.Deferred<HttpAnswer, E>)
      }
      const answer = Deferred.makeUnsafe<HttpAnswer, unknown>()
      const one: { answer: typeof answer | undefined } = { answer }
      inFlight.set(name, one)
      return Effect.uninterruptible(Effect.onExit(computed, (exit) =>
        Effect.sync(() => {
          inFlight.delete(name)
          one.answer = undefined
          Deferred.doneUnsafe(answer, exit)
        })))
    })

  const stats = (): AnswerStats => ({
    ...counts,
    entries: cache.entries,
    bytes: cache.bytes,
    evictions: cache.evictions,
    bytesMax
  })
  return { lookup, get, stats, currentStamp: () => currentSnapshot()?.stamp }
}

/** An entry with so many hits is worth recomputing under load: the next hits repay it. */
const hotHitsMin = 16

const notModified = (headers: HeaderRecord): HttpAnswer => ({
  status: 304,
  headers: notModifiedHeaders(headers),
  body: ""
})
