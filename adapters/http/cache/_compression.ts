import { Effect } from "effect"
import type { Accepted, CompressionOptions, ContentCoding } from "../compression/mod.ts"
import type { EncodingStats, HttpAnswer } from "../message/mod.ts"
import { codedTag } from "./_entity_tag.ts"

const textEncoder = new TextEncoder()

/**
 * Maximum number of bodies that are compressed at a time, each in memory. Further answers are sent
 * uncompressed.
 */
const compressionsMax = 32

/** The compressions of one application. */
export interface Compressor {
  readonly bytesMin: number
  readonly stats: ReadonlyMap<string, { -readonly [Name in keyof EncodingStats]: number }>
  /** Number of bodies that are being compressed. */
  running: number
}

export const makeCompressor = ({ bytesMin = 1024, codings }: CompressionOptions): Compressor => ({
  bytesMin,
  stats: new Map(codings.map(({ name }) => [name, { sent: 0, compressed: 0 }])),
  running: 0
})

/** An answer with status 200, and what requests for it share, by name of the coding. */
export interface Compressible {
  readonly answer: HttpAnswer
  readonly compressed: Map<string, Promise<Uint8Array>>
  /** Compressed answers with the headers of `answer`; without them each answer waits for a promise. */
  readonly encoded: Map<string, HttpAnswer>
}

/**
 * Returns the answer in the preferred coding. Uncompressed if the body is below the minimum size or
 * too many bodies are being compressed, unless the client refuses that.
 *
 * @param keep returns whether there is space for the compressed body
 */
export const encode = (
  compressor: Compressor,
  of: Compressible,
  accepted: Accepted,
  keep: (bytes: number) => boolean
): Effect.Effect<HttpAnswer> => {
  const { answer, compressed, encoded } = of
  const [coding] = accepted
  if (coding === null) return Effect.succeed(answer)
  const isPlainAccepted = accepted.includes(null)
  if (answer.body.length < compressor.bytesMin && isPlainAccepted) return Effect.succeed(answer)
  const { name } = coding
  const known = encoded.get(name)
  if (known !== undefined) {
    compressor.stats.get(name)!.sent++
    return Effect.succeed(known)
  }
  return Effect.suspend(() => {
    let body = compressed.get(name)
    if (body === undefined) {
      if (compressor.running >= compressionsMax && isPlainAccepted) return Effect.succeed(answer)
      compressed.set(name, body = compress(compressor, coding, answer))
      const forget = () => compressed.delete(name)
      body.then(({ length }) => keep(length) || forget(), forget)
    }
    return Effect.matchEffect(Effect.tryPromise(() => body), {
      onFailure: (error) =>
        Effect.as(Effect.logWarning("An answer was not compressed", error), answer),
      onSuccess: (body) => {
        compressor.stats.get(name)!.sent++
        const result = encodedAnswer(answer, name, body)
        if (of.answer === answer && compressed.has(name)) encoded.set(name, result)
        return Effect.succeed(result)
      }
    })
  })
}

const compress = async (
  compressor: Compressor,
  coding: ContentCoding,
  { body }: HttpAnswer
): Promise<Uint8Array> => {
  compressor.running++
  try {
    const bytes = typeof body === "string" ? textEncoder.encode(body) : body
    const compressed = await coding.compress(bytes)
    compressor.stats.get(coding.name)!.compressed++
    return compressed
  } finally {
    compressor.running--
  }
}

const encodedAnswer = (answer: HttpAnswer, coding: string, body: Uint8Array): HttpAnswer => ({
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
