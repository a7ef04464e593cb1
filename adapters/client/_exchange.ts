import { parseExact } from "./_exact_json.ts"
import type { Memory } from "./_memory.ts"
import type { ProblemName } from "./_declared.ts"
import type { Failure, Outcome, Problem, Snapshot, Unexpected } from "./outcome.ts"

/** How requests are made; see ClientOptions. */
export interface Exchanging {
  readonly fetch: (request: Request) => Promise<Response>
  readonly headers: { readonly [name: string]: string }
  readonly revision: string
  readonly timeoutMs: number
  readonly retriesMax: number
  readonly retryWaitMsMax: number
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly memory: Memory
}

export interface Asked {
  readonly url: string
  /** What is posted. */
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks until there is an answer, a failure that lasts, or no try left. Everything may be asked twice: reads change nothing, and what is
 * posted again changes nothing and is answered alike.
 */
export const exchange = async (how: Exchanging, asked: Asked): Promise<Outcome<unknown>> => {
  for (let tried = 0;; tried++) {
    const outcome = await once(how, asked)
    if (outcome.ok || !outcome.retry || tried >= how.retriesMax) return outcome
    const seconds = "retryAfterSeconds" in outcome ? outcome.retryAfterSeconds : undefined
    // apart from each other, so that clients that failed together do not come back together
    const waitMs = seconds === undefined
      ? firstWaitMs * 2 ** tried * (0.5 + Math.random() / 2)
      : seconds * 1000
    if (waitMs > how.retryWaitMsMax) return outcome
    try {
      await how.wait(waitMs, asked.signal)
    } catch (cause) {
      return aborted(cause)
    }
  }
}

const firstWaitMs = 200

const once = async (how: Exchanging, { body, signal, url }: Asked): Promise<Outcome<unknown>> => {
  if (hasEnded(signal)) return aborted(signal?.reason)
  const known = body === undefined ? how.memory.find(url) : undefined
  const timeout = AbortSignal.timeout(how.timeoutMs)
  let response: Response
  let text: string
  try {
    response = await how.fetch(
      new Request(url, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          ...how.headers,
          ...known === undefined ? {} : { "if-none-match": known.etag },
          ...body === undefined ? {} : { "content-type": "application/json" }
        },
        ...body === undefined ? {} : { body },
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout])
      })
    )
    text = await response.text()
  } catch (cause) {
    if (hasEnded(signal)) return aborted(signal?.reason)
    return timeout.aborted
      ? failed("TimedOut", `No whole answer of ${url} came within ${how.timeoutMs} ms`, true, {
        timeoutMs: how.timeoutMs
      })
      : failed(
        "Unreachable",
        `${url} gave no answer: ${cause instanceof Error ? cause.message : String(cause)}`,
        true,
        { cause }
      )
  }
  const { headers, status } = response
  const revision = headers.get("api-revision")
  if (status === 304 && known !== undefined) {
    return { ok: true, value: known.value, snapshot: snapshotOf(headers) }
  }
  const retryAfter = retryAfterSeconds(headers)
  if (revision !== null && revision !== how.revision) {
    const mends =
      `make the client with the URL at which the server mounts revision "${how.revision}"`
    return unexpected(
      `${url} answers in revision "${revision}", expected "${how.revision}": ${mends}`,
      status,
      text,
      false
    )
  }
  let value: unknown
  try {
    // a post may be answered with nothing
    value = text === "" && body !== undefined ? null : parseExact(text)
  } catch {
    value = undefined
  }
  if (response.ok && value !== undefined) {
    const etag = headers.get("etag")
    if (body === undefined && etag !== null) {
      how.memory.add(url, { etag, value, characters: text.length + url.length })
    }
    return { ok: true, value, snapshot: snapshotOf(headers) }
  }
  const name = value === undefined ? undefined : problemName(value)
  if (response.ok || name === undefined) {
    return unexpected(
      `${url} gave an answer with status ${status} that is none of this interface: look whether it is its server`,
      status,
      text,
      passing.has(status),
      retryAfter
    )
  }
  const problem = value as Problem
  return failed("Refused", problem.message, passing.has(status), {
    name,
    problem,
    snapshot: snapshotOf(headers),
    ...retryAfter
  })
}

const hasEnded = (signal: AbortSignal | undefined): boolean => signal?.aborted === true

/** Statuses that say that it may go well later. */
const passing: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

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

const types = "urn:rollup-node-api:problem:"
const problemName = (value: unknown): ProblemName | undefined => {
  const { message, type } = Object(value) as { readonly [name: string]: unknown }
  return typeof message === "string" && typeof type === "string" && type.startsWith(types)
    ? type.slice(types.length) as ProblemName
    : undefined
}

const snapshotOf = (headers: Headers): Snapshot => {
  const [block, batch, version] = ["ledger-ethereum-block", "ledger-batch", "ledger-version"].map((
    name
  ) => headers.get(name))
  return {
    ethereumBlockNum: block == null ? null : BigInt(block),
    batchNum: batch == null ? null : Number(batch),
    version: version == null ? null : Number(version)
  }
}

/** `Retry-After` in seconds or as a date. */
const retryAfterSeconds = (headers: Headers): Pick<Unexpected, "retryAfterSeconds"> => {
  const text = headers.get("retry-after")
  if (text === null) return {}
  const seconds = /^\d+$/u.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? {} : { retryAfterSeconds: Math.max(0, seconds) }
}
