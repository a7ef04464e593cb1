import type { Revision } from "../../../core/contract/mod.ts"
import { ledgerParts, type LedgerTip } from "../../../core/ports/mod.ts"
import type { Dependency } from "../../../core/use_cases/mod.ts"

/*
 * Strong entity tags. An answer about the ledger is a constant while what it depends on stays, so
 * its tag names that and its versions, and what else the bytes depend on: the ledger, the program,
 * the revision, and the URL. Whoever comes with such a tag has been given this answer to this URL,
 * so nothing has to be read, not even its parameters, to see that it is still the one.
 */

/**
 * What a tag tells of an answer: its dependencies, and as which text they stood in its snapshot.
 */
export interface Dependence {
  readonly dependsOn: ReadonlyArray<Dependency>
  readonly versions: string
}

export interface LedgerTags {
  readonly write: (url: string, of: Dependence) => string
  /** What a tag tells; undefined of one that no answer to this URL had. */
  readonly read: (url: string, tag: string) => Dependence | undefined
}

const dependencies: ReadonlyArray<Dependency> = [...ledgerParts, "slot"]
const maskOf = (dependsOn: ReadonlyArray<Dependency>): string =>
  dependsOn.reduce((mask, one) => mask | 1 << dependencies.indexOf(one), 0).toString(36)

/**
 * Tags of the answers of one revision about one ledger. `program` is whatever decides how an answer
 * is written.
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
      return { dependsOn: dependencies.filter((_, place) => (bits >> place & 1) === 1), versions }
    }
  }
}

const latin1 = new TextDecoder("latin1")

/** The tag of what can change without the ledger: its content tells. */
export const contentTag = (revision: Revision, body: string | Uint8Array): string =>
  `"${
    digest(
      `${revision.name} ${typeof body === "string" ? body : latin1.decode(body)}`
    )
  }"`

/**
 * The tags that `If-None-Match` names; the weak comparison that RFC 9110 §13.1.2 asks for makes no
 * difference of `W/`.
 */
export const namedTags = (header: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  String(header).split(",").map((name) => name.trim().replace(/^W\//u, ""))

/** Whether `If-None-Match` names the tag, or any with a star. */
export const isMatched = (header: string | ReadonlyArray<string>, tag: string): boolean =>
  header === tag || namedTags(header).some((name) => name === tag || name === "*")

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
