import { Deferred, Effect } from "effect"
import type { Revision } from "../../../core/contract/mod.ts"
import { type Dependency, type SnapshotId, versionsOf } from "../../../core/ports/mod.ts"
import { type Accepted, Compressor } from "../compression/mod.ts"
import {
  type AnswerStats,
  bytesOf,
  cacheControl,
  type HeaderRecord,
  type HttpAnswer,
  largeBytes,
  notModifiedHeaders,
  utf8Body
} from "../message/mod.ts"
import type { ComputedResponse } from "../routes/mod.ts"
import { contentTag, LedgerTags, matchedTag } from "./_entity_tag.ts"
import { LruCache } from "./_lru_cache.ts"
import type { Entry, KnownSnapshot, ReadRequest, ResponseCacheOptions } from "./entry.ts"

const noHeaders: HeaderRecord = {}

/** Estimated bytes of an entry besides body and key: the object, its headers, its slot in the map. */
const entryBytes = 1500

/** How to compute an answer that is not cached. */
export interface Computation<Read, E> {
  /** Runs an effect if the request is admitted, and fails if it is not. */
  readonly admit: <A>(read: Read, run: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly compute: (read: Read) => Effect.Effect<ComputedResponse, E>
}

/**
 * Caches answers until one of their dependencies changes, and confirms their entity tags. The headers
 * of a cached answer name the latest known snapshot, in which the answer would be the same. It buys
 * the rows "cached" of test/bench/RESULTS.md; `--answers-bytes-max 0` disables it.
 */
export class ResponseCache {
  readonly #options: ResponseCacheOptions
  readonly #entries: LruCache<Entry>
  readonly #tags: ReadonlyMap<Revision, LedgerTags>
  readonly #flights = new Map<string, Flight>()
  readonly #counts = { hits: 0, misses: 0, notModified: 0, shared: 0 }
  readonly #compressor: Compressor
  /** The snapshot of the answer that was computed last. */
  #computed: KnownSnapshot | null = null

  constructor(options: ResponseCacheOptions) {
    const { bytesMax, compression, program, revisions, latestVersion } = options
    this.#options = options
    this.#entries = new LruCache(bytesMax)
    this.#compressor = new Compressor(compression)
    this.#tags = new Map(
      latestVersion === null
        ? []
        : revisions.map((each) => [each, new LedgerTags(latestVersion.id, each, program)])
    )
  }

  /**
   * Answers with a 304 if the client has the answer, with the cached answer if it is current, and
   * otherwise with a computed one. Only the last reads the store. Equal requests share a computation
   * that reads a remote store.
   */
  answer<Read extends ReadRequest, E>(
    read: Read,
    { admit, compute }: Computation<Read, E>
  ): Effect.Effect<HttpAnswer, E> {
    const { request: { headers, url }, routes } = read
    const accepted = this.#compressor.negotiate(headers["accept-encoding"])
    const key = keyOf(read)
    // a body that does not declare its length has to be read first
    const now = headers["transfer-encoding"] === undefined ? this.#latest() : null
    if (now !== null) {
      const entry = this.#currentEntry(read, key, now)
      if (entry !== undefined) return this.#respond(read, accepted, entry, true)
      const unread = headers["if-none-match"] === undefined ? undefined : this.#notModified(
        read,
        accepted,
        this.#tags.get(routes.revision)!.currentTags(
          url,
          (dependsOn) => this.#versionsAt(dependsOn, now)
        ),
        (tag) => this.#headers(read, now.snapshotId, tag)
      )
      if (unread !== undefined) return unread
    }
    const found = admit(read, () => {
      const computed = Effect.mapEager(
        compute(read),
        (computed) => this.#store(read, key, computed, now)
      )
      return this.#options.latestVersion?.isRemote === true ? this.#share(key, computed) : computed
    })
    return Effect.flatMapEager(
      found,
      (found) =>
        "status" in found ? Effect.succeed(found) : this.#respond(read, accepted, found, false)
    )
  }

  /** Returns the id of the latest snapshot, or undefined if it is unknown. */
  latestSnapshotId(): SnapshotId | undefined {
    return this.#latest()?.snapshotId
  }

  stats(): AnswerStats {
    const { bytes, bytesMax, evictions, size } = this.#entries
    return {
      ...this.#counts,
      entries: size,
      bytes,
      evictions,
      bytesMax,
      encodings: this.#compressor.stats
    }
  }

  /** Returns the latest snapshot; null if its version, block or batch is unknown. */
  #latest(): KnownSnapshot | null {
    const version = this.#options.latestVersion?.version() ?? null
    if (version === null) return null
    const computed = this.#computed
    return this.#options.latestVersion!.snapshot?.(version) ??
      (computed?.snapshotId.version === version ? computed : null)
  }

  #versionsAt(dependsOn: ReadonlyArray<Dependency>, { parts, snapshotId }: KnownSnapshot): string {
    if (dependsOn.length === 0) return ""
    // any part may have changed
    return parts === null
      ? `*${snapshotId.version.toString(36)}`
      : versionsOf(dependsOn, { parts, snapshotId }, this.#options.constants)
  }

  /** Returns the cached entry if it is current, with headers that name the snapshot. */
  #currentEntry(read: ReadRequest, key: string, now: KnownSnapshot): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.current === now) return entry
    if (entry.versions !== this.#versionsAt(entry.dependsOn, now)) return undefined
    entry.current = now
    entry.answer = { ...entry.answer, headers: this.#entryHeaders(read, now.snapshotId, entry) }
    return entry
  }

  /**
   * Shares a computation with the requests of the same key. None joins a computation that started
   * before the last change known to this process, since the answer may lack that change. Nothing is
   * shared while changes may be unknown.
   */
  #share<A, E>(key: string, computation: Effect.Effect<A, E>): Effect.Effect<A, E> {
    const { latestPoolVersion, latestVersion } = this.#options
    const versions = [latestVersion?.version(), latestPoolVersion?.version()]
    if (versions.includes(null)) return computation
    const name = [...versions, key].join(" ")
    // an interruption between `set` and the computation would leave an entry that never ends
    return Effect.uninterruptibleMask((restore) => {
      const running = this.#flights.get(name)?.result
      if (running !== undefined) {
        this.#counts.shared++
        return restore(Deferred.await(running as Deferred.Deferred<A, E>))
      }
      const result = Deferred.makeUnsafe<A, E>()
      const flight: Flight = { result: result as Deferred.Deferred<unknown, unknown> }
      this.#flights.set(name, flight)
      return Effect.onExit(computation, (exit) =>
        Effect.sync(() => {
          this.#flights.delete(name)
          flight.result = undefined
          Deferred.doneUnsafe(result, exit)
        }))
    })
  }

  /** Returns the answer with its entity tag, and caches it if a later request can check it. */
  #store(
    read: ReadRequest,
    key: string,
    computed: ComputedResponse,
    now: KnownSnapshot | null
  ): Entry | HttpAnswer {
    this.#counts.misses++
    const { dependsOn = [], snapshotId, status = 200 } = computed
    const [content, ownHeaders] = "json" in computed
      ? [computed.json, noHeaders]
      : [computed.body, computed.headers]
    const { request: { url }, routes: { headers, revision } } = read
    if (status !== 200) {
      return { status, body: content, headers: { ...headers(snapshotId), ...ownHeaders } }
    }
    const versions = this.#computedVersions(computed, now)
    const { body, bytes: bodyBytes } = typeof content === "string"
      ? utf8Body(content)
      : { body: content, bytes: content.length }
    const bytes = entryBytes + key.length + bodyBytes
    const isCached = versions !== null && this.#entries.accepts(bytes) &&
      // an older answer may be current again once the snapshot is known
      !(versions.startsWith("*") && this.#entries.has(key))
    const etag = versions === null
      ? contentTag(revision, content)
      : this.#tags.get(revision)!.of(url, dependsOn, versions)
    const own = { ownHeaders, etag, bodyBytes }
    const entry: Entry = {
      ...own,
      key,
      bytes,
      dependsOn,
      versions,
      compressed: new Map(),
      current: null,
      answer: {
        status: 200,
        // connections share a large body as bytes; Node copies a string for each of them
        body: isCached && bodyBytes > largeBytes ? bytesOf(body) : body,
        isAscii: typeof body === "string" && !(isCached && bodyBytes > largeBytes),
        headers: this.#entryHeaders(read, snapshotId, own)
      }
    }
    if (isCached) this.#entries.put(entry)
    return entry
  }

  /**
   * Returns the versions of the dependencies of an answer; null if it may change without them.
   *
   * @param now the latest snapshot when the request arrived: in most cases that of the answer
   */
  #computedVersions(
    { dependsOn, snapshotId }: ComputedResponse,
    now: KnownSnapshot | null
  ): string | null {
    const { latestVersion } = this.#options
    if (dependsOn === undefined || snapshotId === undefined || latestVersion === null) return null
    const { version } = snapshotId
    if (this.#computed?.snapshotId.version !== version) this.#computed = { snapshotId, parts: null }
    const known = now !== null && now.parts !== null && now.snapshotId.version === version
      ? now
      : latestVersion.snapshot?.(version)
    return this.#versionsAt(dependsOn, { snapshotId, parts: known?.parts ?? null })
  }

  #entryHeaders(
    read: ReadRequest,
    snapshotId: SnapshotId | undefined,
    { bodyBytes, etag, ownHeaders }: Pick<Entry, "bodyBytes" | "etag" | "ownHeaders">
  ): HeaderRecord {
    return {
      ...this.#headers(read, snapshotId, etag),
      ...ownHeaders,
      "content-length": `${bodyBytes}`
    }
  }

  #headers(
    { batch, routes }: ReadRequest,
    snapshotId: SnapshotId | undefined,
    etag: string
  ): HeaderRecord {
    const last = snapshotId?.batchNum ?? null
    const isFinal = batch !== null && last !== null &&
      batch <= last - this.#options.finalAfterBatches
    return {
      ...routes.headers(snapshotId),
      "cache-control": isFinal ? cacheControl.final : cacheControl.revalidated,
      etag
    }
  }

  /** Returns a 304 if the client has the answer, and otherwise the answer in its coding. */
  #respond(
    read: ReadRequest,
    accepted: Accepted,
    entry: Entry,
    isHit: boolean
  ): Effect.Effect<HttpAnswer> {
    const { answer, etag } = entry
    const notModified = this.#notModified(
      read,
      accepted,
      (tag) => tag === etag || tag === "*",
      (tag) => ({ ...answer.headers, etag: tag === "*" ? etag : tag })
    )
    if (notModified !== undefined) return notModified
    if (isHit) this.#counts.hits++
    return this.#compressor.encode(
      entry,
      accepted,
      (bytes) => this.#entries.grow(entry, bytes)
    )
  }

  /** Returns a 304 if the client names the tag of the current answer; undefined if it does not. */
  #notModified(
    { request: { headers } }: ReadRequest,
    accepted: Accepted,
    isCurrent: (tag: string) => boolean,
    headersOf: (tag: string) => HeaderRecord
  ): Effect.Effect<HttpAnswer> | undefined {
    const tag = matchedTag(headers["if-none-match"], accepted, isCurrent)
    if (tag === undefined) return undefined
    this.#counts.notModified++
    return Effect.succeed({ status: 304, headers: notModifiedHeaders(headersOf(tag)), body: "" })
  }
}

/**
 * A computation that requests share. Its result is cleared when it ends: V8 may retain deleted
 * values of a map until a full garbage collection.
 */
interface Flight {
  result: Deferred.Deferred<unknown, unknown> | undefined
}

/** Returns the key of the entry: the URL, and the revision if more than the URL selects it. */
const keyOf = (
  { request: { basePath, headers, url }, routes: { revision } }: ReadRequest
): string =>
  headers["api-revision"] === undefined && basePath === undefined ? url : `${revision.name} ${url}`
