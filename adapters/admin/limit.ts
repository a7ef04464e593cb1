import { Record } from "effect"

/** Limits of the clients of the admin listener. */
export interface AdminLimits {
  /** Concurrent connections; a further one is closed immediately. */
  readonly adminConnectionsMax: number
  /** Time for the headers of a request to arrive; then 408. */
  readonly adminHeadersTimeoutMs: number
  /** Bytes of URL and headers; then 431. */
  readonly adminHeaderBytesMax: number
  /** How long the sender of a body may pause; then 408. */
  readonly adminBodyIdleMs: number
  /** Bytes of one record of a feed; then 413. */
  readonly feedLineBytesMax: number
  /** Time to apply one record of a feed; then 503. */
  readonly feedRecordTimeoutMs: number
  /** Bytes of a body with pool commands; then 413. */
  readonly poolBodyBytesMax: number
}

/**
 * The limits of an admin listener if its options set none: for a few scrapers, probes and
 * synchronisers. The largest block takes seconds to apply.
 */
export const defaultAdminLimits: AdminLimits = {
  adminConnectionsMax: 100,
  adminHeadersTimeoutMs: 10_000,
  adminHeaderBytesMax: 16_384,
  adminBodyIdleMs: 60_000,
  feedLineBytesMax: 33_554_432,
  feedRecordTimeoutMs: 60_000,
  poolBodyBytesMax: 4_194_304
}

/** The limits of a listener, and how often each one was hit. */
export interface CountedLimits extends AdminLimits {
  readonly hits: { -readonly [Name in keyof AdminLimits]: number }
}

/** Returns limits that were never hit; each one is that of `defaultAdminLimits` by default. */
export const countedLimits = (limits: Partial<AdminLimits> = {}): CountedLimits => ({
  ...defaultAdminLimits,
  ...limits,
  hits: Record.map({ ...defaultAdminLimits }, () => 0)
})
