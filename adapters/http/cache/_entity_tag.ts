import type { NetworkConstants } from "../../../core/domain/mod.ts"
import {
  type Dependency,
  ledgerParts,
  type LedgerSnapshot,
  versionsOf
} from "../../../core/ports/mod.ts"
import type { Accepted } from "../compression/mod.ts"
import type { RoutedRequest } from "../dispatch/mod.ts"

/*
 * Strong entity tags. An answer about the ledger does not change while its dependencies do not
 * change. So its tag names the dependencies and their versions, and everything else that determines
 * the bytes: the ledger, the program, the revision and the URL. A client can only have the tag if
 * it received this answer to this URL. The server therefore confirms a tag without reading the
 * store or the parameters.
 */

const dependencies: ReadonlyArray<Dependency> = [...ledgerParts, "slot"]
const allBits = 2 ** dependencies.length - 1

export interface LedgerTagsOptions {
  readonly ledgerId: string
  /** Names of the revisions. */
  readonly revisions: ReadonlyArray<string>
  /**
   * Identifies program and configuration: everything that determines the text of an answer, besides
   * ledger, revision and URL.
   */
  readonly program: string
  readonly constants: NetworkConstants
}

/** The tags of answers about one ledger. */
export class LedgerTags {
  readonly #constants: NetworkConstants
  /** By name of the revision. */
  readonly #prefixes: ReadonlyMap<string, string>

  constructor({ constants, ledgerId, program, revisions }: LedgerTagsOptions) {
    this.#constants = constants
    this.#prefixes = new Map(
      revisions.map((name) => [name, `"${digest(`${ledgerId} ${name} ${program}`)}-`])
    )
  }

  /** Returns the tags of the answers to a request that are computed from a snapshot. */
  at({ request: { url }, routes }: RoutedRequest, snapshot: LedgerSnapshot) {
    const prefix = this.#prefixes.get(routes.revision)!
    let urlDigest: string | undefined
    const write = (bits: number): string => {
      const dependsOn = dependencies.filter((_, i) => (bits >> i & 1) === 1)
      const versions = versionsOf(dependsOn, snapshot, this.#constants)
      return `${prefix}${bits.toString(36)}-${versions}-${urlDigest ??= digest(url)}"`
    }
    return {
      /** Returns the tag of the answer that has these dependencies. */
      of: (dependsOn: ReadonlyArray<Dependency>): string =>
        write(dependsOn.reduce((bits, part) => bits | 1 << dependencies.indexOf(part), 0)),
      /** Returns whether a tag is that of the answer, whatever its dependencies are. */
      isCurrent: (tag: string): boolean =>
        tag.startsWith(prefix) && tag === write(parseInt(tag.slice(prefix.length), 36) & allBits)
    }
  }
}

const latin1 = new TextDecoder("latin1")

/** Returns the tag of an answer that can change without the ledger: a digest of its content. */
export const contentTag = (revision: string, body: string | Uint8Array): string =>
  `"${digest(`${revision} ${typeof body === "string" ? body : latin1.decode(body)}`)}"`

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
  const tags = String(header).split(",").map((text) => text.trim().replace(/^W\//u, ""))
  for (const coding of accepted) {
    const end = coding === null ? '"' : `+${coding.name}"`
    const match = tags.find((tag) =>
      tag === "*" ? isCurrent(tag) : tag.endsWith(end) && isCurrent(`${tag.slice(0, -end.length)}"`)
    )
    if (match !== undefined) return match
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
