import type { Effect } from "effect"
import type { LimitName } from "./limit.ts"
import type { Problem, ProblemName } from "./problem.ts"

/** A request, independent of the transport. */
export interface HttpRequest {
  readonly method: string
  /** Path and query as received, percent-encoded. */
  readonly url: string
  /** By lower-case name, as in `node:http`. */
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  /**
   * Reads the body, or fails if it is longer than `bytesMax`. Called at most once: by a write
   * operation, or if the request does not declare its length.
   */
  readonly body?: (bytesMax: number) => Effect.Effect<Uint8Array, ProblemName>
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

/**
 * "run" computes the answer now, "shed" refuses it to shed load; an effect returns whether to
 * compute it, after waiting in the queue.
 */
export type Admission = "run" | "shed" | Effect.Effect<boolean>

/** An answer. The transport adds `content-length` if it is missing. */
export interface HttpAnswer {
  readonly status: number
  /** By lower-case name. Answers of one snapshot may share the object. */
  readonly headers: { readonly [name: string]: string }
  /** Empty after HEAD, and with a status that has no body. */
  readonly body: string | Uint8Array
  /** True if the body is an ASCII string, which has the same bytes in every encoding. */
  readonly isAscii?: boolean
  /** The problem, if the request was refused. */
  readonly problem?: ProblemName
  /** The setting of the limit that was hit. */
  readonly limit?: LimitName
}

/** Counters of the response cache since the start, and its current size. */
export interface AnswerStats {
  readonly entries: number
  /**
   * Bytes of bodies, and an estimate of their overhead. Stale entries count until they are evicted.
   */
  readonly bytes: number
  readonly bytesMax: number
  /** Requests answered with a cached body. */
  readonly hits: number
  /** Requests whose answer was computed. */
  readonly misses: number
  /** Requests that joined the computation of another one. */
  readonly shared: number
  /** Requests answered with 304, mostly without reading the store. */
  readonly notModified: number
  /** Entries dropped to make room. */
  readonly evictions: number
}

const encoder = new TextEncoder()

/** Returns the length of a body in bytes. */
export const bodyBytes = (body: string | Uint8Array): number =>
  typeof body === "string" ? encoder.encode(body).length : body.length

/**
 * A body above this size is refused while too many bytes are unread by clients. It is cached as
 * bytes, which connections share.
 */
export const largeBytes = 16_384

/** Returns the answer to HEAD: the headers of GET, including the length of its body. */
export const withoutBody = (answer: HttpAnswer): HttpAnswer => ({
  ...answer,
  headers: { ...answer.headers, "content-length": `${bodyBytes(answer.body)}` },
  body: ""
})
