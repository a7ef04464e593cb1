import type { LedgerStamp } from "../../../core/ports/mod.ts"

/** The headers that name the snapshot and the revision of an answer. */
export const answerHeaders = {
  revision: "api-revision",
  block: "ledger-ethereum-block",
  batch: "ledger-batch",
  version: "ledger-version"
} as const

export type HeaderRecord = { readonly [name: string]: string }

const common: HeaderRecord = {
  "content-type": "application/json",
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Api-Revision, Ledger-Ethereum-Block, Ledger-Batch, Ledger-Version, ETag, Allow, Retry-After",
  // the header chooses the revision at the default mount, so a shared cache must tell them apart
  vary: "Api-Revision"
}

/**
 * Returns the headers for each answer of one revision. Answers of one snapshot share one object.
 *
 * @param exposedHeaders more headers that pages in browsers may read
 */
export const makeHeaders = (revision: string, exposedHeaders: ReadonlyArray<string>) => {
  const always: HeaderRecord = {
    ...common,
    "access-control-expose-headers": [common["access-control-expose-headers"], ...exposedHeaders]
      .join(", "),
    [answerHeaders.revision]: revision
  }
  let last: LedgerStamp | undefined
  let headers = always
  return (stamp: LedgerStamp | undefined): HeaderRecord => {
    if (stamp === undefined || stamp === last || (last !== undefined && same(last, stamp))) {
      return headers
    }
    last = stamp
    headers = {
      ...always,
      [answerHeaders.block]: String(stamp.ethereumBlockNum),
      // there is none before the first batch
      ...(stamp.batchNum === null ? {} : { [answerHeaders.batch]: String(stamp.batchNum) }),
      [answerHeaders.version]: String(stamp.version)
    }
    return headers
  }
}

const same = (a: LedgerStamp, b: LedgerStamp) =>
  a.version === b.version && a.batchNum === b.batchNum && a.ethereumBlockNum === b.ethereumBlockNum

/**
 * What shared and private caches may do. The tip is kept and asked about each time, which costs a
 * 304; what is too deep for a rollback is kept for a year.
 */
export const cacheControl = {
  tip: "no-cache",
  final: "public, max-age=31536000, immutable"
} as const

/**
 * The headers of a 304, from those of the answer that the client has already: without what
 * describes a body.
 */
export const notModifiedHeaders = (whole: HeaderRecord): HeaderRecord => {
  const { "content-length": _, "content-type": __, ...headers } = whole
  return headers
}

/**
 * What a browser asks before it sends a request that is not simple, and how long it may remember
 * the answer.
 */
export const preflightHeaders = (methods: string): HeaderRecord => ({
  allow: methods,
  "access-control-allow-methods": methods,
  // the star stands for all names but Authorization; the others are for browsers that do not know
  // it
  "access-control-allow-headers": "*, Authorization, Api-Revision, Content-Type",
  "access-control-max-age": "86400"
})
