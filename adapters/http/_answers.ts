import { Effect } from "effect"
import type { LedgerTip } from "../../core/ports/mod.ts"
import { AnswerMemory } from "./_answer_memory.ts"
import { contentTag, isMatched, makeLedgerTags } from "./_entity_tag.ts"
import { answerHeaders, cacheControl, type HeaderRecord, notModifiedHeaders } from "./_headers.ts"
import type { Site } from "./_site.ts"
import type { HttpAnswer, HttpRequest, LedgerAnswer } from "./message.ts"

export interface AnswersOptions {
  readonly tip: LedgerTip | null
  /** Bound of what is kept ready. */
  readonly bytesMax: number
  /** Whatever decides how an answer is written besides ledger, revision and URL. */
  readonly program: string
}

/**
 * Answers that are there already. While the ledger stays at one version what was asked about it is answered from memory, a client that
 * has the answer gets a 304, and what is asked for at the same time is computed once.
 */
export const makeAnswers = ({ bytesMax, program, tip }: AnswersOptions) => {
  const memory = new AnswerMemory(bytesMax)
  const tagsOf = new Map<string, (url: string, version: number) => string>()
  const tagOf = ({ revision }: Site, url: string, version: number): string => {
    let tags = tagsOf.get(revision.name)
    if (tags === undefined) tagsOf.set(revision.name, tags = makeLedgerTags(tip!, revision, program))
    return tags(url, version)
  }
  /** The revision can be chosen by a header, so the URL alone does not name the answer. */
  const keyOf = ({ revision }: Site, { headers, url }: HttpRequest): string =>
    headers[answerHeaders.revision] === undefined ? url : `${revision.name} ${url}`
  /** Of the last answer that was computed: what names its snapshot is the same for all of that version. */
  const shown = new Map<string, { readonly version: number; readonly headers: HeaderRecord }>()
  const headersAt = (site: Site, version: number): HeaderRecord => {
    const last = shown.get(site.revision.name)
    if (last?.version === version) return last.headers
    // block and batch of a version that nothing was computed of are not known here
    const { [answerHeaders.block]: _, [answerHeaders.batch]: __, ...headers } = site.headers(undefined)
    return { ...headers, [answerHeaders.version]: `${version}` }
  }
  const underWay = new Map<string, { readonly version: number; readonly answer: Effect.Effect<HttpAnswer, unknown> }>()

  /** What is known without asking anything: undefined where that is nothing. */
  const ready = (site: Site, request: HttpRequest): HttpAnswer | undefined => {
    const version = tip?.version() ?? null
    const { headers, method, url } = request
    if (version === null || !(method === "GET" || method === "HEAD") || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) {
      return undefined
    }
    const asked = headers["if-none-match"]
    if (asked !== undefined) {
      // only who was given this very answer has its tag
      const etag = tagOf(site, url, version)
      if (isMatched(asked, etag)) {
        return notModified({ ...headersAt(site, version), "cache-control": cacheControl.tip, etag })
      }
    }
    return memory.find(keyOf(site, request), version)
  }

  /** Tags an answer, and keeps it where it is about the ledger. */
  const get = <E>(site: Site, request: HttpRequest, isOfLedger: boolean, computed: Effect.Effect<HttpAnswer | LedgerAnswer, E>): Effect.Effect<HttpAnswer, E> => {
    const asked = request.headers["if-none-match"]
    if (!isOfLedger || tip === null) return Effect.mapEager(computed, (answer) => conditional(asked, tagged(answer, contentTag(answer.body))))
    const key = keyOf(site, request)
    const kept = Effect.mapEager(computed, (computed): HttpAnswer => {
      const { isFinal, version, ...answer } = computed as LedgerAnswer
      shown.set(site.revision.name, { version, headers: answer.headers })
      const body = typeof answer.body === "string" ? encoder.encode(answer.body) : answer.body
      const headers = {
        ...answer.headers, "cache-control": isFinal ? cacheControl.final : cacheControl.tip, etag: tagOf(site, request.url, version), "content-length": `${body.length}`
      }
      const whole = { status: answer.status, headers, body }
      memory.add(key, version, whole)
      return whole
    })
    return Effect.mapEager(tip.isRemote ? once(key, kept) : kept, (answer) => conditional(asked, answer))
  }

  /** Who asks for what is being computed waits for it; who began it may leave, and the others still get it. */
  const once = <E>(key: string, computed: Effect.Effect<HttpAnswer, E>): Effect.Effect<HttpAnswer, E> =>
    Effect.suspend(() => {
      const version = tip!.version() ?? -1
      const known = underWay.get(key)
      if (known !== undefined && known.version === version) return known.answer as Effect.Effect<HttpAnswer, E>
      return Effect.flatMap(Effect.cached(Effect.uninterruptible(Effect.onExit(computed, () => Effect.sync(() => {
        if (underWay.get(key)?.version === version) underWay.delete(key)
      })))), (answer) => {
        underWay.set(key, { version, answer })
        return answer
      })
    })

  return { ready, get }
}

const encoder = new TextEncoder()

const tagged = (answer: HttpAnswer, etag: string): HttpAnswer =>
  answer.status === 200 ? { ...answer, headers: { ...answer.headers, "cache-control": cacheControl.tip, etag } } : answer

const conditional = (asked: string | ReadonlyArray<string> | undefined, answer: HttpAnswer): HttpAnswer => {
  const { etag } = answer.headers
  return asked !== undefined && etag !== undefined && (isMatched(asked, etag) || String(asked).trim() === "*") ? notModified(answer.headers) : answer
}

const notModified = (headers: HeaderRecord): HttpAnswer => ({ status: 304, headers: notModifiedHeaders(headers), body: "" })
