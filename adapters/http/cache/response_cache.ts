import { Effect } from "effect"
import type { Revision } from "../../../core/contract/mod.ts"
import type { NetworkConstants } from "../../../core/domain/mod.ts"
import {
  type LedgerSnapshot,
  type LedgerStamp,
  type LedgerTip,
  type PoolTip,
  versionsOf
} from "../../../core/ports/mod.ts"
import { type Accepted, type CompressionOptions, makeNegotiator } from "../compression/mod.ts"
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
import { type Compressible, type Compressor, encode, makeCompressor } from "./_compression.ts"
import {
  contentTag,
  type DependencyVersions,
  type LedgerTags,
  makeLedgerTags,
  matchedTag
} from "./_entity_tag.ts"
import { LruCache } from "./_lru_cache.ts"
import { makeSingleFlight } from "./_single_flight.ts"

const textEncoder = new TextEncoder()

export interface ResponseCacheOptions {
  readonly tip: LedgerTip | null
  readonly poolTip: PoolTip | null
  readonly constants: NetworkConstants
  readonly revisions: ReadonlyArray<Revision>
  /** Maximum bytes of the cached answers; 0 disables the cache. */
  readonly bytesMax: number
  /**
   * Identifies program and configuration: everything that determines the text of an answer, besides
   * ledger, revision and URL.
   */
  readonly program: string
  /** Number of later batches after which a batch is final: too deep for a rollback. */
  readonly finalAfterBatches: number
  readonly compression: CompressionOptions
}

/** A snapshot, of which only the stamp may be known. */
interface KnownSnapshot {
  readonly stamp: LedgerStamp
  readonly snapshot: LedgerSnapshot | null
}

/** An answer, and what makes it current. */
interface Entry extends Compressible {
  readonly key: string
  answer: HttpAnswer
  /** Bytes of the body, and of the compressed bodies that are kept. */
  bytes: number
  /** Headers besides those of every answer. */
  readonly ownHeaders: HeaderRecord
  readonly etag: string
  readonly bodyBytes: number
  /** Null if the answer may change without the ledger. */
  readonly depends: DependencyVersions | null
  /** The snapshot that the headers name; null until the first hit. */
  current: KnownSnapshot | null
}

/** A GET or HEAD request for a resource. */
export interface ReadRequest {
  readonly request: HttpRequest
  readonly routes: RevisionRoutes
  /** The batch whose finality makes the answer immutable; null if there is none. */
  readonly batch: number | null
}

/** How to compute an answer that is not cached. */
export interface Computation<E> {
  /** Runs the rest once the request is admitted, and fails if it is refused. */
  readonly admit: <A>(run: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly compute: () => Effect.Effect<ComputedResponse, E>
}

/**
 * Caches answers until one of their dependencies changes, and confirms their entity tags. The headers
 * of a cached answer name the newest known snapshot, in which the answer would be the same. It buys
 * the rows "cached" of test/bench/RESULTS.md; `--answers-bytes-max 0` disables it.
 */
export class ResponseCache {
  readonly #options: ResponseCacheOptions
  readonly #entries: LruCache<Entry>
  readonly #flights = makeSingleFlight<Entry | HttpAnswer>()
  readonly #negotiate: (header: HttpRequest["headers"][string]) => Accepted
  readonly #compressor: Compressor
  readonly #tags: ReadonlyMap<Revision, LedgerTags>
  readonly #counts = { hits: 0, misses: 0, notModified: 0 }
  #latest: KnownSnapshot | null = null
  #lastComputedStamp: LedgerStamp | undefined

  constructor(options: ResponseCacheOptions) {
    const { bytesMax, compression, program, revisions, tip } = options
    this.#options = options
    this.#entries = new LruCache(bytesMax)
    this.#negotiate = makeNegotiator(compression.codings)
    this.#compressor = makeCompressor(compression)
    this.#tags = new Map(
      tip === null ? [] : revisions.map((each) => [each, makeLedgerTags(tip, each, program)])
    )
  }

  /**
   * Answers with a 304 if the client has the answer, with the cached answer if it is current, and
   * otherwise with a computed one. Only the last reads the store.
   */
  answer<E>(read: ReadRequest, computation: Computation<E>): Effect.Effect<HttpAnswer, E> {
    const { headers } = read.request
    const accepted = this.#negotiate(headers["accept-encoding"])
    // a body that does not declare its length has to be read first
    const now = headers["transfer-encoding"] === undefined ? this.currentSnapshot() : null
    if (now !== null) {
      const entry = this.#currentEntry(read, now)
      if (entry !== undefined) return this.#respond(read, accepted, entry, true)
      const { url } = read.request
      const tags = this.#tags.get(read.routes.revision)!
      const confirmed = matchedTag(headers["if-none-match"], accepted, (tag) => {
        // a client can only have the tag if it received this answer
        const known = tags.read(url, tag)
        return known !== undefined && known.versions === this.#versionsAt(known.dependsOn, now)
      })
      if (confirmed !== undefined) {
        return this.#notModified({
          ...read.routes.headers(now.stamp),
          "cache-control": this.#cacheControl(read, now.stamp),
          etag: confirmed
        })
      }
    }
    return Effect.flatMapEager(
      computation.admit(() => this.#computed(read, computation.compute)),
      (found) =>
        "status" in found ? Effect.succeed(found) : this.#respond(read, accepted, found, false)
    )
  }

  /** Returns the newest snapshot, or null if its version, block or batch is unknown. */
  currentSnapshot(): KnownSnapshot | null {
    const { tip } = this.#options
    const version = tip?.version() ?? null
    if (version === null) return null
    const latest = this.#latest
    if (latest?.stamp.version === version && latest.snapshot !== null) return latest
    const snapshot = tip!.snapshot?.(version) ?? null
    const stamp = snapshot?.stamp ?? this.#lastComputedStamp
    if (stamp?.version !== version) return null
    return latest?.stamp.version === version && latest.snapshot === snapshot
      ? latest
      : this.#latest = { stamp, snapshot }
  }

  stats(): AnswerStats {
    const { bytes, bytesMax, evictions, size } = this.#entries
    return {
      ...this.#counts,
      shared: this.#flights.joined(),
      entries: size,
      bytes,
      evictions,
      bytesMax,
      encodings: this.#compressor.stats
    }
  }

  /** Returns the cached entry if it is current, with headers that name the snapshot. */
  #currentEntry(read: ReadRequest, now: KnownSnapshot): Entry | undefined {
    const entry = this.#entries.get(keyOf(read))
    if (entry === undefined || entry.current === now) return entry
    const { dependsOn, versions } = entry.depends!
    if (versions !== this.#versionsAt(dependsOn, now)) return undefined
    entry.current = now
    entry.answer = { ...entry.answer, headers: this.#entryHeaders(read, now.stamp, entry) }
    return entry
  }

  /** Returns a 304 if the client has the answer, and otherwise the answer in its coding. */
  #respond(
    read: ReadRequest,
    accepted: Accepted,
    entry: Entry,
    isHit: boolean
  ): Effect.Effect<HttpAnswer> {
    const { answer, etag } = entry
    const tag = matchedTag(
      read.request.headers["if-none-match"],
      accepted,
      (tag) => tag === etag || tag === "*"
    )
    if (tag !== undefined) {
      return this.#notModified({ ...answer.headers, etag: tag === "*" ? etag : tag })
    }
    if (isHit) this.#counts.hits++
    return encode(
      this.#compressor,
      entry,
      accepted,
      (bytes) => this.#entries.grow(entry, bytes)
    )
  }

  #notModified(headers: HeaderRecord): Effect.Effect<HttpAnswer> {
    this.#counts.notModified++
    return Effect.succeed({ status: 304, headers: notModifiedHeaders(headers), body: "" })
  }

  /**
   * Computes an answer. Over a remote store, equal requests share one computation; none joins a
   * computation that started before the last change known to this process, since the answer may
   * lack that change.
   */
  #computed<E>(
    read: ReadRequest,
    compute: () => Effect.Effect<ComputedResponse, E>
  ): Effect.Effect<Entry | HttpAnswer, E> {
    const { poolTip, tip } = this.#options
    const computed = Effect.mapEager(compute(), (computed) => {
      this.#counts.misses++
      return computed.status === 200
        ? this.#entryOf(read, computed)
        : { ...computed, headers: { ...read.routes.headers(computed.stamp), ...computed.headers } }
    })
    return tip?.isRemote === true
      ? this.#flights.join(`${tip.version()} ${poolTip?.version()} ${keyOf(read)}`, computed)
      : computed
  }

  /** Returns the answer with its entity tag, and caches it if a later request can check it. */
  #entryOf(read: ReadRequest, computed: ComputedResponse): Entry {
    const { headers: ownHeaders, stamp } = computed
    const { request: { url }, routes: { revision } } = read
    const depends = this.#dependenciesOf(computed)
    const { body, bytes } = contentOf(computed)
    const key = keyOf(read)
    const isCached = depends !== null && this.#entries.accepts(key, bytes) &&
      // an older answer may be current again once the snapshot is known
      !(depends.versions.startsWith("*") && this.#entries.has(key))
    const etag = depends === null
      ? contentTag(revision, computed.body)
      : this.#tags.get(revision)!.write(url, depends)
    const own = { ownHeaders, etag, bodyBytes: bytes }
    const entry: Entry = {
      ...own,
      key,
      bytes,
      depends,
      compressed: new Map(),
      current: null,
      answer: {
        status: 200,
        // connections share a large body as bytes; Node copies a string for each of them
        body: isCached && bytes > largeBytes && typeof body === "string"
          ? textEncoder.encode(body)
          : body,
        isAscii: typeof body === "string",
        headers: this.#entryHeaders(read, stamp, own)
      }
    }
    if (isCached) this.#entries.put(entry)
    return entry
  }

  /** Returns the dependencies of an answer; null if it may change without the ledger. */
  #dependenciesOf({ dependsOn, stamp }: ComputedResponse): DependencyVersions | null {
    const { tip } = this.#options
    if (dependsOn === undefined || stamp === undefined || tip === null) return null
    this.#lastComputedStamp = stamp
    const snapshot = tip.snapshot?.(stamp.version) ?? null
    return { dependsOn, versions: this.#versionsAt(dependsOn, { snapshot, stamp }) }
  }

  /** Returns the versions of dependencies in a snapshot as text. */
  #versionsAt(
    dependsOn: DependencyVersions["dependsOn"],
    { snapshot, stamp }: KnownSnapshot
  ): string {
    if (dependsOn.length === 0) return ""
    // if only the stamp is known, any part may have changed
    return snapshot === null
      ? `*${stamp.version.toString(36)}`
      : versionsOf(dependsOn, snapshot, this.#options.constants)
  }

  #entryHeaders(
    read: ReadRequest,
    stamp: LedgerStamp | undefined,
    { bodyBytes, etag, ownHeaders }: Pick<Entry, "bodyBytes" | "etag" | "ownHeaders">
  ): HeaderRecord {
    return {
      ...read.routes.headers(stamp),
      ...ownHeaders,
      "cache-control": this.#cacheControl(read, stamp),
      etag,
      "content-length": `${bodyBytes}`
    }
  }

  #cacheControl({ batch }: ReadRequest, stamp: LedgerStamp | undefined): string {
    const last = stamp?.batchNum ?? null
    return batch !== null && last !== null && batch <= last - this.#options.finalAfterBatches
      ? cacheControl.final
      : cacheControl.tip
  }
}

/** Returns the key of the entry: the URL, and the revision if more than the URL selects it. */
const keyOf = (
  { request: { basePath, headers, url }, routes: { revision } }: ReadRequest
): string =>
  headers["api-revision"] === undefined && basePath === undefined ? url : `${revision.name} ${url}`

/** Returns the body as a string if it is ASCII, which Node writes in one chunk with the headers. */
const contentOf = ({ body }: ComputedResponse) =>
  typeof body === "string" ? utf8Body(body) : { body, bytes: body.length }
