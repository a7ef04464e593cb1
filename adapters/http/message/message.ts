import type { Effect } from "effect"
import type { Problem, ProblemName } from "./problem.ts"
import type { HttpLimits, LimitName } from "./limit.ts"
import { type SnapshotId, synchedBlockNum } from "../../../core/ports/mod.ts"

/** A request, independent of the transport. */
export interface HttpRequest {
  readonly method: string
  /** Path and query as the client sent them, percent-encoded; starts with `basePath`. */
  readonly url: string
  /** The path below which the host serves the application, such as `/rollup`; none by default. */
  readonly basePath?: string
  /** By lower-case name, as in `node:http`. */
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  /**
   * Reads the body, or fails if it is longer than `bytesMax`. Called at most once: by a write
   * operation, or if the request does not declare its length.
   */
  readonly body?: (bytesMax: number) => Effect.Effect<Uint8Array, ProblemName>
  /** The body as it arrives, such as a `Readable` of Node, to be read instead of `body`. */
  readonly stream?: ByteStream
  /** The address of the client, if the transport knows it. */
  readonly peer?: { readonly remoteAddress?: string | undefined }
  /**
   * Admission control, called once before an answer is computed and not for a cached one. If
   * absent, every request is admitted.
   */
  readonly admit?: () => Admission
  /**
   * Returns whether the transport accepts an answer of this size now. If absent, it accepts every
   * one.
   */
  readonly accepts?: (bytes: number) => boolean
  /** The problem to answer with, if the transport refuses the request. */
  readonly refusal?: Problem
}

/** A stream whose iterator can stop before the end without destroying it. */
export interface ByteStream {
  readonly iterator: (
    options: { readonly destroyOnReturn: boolean }
  ) => AsyncIterableIterator<Uint8Array>
}

/**
 * "run" computes the answer now, "shed" refuses it to shed load; an effect returns whether to
 * compute it, after waiting in the queue.
 */
export type Admission = "run" | "shed" | Effect.Effect<boolean>

export type HeaderRecord = { readonly [name: string]: string }

/** A body whose length is known: a text, or bytes. */
export type WholeBody = string | Uint8Array

/** An answer. */
export interface HttpAnswer {
  readonly status: number
  /** By lower-case name. Answers of one snapshot may share the object. */
  readonly headers: HeaderRecord
  /**
   * Empty after HEAD, and with a status that has no body. A stream has no known length, and is
   * neither cached nor compressed.
   */
  readonly body: WholeBody | ReadableStream<Uint8Array>
  /** The problem, if the request was refused. */
  readonly problem?: ProblemName
  /** The setting of the limit that was hit. */
  readonly limit?: LimitName
}

/** An answer whose length is known. */
export interface WholeAnswer extends HttpAnswer {
  readonly body: WholeBody
}

const encoder = new TextEncoder()

/** Returns a body as bytes. */
export const bytesOf = (body: WholeBody): Uint8Array =>
  typeof body === "string" ? encoder.encode(body) : body

/** Returns whether a body is a stream. */
export const isStream = (body: HttpAnswer["body"]): body is ReadableStream<Uint8Array> =>
  typeof body !== "string" && !(body instanceof Uint8Array)

/** Returns an answer with a body in the form in which it is sent, and with its length. */
export const withBody = (
  answer: HttpAnswer,
  content: WholeBody,
  headers: HeaderRecord = {}
): WholeAnswer => {
  const body = utf8Body(content)
  return {
    ...answer,
    headers: { ...answer.headers, ...headers, "content-length": `${body.length}` },
    body
  }
}

/** Returns an answer with the length of its body, if it can have one. */
export const withLength = (answer: HttpAnswer): HttpAnswer =>
  answer.headers["content-length"] !== undefined || isStream(answer.body) ||
    answer.status === 204 || answer.status === 304
    ? answer
    : withBody(answer, answer.body)

/** Returns the number of bytes of the body; 0 for a stream. */
export const bodyBytes = ({ body, headers }: HttpAnswer): number =>
  body === "" || isStream(body) ? 0 : Number(headers["content-length"])

/**
 * A body above this size is refused while too many bytes are unread by clients. It is cached as
 * bytes, which connections share; Node copies a string for each of them.
 */
export const largeBytes = 16_384

/** Returns the answer to HEAD: the headers of GET, including the length of its body if it has one. */
export const withoutBody = (answer: HttpAnswer): HttpAnswer => {
  if (isStream(answer.body)) answer.body.cancel().catch(() => undefined)
  return { ...answer, body: "" }
}

// with `ignoreBOM` the text includes a byte order mark, which the JSON reader refuses
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * Decodes UTF-8. Returns undefined if the bytes are invalid.
 *
 * @example
 * ```ts
 * import { utf8Text } from "rollup-node-api/http"
 *
 * console.log(utf8Text(new Uint8Array([0xc3, 0xa9]))) // => é
 * console.log(utf8Text(new Uint8Array([0xc3]))) // => undefined
 * ```
 */
export const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Scratch buffer; a larger text is encoded into new memory. */
const scratch = new Uint8Array(2 ** 18)

/** Returns the body of an answer: a text as it is if it is ASCII, otherwise its bytes in UTF-8. */
const utf8Body = (content: WholeBody): WholeBody => {
  if (typeof content !== "string") return content
  const { read, written } = encoder.encodeInto(content, scratch)
  const isWhole = read === content.length
  if (isWhole && written === read) return content
  const body = isWhole ? scratch.slice(0, written) : encoder.encode(content)
  return body.length === content.length ? content : body
}

/** Returns the problem if the URL, the headers or the declared length exceed a limit. */
export const exceededLimit = (
  { url, headers }: HttpRequest,
  limits: HttpLimits
): Problem | undefined => {
  if (url.length > limits.urlBytesMax) {
    return {
      name: "url-too-long",
      limit: "urlBytesMax",
      message: `The URL has ${url.length} bytes: at most ${limits.urlBytesMax} are accepted`
    }
  }
  let bytes = 0
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    if (typeof value === "string") bytes += name.length + value.length + 4
    else for (const each of value) bytes += name.length + each.length + 4
  }
  if (bytes > limits.headerBytesMax) {
    return {
      name: "headers-too-large",
      limit: "headerBytesMax",
      message: `The headers have ${bytes} bytes: at most ${limits.headerBytesMax} are accepted`
    }
  }
  const length = headers["content-length"]
  return length !== undefined && Number(length) > limits.bodyBytesMax
    ? bodyTooLarge(limits)
    : undefined
}

export const bodyTooLarge = ({ bodyBytesMax }: HttpLimits): Problem => ({
  name: "body-too-large",
  limit: "bodyBytesMax",
  message: `The body is too large: at most ${bodyBytesMax} bytes are accepted`
})

/** The headers that name the snapshot and the revision of an answer. */
export const answerHeaders = {
  revision: "api-revision",
  block: "ledger-ethereum-block",
  batch: "ledger-batch",
  version: "ledger-version"
} as const

/** The headers that pages in browsers may read. */
const exposedToAll =
  "Api-Revision, Ledger-Ethereum-Block, Ledger-Batch, Ledger-Version, ETag, Allow, Retry-After"

/**
 * Returns the headers for each answer of one revision. Answers of one snapshot share one object.
 *
 * @param exposedHeaders more headers that pages in browsers may read
 * @param vary value of the header `Vary`
 */
export const makeHeaders = (
  revision: string,
  exposedHeaders: ReadonlyArray<string>,
  vary: string
) => {
  const revisionHeaders: HeaderRecord = {
    "content-type": "application/json",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": [exposedToAll, ...exposedHeaders].join(", "),
    vary,
    [answerHeaders.revision]: revision
  }
  let lastSnapshotId: SnapshotId | undefined
  let headers = revisionHeaders
  return (snapshotId: SnapshotId | undefined): HeaderRecord => {
    if (
      snapshotId === undefined || snapshotId === lastSnapshotId ||
      (lastSnapshotId !== undefined && isSame(lastSnapshotId, snapshotId))
    ) {
      return headers
    }
    lastSnapshotId = snapshotId
    headers = {
      ...revisionHeaders,
      [answerHeaders.block]: String(synchedBlockNum(snapshotId)),
      // absent before the first batch
      ...(snapshotId.batchNum === null
        ? {}
        : { [answerHeaders.batch]: String(snapshotId.batchNum) }),
      [answerHeaders.version]: String(snapshotId.version)
    }
    return headers
  }
}

const isSame = (a: SnapshotId, b: SnapshotId) =>
  a.version === b.version && a.batchNum === b.batchNum && synchedBlockNum(a) === synchedBlockNum(b)

/**
 * Values of `Cache-Control`. An answer that can change is revalidated for each request, which costs
 * a 304. An answer that is too deep for a rollback is cached for a year.
 */
export const cacheControl = {
  revalidated: "no-cache",
  final: "public, max-age=31536000, immutable"
} as const

/** Returns the headers of a 304: those of the full answer, without those of its body. */
export const notModifiedHeaders = (full: HeaderRecord): HeaderRecord => {
  const { "content-length": _, "content-type": __, ...headers } = full
  return headers
}

/** Returns whether a browser asks with this request whether a page may send another one (CORS). */
export const isPreflight = ({ headers, method }: HttpRequest): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined

/**
 * Returns the headers of an answer to OPTIONS, for preflight requests of browsers (CORS).
 *
 * @param methods the methods of the path, as in the header `Allow`
 */
export const preflightHeaders = (methods: string): HeaderRecord => ({
  allow: methods,
  "access-control-allow-methods": methods,
  // the star means every name except Authorization; old browsers need the other names
  "access-control-allow-headers": "*, Authorization, Api-Revision, Content-Type",
  "access-control-max-age": "86400"
})
