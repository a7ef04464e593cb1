import type { Effect } from "effect"
import type { LimitName } from "./limit.ts"
import type { Problem, ProblemName } from "./problem.ts"

/** A request as every transport can state it. */
export interface HttpRequest {
  readonly method: string
  /** Path and query as they stand on the wire, percent-encoded. */
  readonly url: string
  /** By lower-case name, as `node:http` gives them. */
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  /** Reads the body, but not past the given size. Asked for at most once: where somebody wants it, or its size is not declared. */
  readonly body?: (bytesMax: number) => Effect.Effect<Uint8Array, ProblemName>
  /** Who sent it, as far as the transport knows: its socket. */
  readonly peer?: { readonly remoteAddress?: string | undefined }
  /** Called once before an answer is computed; without it all are. A cached answer does not ask. */
  readonly admit?: () => Admission
  /** Whether an answer of this many bytes is sent now; without it each one is. */
  readonly accepts?: (bytes: number) => boolean
  /** What the transport refuses it for, before anybody looks at it. */
  readonly refused?: Problem
}

/** The answer is computed at once, or not at all to shed load, or if the effect returns true. */
export type Admission = "run" | "shed" | Effect.Effect<boolean>

/** An answer, complete but for what only a transport can add: the length of a body that is there. */
export interface HttpAnswer {
  readonly status: number
  /** By lower-case name. Answers of one snapshot may share the object. */
  readonly headers: { readonly [name: string]: string }
  /** Empty where there is none: after HEAD, and with a status that has none. */
  readonly body: string | Uint8Array
  /** The body is a text whose characters are a byte each, whatever encoding writes it. */
  readonly isAscii?: boolean
  /** Why the request was refused. */
  readonly problem?: ProblemName
  /** The limit that was hit, by the name of its setting. */
  readonly limit?: LimitName
}

/** What became of the requests for answers that can be kept ready, since the start, and what is kept now. */
export interface AnswerStats {
  readonly entries: number
  /** Bodies, and an estimate of what surrounds them. Answers that have been overtaken count until they make room. */
  readonly bytes: number
  readonly bytesMax: number
  /** Whole answers that were there. */
  readonly hits: number
  /** Answers that had to be computed. */
  readonly misses: number
  /** Requests that waited for what another one computed. */
  readonly shared: number
  /** Clients that had the answer already, most of them found out without any read. */
  readonly notModified: number
  /** Answers that were dropped to make room. */
  readonly evictions: number
}

const encoder = new TextEncoder()

/** Length of a body on the wire. */
export const bodyBytes = (body: string | Uint8Array): number =>
  typeof body === "string" ? encoder.encode(body).length : body.length

/** Answers with larger bodies are refused while clients leave too much unread, and cached as bytes that connections share. */
export const largeBytes = 16_384

/** The answer to HEAD: the same headers, with the length that the body would have had. */
export const withoutBody = (answer: HttpAnswer): HttpAnswer => ({
  ...answer,
  headers: { ...answer.headers, "content-length": `${bodyBytes(answer.body)}` },
  body: ""
})
