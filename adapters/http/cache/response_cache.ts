import { Effect } from "effect"
import type { Revision } from "../../../core/contract/mod.ts"
import type { NetworkConstants } from "../../../core/domain/mod.ts"
import type { LedgerStamp, LedgerTip, PoolTip } from "../../../core/ports/mod.ts"
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
  codedTag,
  contentTag,
  type DependencyVersions,
  type LedgerTags,
  makeLedgerTags,
  matchedTag
} from "./_entity_tag.ts"
import { LruCache } from "./_lru_cache.ts"
import { makeSingleFlight } from "./_single_flight.ts"
import { type KnownSnapshot, Snapshots } from "./_snapshots.ts"

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
export interface Computation<Read, E> {
  /** Runs the rest once the request is admitted, and fails if it is refused. */
  readonly admit: <A>(read: Read, run: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly compute: (read: Read) => Effect.Effect<ComputedResponse, E>
}

/**
 * Caches answers until one of their dependencies changes, and confirms their entity tags. The headers
 * of a cached answer name the newest known snapshot, in which the answer would be the same. It buys
 * the rows "cached" of test/bench/RESULTS.md; `--answers-bytes-max 0` disables it.
 */
export class ResponseCache {
  readonly #options: ResponseCacheOptions
  readonly #snapshots: Snapshots
  readonly #entries: LruCache<Entry>
  readonly #flights = makeSingleFlight<Entry | HttpAnswer>()
  readonly #negotiate: (header: HttpRequest["headers"][string]) => Accepted
  readonly #compressor: Compressor
  readonly #tags: ReadonlyMap<Revision, LedgerTags>
  readonly #counts = { hits: 0, misses: 0, notModified: 0 }

  constructor(options: ResponseCacheOptions) {
    const { bytesMax, compression, constants, program, revisions, tip } = options
    this.#options = options
    this.#snapshots = new Snapshots(tip, constants)
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
  answer<Read extends ReadRequest, E>(
    read: Read,
    { admit, compute }: Computation<Read, E>
  ): Effect.Effect<HttpAnswer, E> {
    const { headers } = read.request
    const accepted = this.#negotiate(headers["accept-encoding"])
    // a body that does not declare its length has to be read first
    const now = headers["transfer-encoding"] === undefined ? this.#snapshots.newest() : null
    if (now !== null) {
      const entry = this.#currentEntry(read, now)
      if (entry !== undefined) return this.#respond(read, accepted, entry, true)
      const { url } = read.request
      const tags = this.#tags.get(read.routes.revision)!
      const confirmed = matchedTag(headers["if-none-match"], accepted, (tag) => {
        // a client can only have the tag if it received this answer
        const known = tags.read(url, tag)
        return known !== undefined &&
          known.versions === this.#snapshots.versionsAt(known.dependsOn, now)
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
      admit(read, () => this.#computed(read, compute(read))),
      (found) =>
        "status" in found ? Effect.succeed(found) : this.#respond(read, accepted, found, false)
    )
  }

  /** Returns the stamp of the newest snapshot, or undefined if it is unknown. */
  currentStamp(): LedgerStamp | undefined {
    return this.#snapshots.newest()?.stamp
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
    if (versions !== this.#snapshots.versionsAt(dependsOn, now)) return undefined
    entry.current = now
    entry.answer = { ...entry.answer, headers: this.#entryHeaders(read, now.stamp, entry) }
    entry.encoded.clear()
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
    const ifNoneMatch = read.request.headers["if-none-match"]
    const preferred = ifNoneMatch && codedTag(etag, accepted[0]?.name)
    const tag = ifNoneMatch === preferred
      ? preferred
      : matchedTag(ifNoneMatch, accepted, (tag) => tag === etag || tag === "*")
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
    computation: Effect.Effect<ComputedResponse, E>
  ): Effect.Effect<Entry | HttpAnswer, E> {
    const { poolTip, tip } = this.#options
    const computed = Effect.mapEager(computation, (computed) => {
      this.#counts.misses++
      return computed.status === 200
        ? this.#entryOf(read, computed)
        : plainAnswer(read, computed)
    })
    return tip?.isRemote === true
      ? this.#flights.join(`${tip.version()} ${poolTip?.version()} ${keyOf(read)}`, computed)
      : computed
  }

  /** Returns the answer with its entity tag, and caches it if a later request can check it. */
  #entryOf(read: ReadRequest, computed: ComputedResponse): Entry {
    const { headers: ownHeaders, stamp } = computed
    const { request: { url }, routes: { revision } } = read
    const depends = this.#snapshots.dependenciesOf(computed)
    const { body: content, bytes } = contentOf(computed)
    const key = keyOf(read)
    const isCached = depends !== null && this.#entries.accepts(key, bytes) &&
      // an older answer may be current again once the snapshot is known
      !(depends.versions.startsWith("*") && this.#entries.has(key))
    const etag = depends === null
      ? contentTag(revision, computed.body)
      : this.#tags.get(revision)!.write(url, depends)
    // connections share a large body as bytes; Node copies a string for each of them
    const body = isCached && bytes > largeBytes && typeof content === "string"
      ? textEncoder.encode(content)
      : content
    const own = { ownHeaders, etag, bodyBytes: bytes }
    const entry: Entry = {
      ...own,
      key,
      bytes,
      depends,
      compressed: new Map(),
      encoded: new Map(),
      current: null,
      answer: {
        status: 200,
        body,
        isAscii: typeof body === "string",
        headers: this.#entryHeaders(read, stamp, own)
      }
    }
    if (isCached) this.#entries.put(entry)
    return entry
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

const plainAnswer = (
  { routes }: ReadRequest,
  { body, headers, stamp, status }: ComputedResponse
): HttpAnswer => ({ status, body, headers: { ...routes.headers(stamp), ...headers } })

/** Returns the body as a string if it is ASCII, which Node writes in one chunk with the headers. */
const contentOf = ({ body }: ComputedResponse) =>
  typeof body === "string" ? utf8Body(body) : { body, bytes: body.length }
