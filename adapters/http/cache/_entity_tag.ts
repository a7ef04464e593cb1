import type { Revision } from "../../../core/contract/mod.ts"
import { type Dependency, ledgerParts } from "../../../core/ports/mod.ts"
import type { Accepted } from "../compression/mod.ts"

/*
 * Strong entity tags. An answer about the ledger does not change while its dependencies do not
 * change. So its tag names the dependencies and their versions, and everything else that determines
 * the bytes: the ledger, the program, the revision and the URL. A client can only have the tag if
 * it received this answer to this URL. The server therefore confirms a tag without reading the
 * store or the parameters.
 */

/** Returns the versions of dependencies in a snapshot as text. */
type VersionsOf = (dependsOn: ReadonlyArray<Dependency>) => string

const dependencies: ReadonlyArray<Dependency> = [...ledgerParts, "slot"]

/** The tags of the answers of one revision about one ledger. */
export class LedgerTags {
  readonly #prefix: string

  /** @param program identifies everything else that determines how an answer is written */
  constructor(ledgerId: string, revision: Revision, program: string) {
    this.#prefix = `"${digest(`${ledgerId} ${revision.name} ${program}`)}-`
  }

  /** Returns the tag of the answer to a URL with these dependencies and versions. */
  of(url: string, dependsOn: ReadonlyArray<Dependency>, versions: string): string {
    return this.#write(dependsOn, versions, digest(url))
  }

  /** Returns whether a tag is that of the answer to a URL in the snapshot with these versions. */
  currentTags(url: string, versionsOf: VersionsOf): (tag: string) => boolean {
    const urlDigest = digest(url)
    return (tag) => {
      if (!tag.startsWith(this.#prefix)) return false
      const mask = parseInt(tag.slice(this.#prefix.length), 36)
      const dependsOn = dependencies.filter((_, i) => (mask >> i & 1) === 1)
      return tag === this.#write(dependsOn, versionsOf(dependsOn), urlDigest)
    }
  }

  #write(dependsOn: ReadonlyArray<Dependency>, versions: string, urlDigest: string): string {
    const mask = dependsOn.reduce((bits, part) => bits | 1 << dependencies.indexOf(part), 0)
    return `${this.#prefix}${mask.toString(36)}-${versions}-${urlDigest}"`
  }
}

const latin1 = new TextDecoder("latin1")

/** Returns the tag of an answer that can change without the ledger: a digest of its content. */
export const contentTag = (revision: Revision, body: string | Uint8Array): string =>
  `"${digest(`${revision.name} ${typeof body === "string" ? body : latin1.decode(body)}`)}"`

/**
 * Returns the tag in `If-None-Match` that identifies the current answer in a coding that the client
 * accepts, the preferred one first. The comparison is the weak one of RFC 9110, section 13.1.2,
 * which ignores `W/`.
 *
 * @param isCurrent returns whether a tag is that of the current uncompressed answer
 */
export const matchedTag = (
  header: string | ReadonlyArray<string> | undefined,
  accepted: Accepted,
  isCurrent: (tag: string) => boolean
): string | undefined => {
  if (header === undefined) return undefined
  const current = String(header).split(",").flatMap((text) => {
    const tag = text.trim().replace(/^W\//u, "")
    const plus = tag.lastIndexOf("+")
    const uncoded = plus < 0 ? tag : `${tag.slice(0, plus)}"`
    return isCurrent(uncoded) ? [{ tag, coding: plus < 0 ? null : tag.slice(plus + 1, -1) }] : []
  })
  for (const coding of accepted) {
    const name = coding === null ? null : coding.name
    const match = current.find((each) => each.coding === name || each.tag === "*")
    if (match !== undefined) return match.tag
  }
  return undefined
}

/** Returns 106 bits of a text, in base 36. Not cryptographic: it only avoids random collisions. */
const digest = (text: string): string => {
  let [a, b, c, d] = [0xdeadbeef, 0x41c6ce57, 0x9e3779b9, 0x85ebca6b]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
    c = Math.imul(c ^ unit, 2246822507)
    d = Math.imul(d ^ unit, 3266489909)
  }
  return mixed(a, b).toString(36) + mixed(c, d).toString(36)
}

const mixed = (high: number, low: number): number => {
  const a = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  const b = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}
