import { parseExact } from "./_exact_json.ts"
import type { ProblemName } from "./generated/mod.ts"
import type { ExchangeOptions } from "./options.ts"
import type { Failure, Outcome, Problem, Snapshot, Unexpected } from "./outcome.ts"

export interface ApiRequest {
  readonly url: string
  /** GET by default. */
  readonly method?: "POST" | "PUT"
  /** The body of a POST or PUT. */
  readonly body?: string
  readonly signal?: AbortSignal | undefined
  /** The property of the answer that has the items of a list. */
  readonly list?: string | undefined
}

/**
 * Sends a request until there is an answer, a permanent failure, or no retry left. Every request
 * may be sent twice: reads change nothing, and a repeated write changes nothing and gets the same
 * answer.
 */
export const sendWithRetries = async (
  options: ExchangeOptions,
  request: ApiRequest
): Promise<Outcome<unknown>> => {
  for (let retries = 0;; retries++) {
    const outcome = await sendOnce(options, request)
    if (outcome.ok || !outcome.retry || retries >= options.retriesMax) return outcome
    const seconds = "retryAfterSeconds" in outcome ? outcome.retryAfterSeconds : undefined
    // with jitter, so that clients that failed together do not retry together
    const waitMs = seconds === undefined
      ? Math.min(options.retryWaitMsMax, 200 * 2 ** retries) * (0.5 + Math.random() / 2)
      : seconds * 1000
    if (waitMs > options.retryWaitMsMax) return outcome
    try {
      await options.wait(waitMs, request.signal)
    } catch (cause) {
      return aborted(cause)
    }
  }
}

const sendOnce = async (
  options: ExchangeOptions,
  request: ApiRequest
): Promise<Outcome<unknown>> => {
  const { body = null, method = "GET", signal, url } = request
  if (signal?.aborted) return aborted(signal.reason)
  const cached = body === null ? options.cache.find(url) : undefined
  const timeout = AbortSignal.timeout(options.timeoutMs)
  let response: Response
  let text: string
  try {
    response = await options.fetch(
      new Request(url, {
        method,
        headers: {
          ...options.headers,
          ...cached === undefined ? {} : { "if-none-match": cached.etag },
          ...body === null ? {} : { "content-type": "application/json" }
        },
        body,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout])
      })
    )
    text = await response.text()
  } catch (cause) {
    if (signal?.aborted) return aborted(signal.reason)
    const { timeoutMs } = options
    return timeout.aborted
      ? failed("TimedOut", `No whole answer of ${url} came within ${timeoutMs} ms`, true, {
        timeoutMs
      })
      : failed("Unreachable", `${url} gave no answer: ${reasonOf(cause)}`, true, { cause })
  }
  return response.status === 304 && cached !== undefined
    ? { ok: true, value: cached.value, snapshot: snapshotOf(response.headers) }
    : outcomeOf(options, request, response, text)
}

/** Returns the outcome of a whole answer. A value is cached for the next request. */
const outcomeOf = (
  { cache, revision }: ExchangeOptions,
  { body, list, url }: ApiRequest,
  { headers, ok, status }: Response,
  text: string
): Outcome<unknown> => {
  const isRead = body === undefined
  const answered = headers.get("api-revision")
  if (answered !== null && answered !== revision) {
    const advice = `use the URL at which the server mounts revision "${revision}"`
    const message = `${url} answers in revision "${answered}", expected "${revision}": ${advice}`
    return unexpected(message, status, text, false)
  }
  let value: unknown
  try {
    // the answer to a post may be empty
    value = text === "" && !isRead ? null : parseExact(text)
  } catch {
    value = undefined
  }
  if (ok && value !== undefined && (list === undefined || isPage(value, list))) {
    const etag = headers.get("etag")
    if (isRead && etag !== null) {
      cache.add(url, { etag, value, characters: text.length + url.length })
    }
    return { ok: true, value, snapshot: snapshotOf(headers) }
  }
  const isRetryable = retryableStatuses.has(status)
  const retryAfter = retryAfterSeconds(headers)
  const name = value === undefined ? undefined : problemName(value)
  if (ok || name === undefined) {
    const message = `${url} answered with status ${status}, as another interface: check the URL`
    return unexpected(message, status, text, isRetryable, retryAfter)
  }
  const problem = value as Problem
  return failed("Refused", problem.message, isRetryable, {
    name,
    problem,
    snapshot: snapshotOf(headers),
    ...retryAfter
  })
}

/** Returns whether a value has items in its property `list`, each with an `itemId`. */
const isPage = (value: unknown, list: string): boolean => {
  const { [list]: items } = Object(value) as { readonly [name: string]: unknown }
  return Array.isArray(items) && items.every((item) => item?.itemId >= 0)
}

/** Statuses of temporary failures. */
const retryableStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

const failed = <Tag extends string, More>(
  _tag: Tag,
  message: string,
  retry: boolean,
  more: More
) => ({ ok: false, _tag, message, retry, ...more } as const)
const aborted = (cause: unknown): Failure =>
  failed("Aborted", "The call was ended by its signal", false, { cause })
const unexpected = (
  message: string,
  status: number,
  text: string,
  retry: boolean,
  more: Pick<Unexpected, "retryAfterSeconds"> = {}
): Failure => failed("Unexpected", message, retry, { status, text: text.slice(0, 500), ...more })

/**
 * Returns why `fetch` failed. Node 24 says only "fetch failed", and the reason in the cause; if the
 * host has several addresses, the cause has a code and no message.
 */
const reasonOf = (error: unknown): string => {
  const { cause, message } = Object(error) as { readonly [name: string]: unknown }
  const inner = Object(cause) as { readonly [name: string]: unknown }
  return String(inner.message || inner.code || message || error)
}

const types = "urn:rollup-node-api:problem:"
const problemName = (value: unknown): ProblemName | undefined => {
  const { message, type, problem = type } = Object(value) as { readonly [name: string]: unknown }
  return typeof message === "string" && typeof problem === "string" && problem.startsWith(types)
    ? problem.slice(types.length) as ProblemName
    : undefined
}

const snapshotOf = (headers: Headers): Snapshot => {
  const read = <A>(name: string, numberOf: (digits: string) => A): A | null => {
    const text = headers.get(`ledger-${name}`)
    // a proxy may have changed it
    return text !== null && /^\d+$/u.test(text) ? numberOf(text) : null
  }
  return {
    ethereumBlockNum: read("ethereum-block", BigInt),
    batchNum: read("batch", Number),
    version: read("version", Number)
  }
}

/** Returns the seconds of `Retry-After`, which may be a number or a date. */
const retryAfterSeconds = (headers: Headers): Pick<Unexpected, "retryAfterSeconds"> => {
  const text = headers.get("retry-after")
  if (text === null) return {}
  const seconds = /^\d+$/u.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? {} : { retryAfterSeconds: Math.max(0, seconds) }
}
