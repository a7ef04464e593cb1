import { AnswerCache } from "./_answer_cache.ts"
import type { Revisions } from "./generated/revisions/mod.ts"

/** The name of a revision of the contract. */
export type RevisionName = keyof Revisions

/** The options of a client; only `url` is required. */
export interface ClientOptions<
  Revision extends RevisionName = RevisionName,
  Prefix extends string = string
> {
  /**
   * The URL where the server mounts the revision, such as `http://localhost:8080` or
   * `https://example.org/api/earlier`.
   */
  readonly url: string
  /** The revision of the contract; `later` by default. */
  readonly revision?: Revision
  /** The prefix of identifiers and names in this network; `zk` by default. */
  readonly prefix?: Prefix
  /**
   * Sends a request; the platform's `fetch` by default. With the `fetch` of an embedded node no
   * socket is needed.
   */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Headers of every request, such as a key for a gateway. */
  readonly headers?: { readonly [name: string]: string }
  /** Timeout of each try in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number
  /**
   * Maximum number of retries after the first try; 3 by default, 0 for none. Only temporary
   * failures are retried.
   */
  readonly retriesMax?: number
  /**
   * Maximum wait before a retry, in milliseconds; 30,000 by default. If the server asks for a
   * longer wait, the call returns the failure at once.
   */
  readonly retryWaitMsMax?: number
  /**
   * Size of the cache of answers, in characters; 4 million by default, 0 for none. Cached answers
   * are revalidated, which costs a 304. With the `fetch` of a browser the default is 0: its HTTP
   * cache does the same, and a page of another origin would need a preflight to send a tag itself.
   */
  readonly rememberedMax?: number
  /** Waits before a retry, and rejects if the signal is aborted; a timer by default. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** The options of a single call. */
export interface CallOptions {
  /** Aborts the call, including waits and retries. */
  readonly signal?: AbortSignal
}

/** The options of requests, with their defaults. */
export interface ExchangeOptions
  extends Required<Omit<ClientOptions, "url" | "prefix" | "rememberedMax">>
{
  readonly cache: AnswerCache
}

/** Returns the URL of the mount without a slash at the end. Throws a TypeError if it is no URL. */
export const baseUrl = ({ url }: ClientOptions): string =>
  new URL(url).href.replace(/[?#].*$/u, "").replace(/\/+$/u, "")

/** Returns the options of requests, with their defaults. */
export const exchangeOptionsOf = ({
  fetch: send,
  headers,
  rememberedMax = isBrowser && send === undefined ? 0 : 4_000_000,
  retriesMax = 3,
  retryWaitMsMax = 30_000,
  revision = "later",
  timeoutMs = 30_000,
  wait = waitFor
}: ClientOptions): ExchangeOptions => ({
  fetch: send ?? ((request) => fetch(request)),
  // this header would cost a browser a preflight for each URL, so it is omitted for the default
  // revision
  headers: revision === "later" ? { ...headers } : { ...headers, "api-revision": revision },
  revision,
  timeoutMs: timerMs(timeoutMs),
  retriesMax,
  retryWaitMsMax: timerMs(retryWaitMsMax),
  wait,
  cache: new AnswerCache(rememberedMax)
})

/** Returns a time that a timer takes: a longer one would end at once. */
const timerMs = (ms: number): number => Math.ceil(Math.min(ms, 2 ** 31 - 1))

/** Pages and workers of a browser have an origin. */
const isBrowser = "origin" in globalThis

/**
 * Resolves after `ms` milliseconds. Rejects with the reason of the signal if it is aborted before.
 *
 * @example
 * ```ts
 * import { waitFor } from "rollup-node-api/client"
 *
 * await waitFor(1)
 * const reason = await waitFor(60_000, AbortSignal.abort("stopped")).catch((reason) => reason)
 * console.log(reason) // => stopped
 * ```
 */
export const waitFor = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error)
    const end = () => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, ms)
    signal?.addEventListener("abort", end, { once: true })
  })
