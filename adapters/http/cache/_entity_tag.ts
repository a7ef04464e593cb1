import type { Revision } from "../../../core/contract/mod.ts"
import { type Dependency, ledgerParts, type LedgerTip } from "../../../core/ports/mod.ts"
import type { Accepted } from "../compression/mod.ts"

/*
 * Strong entity tags. An answer about the ledger does not change while its dependencies do not
 * change. So its tag names the dependencies and their versions, and everything else that determines
 * the bytes: the ledger, the program, the revision and the URL. A client can only have the tag if
 * it received this answer to this URL. The server therefore confirms a tag without reading the
 * store or the parameters.
 */

/** The dependencies of an answer, and their versions in its snapshot as text. */
export interface DependencyVersions {
  readonly dependsOn: ReadonlyArray<Dependency>
  readonly versions: string
}

export interface LedgerTags {
  /** Returns the tag of the answer to a URL. */
  readonly write: (url: string, of: DependencyVersions) => string
  /** Returns the content of a tag, or undefined if no answer to this URL can have it. */
  readonly read: (url: string, tag: string) => DependencyVersions | undefined
}

const dependencies: ReadonlyArray<Dependency> = [...ledgerParts, "slot"]
const maskOf = (dependsOn: ReadonlyArray<Dependency>): string =>
  dependsOn.reduce((mask, part) => mask | 1 << dependencies.indexOf(part), 0).toString(36)

/**
 * Returns the tags of the answers of one revision about one ledger.
 *
 * @param program identifies everything else that determines how an answer is written
 */
export const makeLedgerTags = (tip: LedgerTip, revision: Revision, program: string): LedgerTags => {
  const prefix = `"${digest(`${tip.id} ${revision.name} ${program}`)}`
  const masks = new Map<ReadonlyArray<Dependency>, string>()
  const knownMask = (dependsOn: ReadonlyArray<Dependency>): string => {
    let mask = masks.get(dependsOn)
    if (mask === undefined) masks.set(dependsOn, mask = maskOf(dependsOn))
    return mask
  }
  return {
    write: (url, { dependsOn, versions }) =>
      `${prefix}-${knownMask(dependsOn)}-${versions}-${digest(url)}"`,
    read: (url, tag) => {
      const [start, mask, versions, end, ...more] = tag.split("-")
      if (
        start !== prefix || versions === undefined || more.length > 0 || end !== `${digest(url)}"`
      ) return undefined
      const bits = parseInt(mask!, 36)
      return { dependsOn: dependencies.filter((_, i) => (bits >> i & 1) === 1), versions }
    }
  }
}

const latin1 = new TextDecoder("latin1")

/** Returns the tag of an answer that can change without the ledger: a digest of its content. */
export const contentTag = (revision: Revision, body: string | Uint8Array): string =>
  `"${
    digest(
      `${revision.name} ${typeof body === "string" ? body : latin1.decode(body)}`
    )
  }"`

/**
 * Returns the tags in `If-None-Match`, without `W/`, which the weak comparison of RFC 9110, section
 * 13.1.2 ignores.
 */
const namedTags = (header: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  String(header).split(",").map((name) => name.trim().replace(/^W\//u, ""))

/**
 * Returns the tag of the answer in a content coding: the tag of the uncompressed answer with the
 * name of the coding, since a strong tag identifies bytes.
 */
export const codedTag = (tag: string, coding: string | undefined): string =>
  coding === undefined ? tag : `${tag.slice(0, -1)}+${coding}"`

/** Returns the tag of the uncompressed answer, and the name of the coding in the tag. */
const splitTag = (tag: string): readonly [tag: string, coding: string | undefined] => {
  const plus = tag.lastIndexOf("+")
  return plus < 0 ? [tag, undefined] : [`${tag.slice(0, plus)}"`, tag.slice(plus + 1, -1)]
}

/**
 * Returns the tag in `If-None-Match` that identifies the current answer in a coding that the client
 * accepts, the preferred one first.
 *
 * @param isCurrent returns whether a tag is that of the current uncompressed answer
 */
export const matchedTag = (
  header: string | ReadonlyArray<string> | undefined,
  accepted: Accepted,
  isCurrent: (tag: string) => boolean
): string | undefined => {
  if (header === undefined) return undefined
  const current = namedTags(header).map((tag) => [tag, ...splitTag(tag)] as const)
    .filter(([, uncoded]) => isCurrent(uncoded))
  for (const coding of accepted) {
    const match = current.find(([tag, , name]) => name === coding?.name || tag === "*")
    if (match !== undefined) return match[0]
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
  const [one, two] = [mixed(a, b), mixed(c, d)]
  return one.toString(36) + two.toString(36)
}

const mixed = (high: number, low: number): number => {
  const a = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  const b = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}
