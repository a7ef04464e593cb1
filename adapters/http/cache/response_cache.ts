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
import type { Computed, Site } from "../routes/mod.ts"
import {
  contentTag,
  type Dependence,
  isMatched,
  type LedgerTags,
  makeLedgerTags,
  namedTags
} from "./_entity_tag.ts"
import { AnswerMemory } from "./_generational_cache.ts"

export interface AnswersOptions {
  readonly tip: LedgerTip | null
  readonly poolTip: PoolTip | null
  readonly constants: NetworkConstants
  /** Bound of what is kept ready. */
  readonly bytesMax: number
  /** Whatever decides how an answer is written besides ledger, revision and URL. */
  readonly program: string
  /** Batches after which one is too deep for a rollback. */
  readonly finalAfterBatches: number
  readonly nowMs: () => number
}

/** The newest snapshot that this process knows of. */
interface Present {
  readonly stamp: LedgerStamp
  /** Null where only its name is known. */
  readonly snapshot: LedgerSnapshot | null
}

/** What is the same about an answer until something changes that it depends on. */
interface Content {
  /** A text where it is one of ASCII: Node sends a head and a text as one piece, and a head and bytes as two, which takes longer. */
  readonly body: string | Uint8Array
  readonly bytes: number
  readonly etag: string
  readonly own: HeaderRecord
  readonly batch: number | null
}

interface Kept extends Content, Dependence {
  readonly pool: Answer["pool"]
  /** How often it was given again. */
  given: number
  /** Of which snapshot the answers below speak. */
  present: Present | null
  whole: HttpAnswer | null
  unchanged: HttpAnswer | null
}

/**
 * Answers that are there already. What was answered is given again, and a client that has it gets a 304, for as long as nothing that it
 * depends on has changed; the headers name the newest snapshot that the process knows of, on which it would be the same. What several ask
 * for at the same time is computed once.
 */
export const makeAnswers = (
  { bytesMax, constants, finalAfterBatches, nowMs, poolTip, program, tip }: AnswersOptions
) => {
  const memory = new AnswerMemory<Kept>(bytesMax, nowMs)
  const counts = { hits: 0, misses: 0, shared: 0, notModified: 0 }
  const tagsOf = new Map<string, LedgerTags>()
  const tagsFor = ({ revision }: Site): LedgerTags => {
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
    // where the parts are not known any of them may have changed
    dependsOn.length === 0
      ? ""
      : snapshot === null
      ? `*${version.toString(36)}`
      : versionsOf(dependsOn, snapshot, constants)

  let latest: Present | null = null
  /** Of the last answer that was computed. */
  let shown: LedgerStamp | undefined
  /** Null where nothing is known, or not even the block and batch that the headers name. */
  const present = (): Present | null => {
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

  const isCurrent = (kept: Kept, now: Present): boolean =>
    (kept.present === now ||
      kept.versions === versionsAt(kept.dependsOn, now.stamp.version, now.snapshot)) &&
    (kept.pool === undefined || kept.pool.version === (poolTip?.versionOf(kept.pool.key) ?? null))
  const tellPresent = (site: Site, kept: Kept, now: Present): void => {
    kept.present = now
    kept.whole = wholeOf(site, kept, now.stamp)
    kept.unchanged = null
  }
  const cachingOf = (batch: number | null, { batchNum }: LedgerStamp): string =>
    batch !== null && batchNum !== null && batch <= batchNum - finalAfterBatches
      ? cacheControl.final
      : cacheControl.tip
  const headersOf = (
    site: Site,
    { batch, bytes, etag, own }: Content,
    stamp: LedgerStamp
  ): HeaderRecord => ({
    ...site.headers(stamp),
    ...own,
    "cache-control": cachingOf(batch, stamp),
    etag,
    "content-length": `${bytes}`
  })
  const wholeOf = (site: Site, content: Content, stamp: LedgerStamp): HttpAnswer => ({
    status: 200,
    body: content.body,
    isAscii: typeof content.body === "string",
    headers: headersOf(site, content, stamp)
  })

  /** The revision can be chosen by a header, so the URL alone does not name the answer. */
  const keyOf = ({ revision }: Site, { headers, url }: HttpRequest): string =>
    headers["api-revision"] === undefined ? url : `${revision.name} ${url}`

  /** What is known without asking anything: undefined where that is nothing, `wanted` where it was asked for so often that it should be known again. `batchOf` tells what batch the answer would show. */
  const ready = (
    site: Site,
    request: HttpRequest,
    batchOf: () => number | null
  ): HttpAnswer | "wanted" | undefined => {
    const { headers, method, url } = request
    if (
      !(method === "GET" || method === "HEAD") || headers["content-length"] !== undefined ||
      headers["transfer-encoding"] !== undefined
    ) return undefined
    const now = present()
    if (now === null) return undefined
    const asked = headers["if-none-match"]
    const key = keyOf(site, request)
    const kept = memory.find(key)
    let other: "wanted" | undefined
    if (kept !== undefined) {
      if (isCurrent(kept, now)) {
        kept.given++
        if (kept.present !== now) tellPresent(site, kept, now)
        if (asked === undefined || !isMatched(asked, kept.etag)) {
          counts.hits++
          return kept.whole!
        }
        counts.notModified++
        return kept.unchanged ??= notModified(kept.whole!.headers)
      }
      if (kept.given >= wantedMin) other = "wanted"
    }
    if (asked === undefined) return other
    const etag = namedTags(asked).find((tag) => {
      // only who was given this very answer has its tag
      const told = tagsFor(site).read(url, tag)
      return told !== undefined &&
        told.versions === versionsAt(told.dependsOn, now.stamp.version, now.snapshot)
    })
    if (etag === undefined) return other
    counts.notModified++
    return notModified({
      ...site.headers(now.stamp),
      "cache-control": cachingOf(batchOf(), now.stamp),
      etag
    })
  }

  /** Tags an answer, and keeps it where it can be known to be current. */
  const complete = (
    site: Site,
    request: HttpRequest,
    { batch = null, body, dependsOn, headers, pool, stamp, status }: Computed
  ): HttpAnswer => {
    if (status !== 200 || dependsOn === undefined || stamp === undefined || tip === null) {
      const plain = { ...site.headers(stamp), ...headers }
      return {
        status,
        body,
        headers: status === 200
          ? { ...plain, "cache-control": cacheControl.tip, etag: contentTag(site.revision, body) }
          : plain
      }
    }
    shown = stamp
    const snapshot = tip.snapshot?.(stamp.version) ?? null
    const versions = versionsAt(dependsOn, stamp.version, snapshot)
    // what the pool holds has no version that others know too
    const etag = pool === undefined
      ? tagsFor(site).write(request.url, { dependsOn, versions })
      : contentTag(site.revision, body)
    const { body: sent, bytes } = typeof body === "string"
      ? utf8Body(body)
      : { body, bytes: body.length }
    const content: Content = { body: sent, bytes, etag, own: headers, batch }
    const key = keyOf(site, request)
    if (
      pool?.version === null || (snapshot === null && memory.find(key) !== undefined) ||
      !memory.wants(key, content)
    ) return wholeOf(site, content, stamp)
    // connections share the bytes of a large body; each has a copy of a text while it is sent
    const shared = typeof sent === "string" && bytes > largeBytes
      ? Buffer.from(sent, "latin1")
      : sent
    const kept: Kept = {
      body: shared,
      bytes,
      etag,
      own: headers,
      batch,
      dependsOn,
      versions,
      pool,
      given: 0,
      present: null,
      whole: null,
      unchanged: null
    }
    memory.keep(key, kept)
    const now = present()
    if (now?.stamp.version !== stamp.version) return wholeOf(site, kept, stamp)
    tellPresent(site, kept, now)
    return kept.whole!
  }

  const get = <E>(
    site: Site,
    request: HttpRequest,
    computed: Effect.Effect<Computed, E>
  ): Effect.Effect<HttpAnswer, E> => {
    const asked = request.headers["if-none-match"]
    const whole = Effect.mapEager(computed, (computed) => {
      counts.misses++
      return complete(site, request, computed)
    })
    return Effect.mapEager(
      tip?.isRemote === true ? once(keyOf(site, request), whole) : whole,
      (answer) => {
        const { etag } = answer.headers
        if (asked === undefined || etag === undefined || !isMatched(asked, etag)) return answer
        counts.notModified++
        return notModified(answer.headers)
      }
    )
  }

  /** What it holds is let go once it is there: an old table of the map outlives it, until all of the heap is collected. */
  const underWay = new Map<string, { answer: Deferred.Deferred<HttpAnswer, unknown> | undefined }>()
  /**
   * Who asks for what is being computed waits for it; who began it may leave, and the others still get it. Nobody joins what began before
   * something that this process has written or heard of since: it may not show that.
   */
  const once = <E>(
    key: string,
    computed: Effect.Effect<HttpAnswer, E>
  ): Effect.Effect<HttpAnswer, E> =>
    Effect.suspend(() => {
      const name = `${tip!.version()} ${poolTip?.version()} ${key}`
      const known = underWay.get(name)?.answer
      if (known !== undefined) {
        counts.shared++
        return Deferred.await(known as Deferred.Deferred<HttpAnswer, E>)
      }
      const answer = Deferred.makeUnsafe<HttpAnswer, unknown>()
      const one: { answer: typeof answer | undefined } = { answer }
      underWay.set(name, one)
      return Effect.uninterruptible(Effect.onExit(computed, (exit) =>
        Effect.sync(() => {
          underWay.delete(name)
          one.answer = undefined
          Deferred.doneUnsafe(answer, exit)
        })))
    })

  const stats = (): AnswerStats => ({
    ...counts,
    entries: memory.entries,
    bytes: memory.bytes,
    evictions: memory.evictions,
    bytesMax
  })
  return { ready, get, stats, present: () => present()?.stamp }
}

/** An answer that was given so often costs little each time where it is computed once more. */
const wantedMin = 16

const notModified = (headers: HeaderRecord): HttpAnswer => ({
  status: 304,
  headers: notModifiedHeaders(headers),
  body: ""
})
