import { Deferred, Effect } from "effect"
import type {
  LatestLedgerVersion,
  LatestPoolVersion,
  LedgerSnapshot,
  SnapshotId
} from "../../../core/ports/mod.ts"
import { type Compressible, type CompressionOptions, Compressor } from "../compression/mod.ts"
import type { Answers, Computation, RoutedRequest } from "../dispatch/mod.ts"
import {
  bytesOf,
  cacheControl,
  type HeaderRecord,
  type HttpAnswer,
  isStream,
  largeBytes,
  notModifiedHeaders,
  type WholeAnswer,
  withBody
} from "../message/mod.ts"
import type { ComputedResponse } from "../routes/mod.ts"
import { contentTag, LedgerTags, type LedgerTagsOptions, matchedTag } from "./_entity_tag.ts"

export interface ResponseCacheOptions extends Omit<LedgerTagsOptions, "ledgerId"> {
  /** The latest version of the ledger; null if the store does not report versions. */
  readonly latestVersion: LatestLedgerVersion | null
  readonly latestPoolVersion: LatestPoolVersion | null
  /** Maximum bytes of the cached answers; 0 disables the cache. */
  readonly bytesMax: number
  /** Number of later batches after which a batch is final: too deep for a rollback. */
  readonly finalAfterBatches: number
  readonly compression: CompressionOptions
}

/** An answer with status 200. */
interface Entry extends Bounded, Compressible {
  /** Headers besides those of every answer. */
  readonly ownHeaders: HeaderRecord
  answer: WholeAnswer
  /** The snapshot that the headers name; null if it is unknown. */
  snapshot: LedgerSnapshot | null
}

/** Estimated bytes of an entry besides body and key: the object, its headers, its slot in the map. */
const entryBytes = 1500

/**
 * Caches answers until one of their dependencies changes, and confirms their entity tags. The headers
 * of a cached answer name the latest known snapshot, in which the answer would be the same. It buys
 * the rows "cached" of test/bench/RESULTS.md; `--answers-bytes-max 0` disables it.
 */
export class ResponseCache implements Answers {
  readonly #options: ResponseCacheOptions
  readonly entries: BoundedEntries<Entry>
  /** Null if the store does not report versions. */
  readonly #tags: LedgerTags | null
  /** The running computations that requests share. */
  readonly #shared = new Map<string, Deferred.Deferred<unknown, unknown>>()
  /** Answers since the start, by source. */
  readonly counts = { hit: 0, miss: 0, notModified: 0, shared: 0 }
  readonly compressor: Compressor

  constructor(options: ResponseCacheOptions) {
    const { bytesMax, compression, latestVersion } = options
    this.#options = options
    this.entries = new BoundedEntries(bytesMax)
    this.compressor = new Compressor(compression)
    this.#tags = latestVersion && new LedgerTags({ ...options, ledgerId: latestVersion.id })
  }

  /**
   * Answers with a 304 if the client has the answer, with the cached answer if it is current, and
   * otherwise with a computed one. Only the last reads the store. Equal requests share a computation
   * that reads a remote store.
   */
  answer<E>(read: RoutedRequest, { admit, compute }: Computation<E>): Effect.Effect<HttpAnswer, E> {
    const { basePath, headers, url } = read.request
    // the URL alone selects the revision in most cases
    const key = headers["api-revision"] === undefined && basePath === undefined
      ? url
      : `${read.routes.revision} ${url}`
    // a body that does not declare its length has to be read first
    const now = headers["transfer-encoding"] === undefined ? this.#snapshot() : null
    if (now !== null) {
      const entry = this.#currentEntry(read, key, now)
      if (entry !== undefined) return this.#respond(read, entry, true)
      const { isCurrent } = this.#tags!.at(read, now)
      const accepted = this.compressor.negotiate(headers["accept-encoding"])
      const tag = matchedTag(headers["if-none-match"], accepted, isCurrent)
      if (tag !== undefined) return this.#notModified(this.#headers(read, now.snapshotId, tag))
    }
    const found = admit(read, () => {
      const stored = Effect.mapEager(compute(read), (computed) => this.#store(read, key, computed))
      return this.#options.latestVersion?.isRemote === true ? this.#share(key, stored) : stored
    })
    return Effect.flatMapEager(
      found,
      (found) => "status" in found ? Effect.succeed(found) : this.#respond(read, found, false)
    )
  }

  latestSnapshotId(): SnapshotId | undefined {
    return this.#snapshot()?.snapshotId
  }

  /** Returns a snapshot by its version, by default the latest one; null if it is unknown. */
  #snapshot(version = this.#options.latestVersion?.version() ?? null): LedgerSnapshot | null {
    return version === null ? null : this.#options.latestVersion?.snapshot?.(version) ?? null
  }

  /** Returns the cached entry if it is current, with headers that name the snapshot. */
  #currentEntry(read: RoutedRequest, key: string, now: LedgerSnapshot): Entry | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined || entry.snapshot === now) return entry
    if (!this.#tags!.at(read, now).isCurrent(entry.etag)) return undefined
    const headers = { ...this.#headers(read, now.snapshotId, entry.etag), ...entry.ownHeaders }
    entry.snapshot = now
    entry.answer = { ...entry.answer, headers }
    return entry
  }

  /**
   * Shares a computation with the requests of the same key. None joins a computation that started
   * before the last change known to this process, since the answer may lack that change. Nothing is
   * shared while changes may be unknown.
   * It buys the row "one token, from the database" of test/bench/RESULTS.md; it is off for a store
   * whose `LatestLedgerVersion` is not remote.
   */
  #share<A, E>(key: string, computation: Effect.Effect<A, E>): Effect.Effect<A, E> {
    const { latestPoolVersion, latestVersion } = this.#options
    const versions = [latestVersion?.version(), latestPoolVersion?.version()]
    if (versions.includes(null)) return computation
    const name = [...versions, key].join(" ")
    // an interruption between `set` and the computation would leave an entry that never ends
    return Effect.uninterruptibleMask((restore) => {
      const running = this.#shared.get(name)
      if (running !== undefined) {
        this.counts.shared++
        return restore(Deferred.await(running as Deferred.Deferred<A, E>))
      }
      const result = Deferred.makeUnsafe<A, E>()
      this.#shared.set(name, result as Deferred.Deferred<unknown, unknown>)
      return Effect.onExit(computation, (exit) =>
        Effect.sync(() => {
          this.#shared.delete(name)
          Deferred.doneUnsafe(result, exit)
        }))
    })
  }

  /** Returns the answer with its entity tag, and caches it if a later request can check it. */
  #store(read: RoutedRequest, key: string, computed: ComputedResponse): Entry | HttpAnswer {
    this.counts.miss++
    const { routes } = read
    const { dependsOn, snapshotId, status = 200 } = computed
    const content = "json" in computed ? { status, headers: {}, body: computed.json } : computed
    const full = content.body
    if (status !== 200 || isStream(full)) {
      return { ...content, headers: { ...routes.headers(snapshotId), ...content.headers } }
    }
    const snapshot = snapshotId === undefined ? null : this.#snapshot(snapshotId.version)
    const isChecked = dependsOn !== undefined && snapshot !== null
    const etag = isChecked
      ? this.#tags!.at(read, snapshot).of(dependsOn)
      : contentTag(routes.revision, full)
    const { body: plain, headers: ownHeaders } = withBody(content, full)
    const bytes = entryBytes + key.length + plain.length
    const isCached = isChecked && bytes <= this.#options.bytesMax
    const body = isCached && plain.length > largeBytes ? bytesOf(plain) : plain
    const entry: Entry = {
      key,
      bytes,
      etag,
      ownHeaders,
      snapshot,
      compressed: new Map(),
      answer: {
        status: 200,
        headers: { ...this.#headers(read, snapshotId, etag), ...ownHeaders },
        body
      }
    }
    if (isCached) this.entries.put(entry)
    return entry
  }

  /** Returns the headers of an answer and of its 304. */
  #headers(
    { batch, routes }: RoutedRequest,
    snapshotId: SnapshotId | undefined,
    etag: string
  ): HeaderRecord {
    const last = snapshotId?.batchNum ?? -Infinity
    const isFinal = batch !== null && batch <= last - this.#options.finalAfterBatches
    return {
      ...routes.headers(snapshotId),
      "cache-control": isFinal ? cacheControl.final : cacheControl.revalidated,
      etag
    }
  }

  /** Returns a 304 if the client has the answer, and otherwise the answer in its coding. */
  #respond(
    { request: { headers } }: RoutedRequest,
    entry: Entry,
    isHit: boolean
  ): Effect.Effect<HttpAnswer> {
    const { answer, etag } = entry
    const isCurrent = (tag: string) => tag === etag || tag === "*"
    const accepted = this.compressor.negotiate(headers["accept-encoding"])
    const tag = matchedTag(headers["if-none-match"], accepted, isCurrent)
    if (tag !== undefined) {
      return this.#notModified({ ...answer.headers, etag: tag === "*" ? etag : tag })
    }
    if (isHit) this.counts.hit++
    return this.compressor.encode(entry, accepted, (bytes) => this.entries.grow(entry, bytes))
  }

  #notModified(full: HeaderRecord): Effect.Effect<HttpAnswer> {
    this.counts.notModified++
    return Effect.succeed({ status: 304, headers: notModifiedHeaders(full), body: "" })
  }
}

/** A member of `BoundedEntries`. */
interface Bounded {
  readonly key: string
  /** Bytes of the entry with the compressed bodies that are kept. */
  bytes: number
}

/** Entries by key, at most `bytesMax` bytes. The least recently used ones are evicted. */
export class BoundedEntries<Entry extends Bounded> {
  readonly bytesMax: number
  /** The least recently used entry first. */
  readonly #entries = new Map<string, Entry>()
  /** The last one of `#entries`, which need not be moved when it is used again. */
  #newest: Entry | undefined
  /** Bytes of all entries, including stale ones. */
  bytes = 0
  /** Entries dropped to make room. */
  evictions = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry !== undefined && entry !== this.#newest) this.#append(entry)
    return entry
  }

  /** Adds an entry that fits alone. It replaces the one with its key. */
  put(entry: Entry): void {
    this.bytes += entry.bytes - (this.#entries.get(entry.key)?.bytes ?? 0)
    this.#append(entry)
    this.#evict()
  }

  /** Adds bytes to an entry, unless it is not cached any more or would not fit alone. */
  grow(entry: Entry, bytes: number): boolean {
    if (this.get(entry.key) !== entry || entry.bytes + bytes > this.bytesMax) return false
    entry.bytes += bytes
    this.bytes += bytes
    this.#evict()
    return true
  }

  #append(entry: Entry): void {
    this.#entries.delete(entry.key)
    this.#entries.set(entry.key, entry)
    this.#newest = entry
  }

  #evict(): void {
    for (const [key, { bytes }] of this.#entries) {
      if (this.bytes <= this.bytesMax) break
      this.#entries.delete(key)
      this.bytes -= bytes
      this.evictions++
    }
  }
}
