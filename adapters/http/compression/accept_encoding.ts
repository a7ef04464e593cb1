import type { ContentCoding } from "./content_coding.ts"

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
