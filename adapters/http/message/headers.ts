import type { LedgerStamp } from "../../../core/ports/mod.ts"

/** The headers that name the snapshot and the revision of an answer. */
export const answerHeaders = {
  revision: "api-revision",
  block: "ledger-ethereum-block",
  batch: "ledger-batch",
  version: "ledger-version"
} as const

export type HeaderRecord = { readonly [name: string]: string }

const commonHeaders: HeaderRecord = {
  "content-type": "application/json",
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Api-Revision, Ledger-Ethereum-Block, Ledger-Batch, Ledger-Version, ETag, Allow, Retry-After",
  // at the default mount the header selects the revision, so shared caches must distinguish it
  vary: "Api-Revision"
}

/**
 * Returns the headers for each answer of one revision. Answers of one snapshot share one object.
 *
 * @param exposedHeaders more headers that pages in browsers may read
 */
export const makeHeaders = (revision: string, exposedHeaders: ReadonlyArray<string>) => {
  const revisionHeaders: HeaderRecord = {
    ...commonHeaders,
    "access-control-expose-headers": [
      commonHeaders["access-control-expose-headers"],
      ...exposedHeaders
    ]
      .join(", "),
    [answerHeaders.revision]: revision
  }
  let lastStamp: LedgerStamp | undefined
  let headers = revisionHeaders
  return (stamp: LedgerStamp | undefined): HeaderRecord => {
    if (
      stamp === undefined || stamp === lastStamp ||
      (lastStamp !== undefined && isSame(lastStamp, stamp))
    ) {
      return headers
    }
    lastStamp = stamp
    headers = {
      ...revisionHeaders,
      [answerHeaders.block]: String(stamp.ethereumBlockNum),
      // absent before the first batch
      ...(stamp.batchNum === null ? {} : { [answerHeaders.batch]: String(stamp.batchNum) }),
      [answerHeaders.version]: String(stamp.version)
    }
    return headers
  }
}

const isSame = (a: LedgerStamp, b: LedgerStamp) =>
  a.version === b.version && a.batchNum === b.batchNum && a.ethereumBlockNum === b.ethereumBlockNum

/**
 * Values of `Cache-Control`. An answer that can change is revalidated for each request, which costs
 * a 304. An answer that is too deep for a rollback is cached for a year.
 */
export const cacheControl = {
  tip: "no-cache",
  final: "public, max-age=31536000, immutable"
} as const

/** Returns the headers of a 304: those of the full answer, without those of its body. */
export const notModifiedHeaders = (full: HeaderRecord): HeaderRecord => {
  const { "content-length": _, "content-type": __, ...headers } = full
  return headers
}

/**
 * Returns the headers of an answer to OPTIONS, for preflight requests of browsers (CORS).
 *
 * @param methods the methods of the path, as in the header `Allow`
 */
export const preflightHeaders = (methods: string): HeaderRecord => ({
  allow: methods,
  "access-control-allow-methods": methods,
  // the star means every name except Authorization; old browsers need the other names
  "access-control-allow-headers": "*, Authorization, Api-Revision, Content-Type",
  "access-control-max-age": "86400"
})
