import { Effect } from "effect"
import {
  type Accepted,
  type CompressionOptions,
  type ContentCoding,
  makeNegotiator
} from "../compression/mod.ts"
import type { HttpAnswer, HttpRequest } from "../message/mod.ts"
import { codedTag } from "./_entity_tag.ts"

const textEncoder = new TextEncoder()

/**
 * Maximum number of bodies that are compressed at a time, each in memory. Further answers are sent
 * uncompressed.
 */
const compressionsMax = 32

interface EncodedBody {
  readonly body: Uint8Array
  /** The uncompressed answer from which `answer` was made. */
  source: HttpAnswer | null
  answer: HttpAnswer | null
}

/** The compressed bodies of a cached answer, by name of the coding. */
export interface EncodedBodies {
  readonly done: Map<string, EncodedBody>
  /** The bodies that are being compressed. */
  readonly pending: Map<string, Promise<Uint8Array>>
  /** Keeps a compressed body. Returns false if there is no space for it. */
  readonly keep: (bytes: number) => boolean
}

/** Returns the encoder of answers: it selects a content coding for each request and compresses. */
export const makeEncoder = ({ bytesMin = 1024, codings }: CompressionOptions) => {
  const negotiate = makeNegotiator(codings)
  const stats = new Map(
    codings.map(({ name }) => [name, { sent: 0, compressed: 0 }])
  )
  let running = 0

  const compress = (
    body: string | Uint8Array,
    coding: ContentCoding,
    bodies: EncodedBodies | null
  ): Promise<Uint8Array> => {
    running++
    const compressed = coding.compress(typeof body === "string" ? textEncoder.encode(body) : body)
      .then((compressed) => {
        stats.get(coding.name)!.compressed++
        if (bodies?.keep(compressed.length) === true) {
          bodies.done.set(coding.name, { body: compressed, source: null, answer: null })
        }
        return compressed
      })
      .finally(() => {
        running--
        bodies?.pending.delete(coding.name)
      })
    bodies?.pending.set(coding.name, compressed)
    return compressed
  }

  /** Returns the codings that the request accepts, the preferred one first. */
  const accepted = ({ headers }: HttpRequest): Accepted => negotiate(headers["accept-encoding"])

  /**
   * Returns an answer with status 200 in the preferred coding. Uncompressed if the body is below
   * the minimum size or too many bodies are being compressed, unless the client refuses that.
   * Concurrent requests for a cached answer share one compression.
   *
   * @param bodies the compressed bodies of a cached answer; null if it is not cached
   */
  const encode = (
    answer: HttpAnswer,
    accepted: Accepted,
    bodies: EncodedBodies | null
  ): Effect.Effect<HttpAnswer> => {
    const [coding] = accepted
    if (coding === null) return Effect.succeed(answer)
    const isPlainAccepted = accepted.includes(null)
    if (answer.body.length < bytesMin && isPlainAccepted) return Effect.succeed(answer)
    const { name } = coding
    const known = bodies?.done.get(name)
    if (known !== undefined) {
      stats.get(name)!.sent++
      if (known.source !== answer) {
        known.source = answer
        known.answer = encodedAnswer(answer, name, known.body)
      }
      return Effect.succeed(known.answer!)
    }
    return Effect.suspend(() => {
      const body = bodies?.done.get(name)?.body ?? bodies?.pending.get(name)
      if (body === undefined && running >= compressionsMax && isPlainAccepted) {
        return Effect.succeed(answer)
      }
      return Effect.matchEffect(
        Effect.tryPromise(async () => body ?? compress(answer.body, coding, bodies)),
        {
          onFailure: (error) =>
            Effect.as(Effect.logWarning("An answer was not compressed", error), answer),
          onSuccess: (body) => {
            stats.get(name)!.sent++
            return Effect.succeed(encodedAnswer(answer, name, body))
          }
        }
      )
    })
  }
  return { accepted, encode, stats }
}

const encodedAnswer = (
  answer: HttpAnswer,
  coding: string,
  body: Uint8Array
): HttpAnswer => ({
  ...answer,
  body,
  isAscii: false,
  headers: {
    ...answer.headers,
    ...answer.headers.etag === undefined ? {} : { etag: codedTag(answer.headers.etag, coding) },
    "content-encoding": coding,
    "content-length": `${body.length}`
  }
})
