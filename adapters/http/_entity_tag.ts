import type { Revision } from "../../core/contract/mod.ts"
import type { LedgerTip } from "../../core/ports/mod.ts"

/*
 * Strong entity tags. Between two versions of the ledger an answer about it is a constant, so its tag names the version, and what else
 * the bytes depend on: the ledger, the program, the revision, and the URL. Whoever comes with such a tag has been given this
 * answer to this URL, so nothing has to be read, not even its parameters, to see that it is still the one.
 */

/** Tags of the answers of one revision about one ledger. `program` is whatever decides how an answer is written. */
export const makeLedgerTags = (tip: LedgerTip, revision: Revision, program: string) => {
  const prefix = `"${digest(`${tip.id} ${revision.name} ${program}`)}`
  return (url: string, version: number): string => `${prefix}-${version.toString(36)}-${digest(url)}"`
}

/** The tag of what can change without the ledger: its content tells. */
export const contentTag = (body: string | Uint8Array): string => `"${digest(typeof body === "string" ? body : Buffer.from(body).toString("latin1"))}"`

/** Whether `If-None-Match` names the tag; the weak comparison that RFC 9110 §13.1.2 asks for. */
export const isMatched = (header: string | ReadonlyArray<string> | undefined, tag: string): boolean => {
  if (header === undefined) return false
  const names = String(header)
  return names === tag || names.split(",").some((name) => name.trim().replace(/^W\//u, "") === tag)
}

/** 106 bits of a text: no secret, but two texts that come by chance never share them. */
const digest = (text: string): string => {
  let [a, b, c, d] = [0xdeadbeef, 0x41c6ce57, 0x9e3779b9, 0x85ebca6b]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
    c = Math.imul(c ^ unit, 2246822507)
    d = Math.imul(d ^ unit, 3266489909)
  }
  const [one, two] = [mixed(a, b), mixed(c, d)]
  return one.toString(36) + two.toString(36)
}

const mixed = (high: number, low: number): number => {
  const a = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  const b = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}
