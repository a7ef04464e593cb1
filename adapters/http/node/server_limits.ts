/** Bounds of what a server bears of its clients: of each one, and of all together. */
export interface ServerLimits {
  /** Connections at once; another one is closed at once. */
  readonly connectionsMax: number
  /** How long the headers of a request may take to arrive; then 408. */
  readonly headersTimeoutMs: number
  /** How long a whole request may take to arrive; then 408. */
  readonly requestTimeoutMs: number
  /** How long a connection stays on which nothing is asked; clients that keep theirs open do not come anew all at once when many ask. */
  readonly idleTimeoutMs: number
  /** How long an answer may take to be read by its client; then the connection is cut. */
  readonly sendTimeoutMs: number
  /** Bytes of answers that clients may leave unread, on all connections together; then those that read least are cut, and large answers refused with 503. */
  readonly unreadBytesMax: number
  /** How long a request may wait until its answer is computed, while the server is overloaded; then 503. 0 refuses nothing. */
  readonly queueDelayTargetMs: number
  /** Requests a second of one address; then 429. 0 is no bound. */
  readonly ratePerSecondMax: number
  /** Requests that an address may send at once. */
  readonly rateBurstMax: number
  /** Addresses whose requests are counted at once. */
  readonly rateAddressesMax: number
  /** Addresses and networks of proxies that say for whom they ask. */
  readonly trustedProxies: ReadonlyArray<string>
}

/** What a server bears that is told nothing: it counts no addresses. */
export const defaultServerLimits: ServerLimits = {
  connectionsMax: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
  sendTimeoutMs: 60_000,
  unreadBytesMax: 256 * 2 ** 20,
  queueDelayTargetMs: 5,
  ratePerSecondMax: 0,
  rateBurstMax: 100,
  rateAddressesMax: 65_536,
  trustedProxies: []
}
