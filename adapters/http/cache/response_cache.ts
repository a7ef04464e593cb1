import { Effect } from "effect"
import type { NetworkConstants } from "../../../core/domain/mod.ts"
import {
  type LedgerSnapshot,
  type LedgerStamp,
  type LedgerTip,
  type PoolTip,
  poolVersion,
  versionsOf
} from "../../../core/ports/mod.ts"
import type { Answer } from "../../../core/use_cases/mod.ts"
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
import type { Accepted, CompressionOptions } from "../compression/mod.ts"
import type { ComputedResponse, RevisionRoutes } from "../routes/mod.ts"
import { type EncodedBodies, makeEncoder } from "./_encoder.ts"
import {
  codedTag,
  contentTag,
  type DependencyVersions,
  type LedgerTags,
  makeLedgerTags,
  matchedTag
} from "./_entity_tag.ts"
import { GenerationalCache } from "./_generational_cache.ts"
import { makeSingleFlight } from "./_single_flight.ts"

const textEncoder = new TextEncoder()

export interface ResponseCacheOptions {
  readonly tip: LedgerTip | null
  readonly poolTip: PoolTip | null
  readonly constants: NetworkConstants
  /** Maximum bytes of the cached answers; 0 disables the cache. */
  readonly bytesMax: number
  /**
   * Identifies program and configuration: everything that determines the text of an answer, besides
   * ledger, revision and URL.
   */
  readonly program: string
  /** Number of later batches after which a batch is final: too deep for a rollback. */
  readonly finalAfterBatches: number
  readonly nowMs: () => number
  readonly compression: CompressionOptions
}

/** The newest snapshot known to this process. */
interface CurrentSnapshot {
  readonly stamp: LedgerStamp
  /** Null if only the stamp is known. */
  readonly snapshot: LedgerSnapshot | null
}

/** The parts of an answer that do not change while its dependencies do not change. */
interface Content {
  /**
   * A string if it is ASCII: Node writes headers and string in one chunk, but headers and bytes in
   * two, which is slower.
   */
  readonly body: string | Uint8Array
  readonly bodyBytes: number
  readonly etag: string
  /** Headers besides those of every answer. */
  readonly ownHeaders: HeaderRecord
  /** The batch whose finality makes the answer immutable. */
  readonly batch: number | null
}

interface CacheEntry extends Content, DependencyVersions {
  readonly pool: Answer["pool"]
  /** Bytes of the body, and of the compressed bodies. */
  bytes: number
  readonly encoded: EncodedBodies
  /** Number of requests answered from the cache. */
  hits: number
  /** The snapshot that the headers of the two answers name. */
  current: CurrentSnapshot | null
  fullAnswer: HttpAnswer | null
  /** The last 304, if its headers are still current. */
  notModifiedAnswer: HttpAnswer | null
}

/** A computed answer, and its entry if it was cached. */
interface Completed {
  readonly answer: HttpAnswer
  readonly entry: CacheEntry | null
}

/**
 * Returns a cache of answers. An entry is current until one of its dependencies changes; a client
 * that already has it gets a 304. The headers of a cached answer name the newest known snapshot, in
 * which the answer would be the same. Concurrent requests for the same answer share one
 * computation.
 */
export const makeResponseCache = (
  { bytesMax, compression, constants, finalAfterBatches, nowMs, poolTip, program, tip }:
    ResponseCacheOptions
) => {
  const encoder = makeEncoder(compression)
  const cache = new GenerationalCache<CacheEntry>(bytesMax, nowMs)
  const flights = makeSingleFlight<Completed>()
  const counts = { hits: 0, misses: 0, notModified: 0 }
  const tagsOf = new Map<string, LedgerTags>()
  const tagsFor = ({ revision }: RevisionRoutes): LedgerTags => {
    let tags = tagsOf.get(revision.name)
    if (tags === undefined) {
      tagsOf.set(revision.name, tags = makeLedgerTags(tip!, revision, program))
    }
    return tags
  }
  const versionsAt = (
    dependsOn: DependencyVersions["dependsOn"],
    version: number,
    snapshot: LedgerSnapshot | null
  ): string =>
    // without a snapshot the versions of the parts are unknown: any part may have changed
    dependsOn.length === 0
      ? ""
      : snapshot === null
      ? `*${version.toString(36)}`
      : versionsOf(dependsOn, snapshot, constants)

  let latest: CurrentSnapshot | null = null
  let lastComputedStamp: LedgerStamp | undefined
  /** Returns the newest snapshot, or null if its version, block or batch is unknown. */
  const currentSnapshot = (): CurrentSnapshot | null => {
    const version = tip?.version() ?? null
    if (version === null) return null
    if (latest !== null && latest.stamp.version === version && latest.snapshot !== null) {
      return latest
    }
    const snapshot = tip!.snapshot?.(version) ?? null
    const stamp = snapshot?.stamp ?? lastComputedStamp
    if (stamp?.version !== version) return null
    return latest?.stamp.version === version && latest.snapshot === snapshot
      ? latest
      : latest = { stamp, snapshot }
  }

  const isCurrent = (entry: CacheEntry, now: CurrentSnapshot): boolean =>
    (entry.current === now ||
      entry.versions === versionsAt(entry.dependsOn, now.stamp.version, now.snapshot)) &&
    (entry.pool === undefined ||
      entry.pool.version === poolVersion(poolTip, entry.pool.key))
  const refreshHeaders = (
    routes: RevisionRoutes,
    entry: CacheEntry,
    now: CurrentSnapshot
  ): void => {
    entry.current = now
    entry.fullAnswer = fullAnswer(routes, entry, now.stamp)
    entry.notModifiedAnswer = null
  }
  const cachingOf = (batch: number | null, { batchNum }: LedgerStamp): string =>
    batch !== null && batchNum !== null && batch <= batchNum - finalAfterBatches
      ? cacheControl.final
      : cacheControl.tip
  const fullAnswer = (
    routes: RevisionRoutes,
    { batch, body, bodyBytes, etag, ownHeaders }: Content,
    stamp: LedgerStamp
  ): HttpAnswer => ({
    status: 200,
    body,
    isAscii: typeof body === "string",
    headers: {
      ...routes.headers(stamp),
      ...ownHeaders,
      "cache-control": cachingOf(batch, stamp),
      etag,
      "content-length": `${bodyBytes}`
    }
  })

  /** Returns the cache key: the URL, and the revision if more than the URL selects it. */
  const keyOf = ({ revision }: RevisionRoutes, { basePath, headers, url }: HttpRequest): string =>
    headers["api-revision"] === undefined && basePath === undefined
      ? url
      : `${revision.name} ${url}`

  /**
   * Returns a cached answer or a 304, without reading the store. Returns "stale-hot" if the entry
   * is stale and has had many hits, so that the caller recomputes it even under load. Returns
   * undefined otherwise.
   *
   * @param batchOf returns the batch of the answer, as `ComputedResponse.batch`
   */
  const lookup = (
    routes: RevisionRoutes,
    request: HttpRequest,
    batchOf: () => number | null
  ): Effect.Effect<HttpAnswer> | "stale-hot" | undefined => {
    const { headers, method, url } = request
    if (
      !(method === "GET" || method === "HEAD") || headers["content-length"] !== undefined ||
      headers["transfer-encoding"] !== undefined
    ) return undefined
    const now = currentSnapshot()
    if (now === null) return undefined
    const ifNoneMatch = headers["if-none-match"]
    const accepted = encoder.accepted(request)
    const key = keyOf(routes, request)
    const entry = cache.get(key)
    let staleness: "stale-hot" | undefined
    if (entry !== undefined) {
      if (isCurrent(entry, now)) {
        entry.hits++
        if (entry.current !== now) refreshHeaders(routes, entry, now)
        const unchanged = confirm(request, accepted, entry.fullAnswer!, entry)
        if (unchanged !== undefined) return Effect.succeed(unchanged)
        counts.hits++
        return encoder.encode(entry.fullAnswer!, accepted, entry.encoded)
      }
      if (entry.hits >= hotHitsMin) staleness = "stale-hot"
    }
    if (ifNoneMatch === undefined) return staleness
    const etag = matchedTag(ifNoneMatch, accepted, (tag) => {
      // a client can only have the tag if it received this answer
      const tagged = tagsFor(routes).read(url, tag)
      return tagged !== undefined &&
        tagged.versions === versionsAt(tagged.dependsOn, now.stamp.version, now.snapshot)
    })
    if (etag === undefined) return staleness
    counts.notModified++
    return Effect.succeed(notModified({
      ...routes.headers(now.stamp),
      "cache-control": cachingOf(batchOf(), now.stamp),
      etag
    }))
  }

  /** Returns a 304 if the client has the answer in a coding that it accepts. */
  const confirm = (
    request: HttpRequest,
    accepted: Accepted,
    { headers, status }: HttpAnswer,
    entry: CacheEntry | null
  ): HttpAnswer | undefined => {
    const ifNoneMatch = request.headers["if-none-match"]
    const { etag } = headers
    if (ifNoneMatch === undefined || etag === undefined || status !== 200) return undefined
    const preferred = codedTag(etag, accepted[0]?.name)
    const tag = ifNoneMatch === preferred
      ? preferred
      : matchedTag(ifNoneMatch, accepted, (tag) => tag === etag || tag === "*")
    if (tag === undefined) return undefined
    counts.notModified++
    const confirmed = tag === "*" ? etag : tag
    const known = entry?.notModifiedAnswer
    if (known?.headers.etag === confirmed) return known
    const answer = notModified({ ...headers, etag: confirmed })
    if (entry?.fullAnswer?.headers === headers) entry.notModifiedAnswer = answer
    return answer
  }

  /**
   * Adds the entity tag to an answer, and caches it if a later lookup can check whether it is
   * current.
   */
  const complete = (
    routes: RevisionRoutes,
    request: HttpRequest,
    { batch = null, body, dependsOn, headers, pool, stamp, status }: ComputedResponse
  ): Completed => {
    if (status !== 200 || dependsOn === undefined || stamp === undefined || tip === null) {
      const plain = { ...routes.headers(stamp), ...headers }
      const tagged = status === 200
        ? { ...plain, "cache-control": cacheControl.tip, etag: contentTag(routes.revision, body) }
        : plain
      return { answer: { status, body, headers: tagged }, entry: null }
    }
    lastComputedStamp = stamp
    const snapshot = tip.snapshot?.(stamp.version) ?? null
    const versions = versionsAt(dependsOn, stamp.version, snapshot)
    // versions of the pool are local to this process
    const etag = pool === undefined
      ? tagsFor(routes).write(request.url, { dependsOn, versions })
      : contentTag(routes.revision, body)
    const utf8 = typeof body === "string" ? utf8Body(body) : { body, bytes: body.length }
    const { bytes } = utf8
    const content: Content = {
      body: utf8.body,
      bodyBytes: bytes,
      etag,
      ownHeaders: headers,
      batch
    }
    const key = keyOf(routes, request)
    if (
      pool?.version === null || (snapshot === null && cache.get(key) !== undefined) ||
      !cache.accepts(key, { bytes })
    ) return { answer: fullAnswer(routes, content, stamp), entry: null }
    const entry: CacheEntry = {
      ...content,
      // connections share a large body as bytes; Node copies a string for each of them
      body: typeof content.body === "string" && bytes > largeBytes
        ? textEncoder.encode(content.body)
        : content.body,
      bytes,
      encoded: {
        done: new Map(),
        pending: new Map(),
        keep: (bytes) => cache.grow(key, entry, bytes)
      },
      dependsOn,
      versions,
      pool,
      hits: 0,
      current: null,
      fullAnswer: null,
      notModifiedAnswer: null
    }
    cache.put(key, entry)
    const now = currentSnapshot()
    if (now?.stamp.version !== stamp.version) {
      return { answer: fullAnswer(routes, entry, stamp), entry }
    }
    refreshHeaders(routes, entry, now)
    return { answer: entry.fullAnswer!, entry }
  }

  /** Computes an answer after `lookup` has returned none, and caches it. */
  const get = <E>(
    routes: RevisionRoutes,
    request: HttpRequest,
    computed: Effect.Effect<ComputedResponse, E>
  ): Effect.Effect<HttpAnswer, E> => {
    const accepted = encoder.accepted(request)
    const completed = Effect.mapEager(computed, (computed) => {
      counts.misses++
      return complete(routes, request, computed)
    })
    return Effect.flatMapEager(
      tip?.isRemote === true
        // a request never joins a computation that started before the last change known to this
        // process, since the answer may lack that change
        ? flights.join(
          `${tip.version()} ${poolTip?.version()} ${keyOf(routes, request)}`,
          completed
        )
        : completed,
      ({ answer, entry }) => {
        const unchanged = confirm(request, accepted, answer, entry)
        if (unchanged !== undefined) return Effect.succeed(unchanged)
        return answer.status === 200
          ? encoder.encode(answer, accepted, entry?.encoded ?? null)
          : Effect.succeed(answer)
      }
    )
  }

  const stats = (): AnswerStats => ({
    ...counts,
    shared: flights.joined(),
    entries: cache.entries,
    bytes: cache.bytes,
    evictions: cache.evictions,
    bytesMax,
    encodings: encoder.stats
  })
  return { lookup, get, stats, currentStamp: () => currentSnapshot()?.stamp }
}

/** Number of hits from which on a stale entry is recomputed even under load. */
const hotHitsMin = 16

const notModified = (headers: HeaderRecord): HttpAnswer => ({
  status: 304,
  headers: notModifiedHeaders(headers),
  body: ""
})
