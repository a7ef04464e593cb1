import { Effect } from "effect"
import { bytesOf, type HttpAnswer, type WholeAnswer, withBody } from "../message/mod.ts"
import type { CompressionOptions, ContentCoding } from "./content_coding.ts"

/** A coding that a client accepts; null is the uncompressed body (`identity`). */
export type AcceptedCoding = ContentCoding | null

/** The codings that a client accepts, the preferred one first. Never empty. */
export type Accepted = readonly [AcceptedCoding, ...ReadonlyArray<AcceptedCoding>]

const identityOnly: Accepted = [null]

/** Number of header values whose result is remembered; clients send few different ones. */
const rememberedMax = 256

/**
 * Returns a function from the header `Accept-Encoding` to the offered codings that it accepts (RFC
 * 9110, section 12.5.3). Among equal weights the order is that of `codings`, then `identity`. A
 * coding with an invalid weight is not accepted. If the client accepts neither an offered coding nor
 * `identity`, the header is disregarded.
 */
export const makeNegotiator = (codings: ReadonlyArray<ContentCoding>) => {
  const remembered = new Map<string, Accepted>()
  return (header: string | ReadonlyArray<string> | undefined): Accepted => {
    if (header === undefined || codings.length === 0) return identityOnly
    const text = String(header)
    const known = remembered.get(text)
    if (known !== undefined) return known
    const accepted = negotiate(text, codings)
    if (remembered.size < rememberedMax) remembered.set(text, accepted)
    return accepted
  }
}

const negotiate = (header: string, codings: ReadonlyArray<ContentCoding>): Accepted => {
  const weights = new Map<string, number>()
  for (const member of header.split(",")) {
    const [name, ...parameters] = member.split(";").map((part) => part.trim().toLowerCase())
    if (name !== "") weights.set(name === "x-gzip" ? "gzip" : name!, weightOf(parameters))
  }
  const any = weights.get("*")
  const accepted: Array<{ readonly coding: AcceptedCoding; readonly weight: number }> = [
    ...codings.map((coding) => ({ coding, weight: weights.get(coding.name) ?? any ?? 0 })),
    // without a weight of its own, identity is acceptable, but any accepted coding is preferred
    { coding: null, weight: weights.get("identity") ?? (any === 0 ? 0 : Number.MIN_VALUE) }
  ]
  const [first, ...others] = accepted.filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ coding }) => coding)
  return first === undefined ? identityOnly : [first, ...others]
}

/** Returns the weight from 0 to 1; 1 if there is none, and 0 if it is invalid. */
const weightOf = (parameters: ReadonlyArray<string>): number => {
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
  if (weight === undefined) return 1
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/u.test(weight) ? Number(weight) : 0
}

/** An answer, and its compressed bodies by name of the coding. */
export interface Compressible {
  readonly answer: WholeAnswer
  readonly etag: string
  /** A body is a promise while it is being compressed. */
  readonly compressed: Map<string, Uint8Array | Promise<Uint8Array>>
}

/**
 * Maximum number of bodies that are compressed at a time, each in memory. Further answers are sent
 * uncompressed.
 */
const compressionsMax = 32

/** Compresses the answers of one application. */
export class Compressor {
  readonly #bytesMin: number
  #running = 0
  readonly negotiate: ReturnType<typeof makeNegotiator>
  /** By name of the coding: answers that were sent compressed, and bodies that were compressed. */
  readonly stats: ReadonlyMap<string, { sent: number; compressed: number }>

  constructor({ bytesMin = 1024, codings }: CompressionOptions) {
    this.#bytesMin = bytesMin
    this.negotiate = makeNegotiator(codings)
    this.stats = new Map(codings.map(({ name }) => [name, { sent: 0, compressed: 0 }]))
  }

  /**
   * Returns the answer in the preferred coding. Uncompressed if the body is below the minimum size
   * or too many bodies are being compressed, unless the client refuses that.
   *
   * @param keep returns whether there is space for the compressed body
   */
  encode(
    of: Compressible,
    accepted: Accepted,
    keep: (bytes: number) => boolean
  ): Effect.Effect<HttpAnswer> {
    const { answer, compressed } = of
    const [coding] = accepted
    if (coding === null) return Effect.succeed(answer)
    const known = compressed.get(coding.name)
    const isSmall = answer.body.length < this.#bytesMin
    const isBusy = known === undefined && this.#running >= compressionsMax
    if ((isSmall || isBusy) && accepted.includes(null)) return Effect.succeed(answer)
    if (known instanceof Uint8Array) return Effect.succeed(this.#encoded(of, coding, known))
    const compression = known ?? this.#start(of, coding, keep)
    return Effect.matchEffect(Effect.tryPromise(() => compression), {
      onFailure: (error) =>
        Effect.as(Effect.logWarning("An answer was not compressed", error), answer),
      onSuccess: (body) => Effect.succeed(this.#encoded(of, coding, body))
    })
  }

  /** Starts to compress a body. Other requests wait for the same promise. */
  #start(
    { answer, compressed }: Compressible,
    { compress, name }: ContentCoding,
    keep: (bytes: number) => boolean
  ): Promise<Uint8Array> {
    this.#running++
    const compression = (async () => compress(bytesOf(answer.body)))()
      .finally(() => this.#running--)
    compressed.set(name, compression)
    compression.then((body) => {
      this.stats.get(name)!.compressed++
      if (keep(body.length)) compressed.set(name, body)
      else compressed.delete(name)
    }, () => compressed.delete(name))
    return compression
  }

  #encoded({ answer, etag }: Compressible, { name }: ContentCoding, body: Uint8Array): HttpAnswer {
    this.stats.get(name)!.sent++
    return withBody(answer, body, {
      // a strong tag identifies bytes
      etag: `${etag.slice(0, -1)}+${name}"`,
      "content-encoding": name
    })
  }
}
