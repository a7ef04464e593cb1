/** Bounds of what the admin listener bears of its clients; what is beyond is refused, or its connection closed. */
export interface AdminLimits {
  /** Connections at once; another one is closed at once. */
  readonly adminConnectionsMax: number
  /** How long the headers of a request may take to arrive; then 408. */
  readonly adminHeadersTimeoutMs: number
  /** Bytes of URL and headers; then 431. */
  readonly adminHeaderBytesMax: number
  /** How long the sender of a body may send nothing; then 408. */
  readonly adminBodyIdleMs: number
  /** Bytes of one record of a feed; then 413. */
  readonly feedLineBytesMax: number
  /** How long the ledger may take to apply one record; then 503. */
  readonly feedRecordTimeoutMs: number
  /** Bytes of the commands for the pool; then 413. */
  readonly poolBodyBytesMax: number
}

/** A handful of scrapers, probes and synchronisers; the largest block takes seconds. */
export const defaultAdminLimits: AdminLimits = {
  adminConnectionsMax: 100,
  adminHeadersTimeoutMs: 10_000,
  adminHeaderBytesMax: 16_384,
  adminBodyIdleMs: 60_000,
  feedLineBytesMax: 33_554_432,
  feedRecordTimeoutMs: 60_000,
  poolBodyBytesMax: 4_194_304
}

export type AdminLimitName = keyof AdminLimits

/** How often each limit was hit, each one from the start at 0. */
export type AdminLimitHits = { [Name in AdminLimitName]: number }

export const noHits = (): AdminLimitHits =>
  Object.fromEntries(Object.keys(defaultAdminLimits).map((name) => [name, 0])) as AdminLimitHits
