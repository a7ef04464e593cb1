/**
 * Limits of a Node server, for each client and for all clients together.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { HttpServer } from "effect/http"
 * import { Submission, wireContext } from "rollup-node-api"
 * import { keccak256, inlineVerifier } from "rollup-node-api/crypto"
 * import { Application } from "rollup-node-api/http"
 * import { serverLayer } from "rollup-node-api/http/node"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const { constants, network } = genesis
 * const limits = { ratePerSecondMax: 0.1, rateBurstMax: 1 }
 * const server = serverLayer({ port: 0, host: "127.0.0.1", limits }).pipe(
 *   Layer.provide(Application.layer({ constants, context: wireContext(network, keccak256) })),
 *   Layer.provide(Submission.layer({ network, keccak256 })),
 *   Layer.provide(inlineVerifier(network)),
 *   Layer.provide(Layer.merge(Memory.layer(genesis), Memory.poolLayer))
 * )
 * const program = Effect.gen(function*() {
 *   const url = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
 *   const request = Effect.promise(() => fetch(`${url}/tokens`))
 *   return [(yield* request).status, (yield* request).status]
 * })
 * console.log(...await Effect.runPromise(Effect.provide(program, server))) // => 200 429
 * ```
 */
export interface ServerLimits {
  /** Concurrent connections; a further one is closed immediately. */
  readonly connectionsMax: number
  /** Time for the headers of a request to arrive; then 408. */
  readonly headersTimeoutMs: number
  /** Time for a whole request to arrive; then 408. */
  readonly requestTimeoutMs: number
  /**
   * Time that a connection without a request stays open. If it is long, clients keep their
   * connections, and a peak of requests is not also a peak of new connections.
   */
  readonly idleTimeoutMs: number
  /** Time for a client to read an answer; then its connection is destroyed. */
  readonly sendTimeoutMs: number
  /**
   * Bytes of answers that clients have not read, on all connections together. Beyond it, the
   * connections that have read nothing for longest are destroyed, and large answers get 503.
   */
  readonly unreadBytesMax: number
  /**
   * Time that a request may wait for its answer to be computed while the server is overloaded; then
   * 503. 0 disables load shedding.
   */
  readonly queueDelayTargetMs: number
  /**
   * Maximum delay of an answer that has `Retry-After`, if the server sends many of them. 0 disables
   * the delay.
   */
  readonly refusalDelayMaxMs: number
  /** Sustained requests per second of one client address; then 429. 0 disables the rate limit. */
  readonly ratePerSecondMax: number
  /** Requests that a client address may send at once after a pause. */
  readonly rateBurstMax: number
  /** Client addresses that are counted; beyond it the least recently active one is forgotten. */
  readonly rateAddressesMax: number
  /**
   * Addresses and networks (`10.0.0.0/8`) of the proxies whose header `X-Forwarded-For` names the
   * client.
   */
  readonly trustedProxies: ReadonlyArray<string>
}

/** The limits of a server if its options set none: no rate limit, and no trusted proxies. */
export const defaultServerLimits: ServerLimits = {
  connectionsMax: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
  sendTimeoutMs: 60_000,
  unreadBytesMax: 256 * 2 ** 20,
  queueDelayTargetMs: 5,
  refusalDelayMaxMs: 150,
  ratePerSecondMax: 0,
  rateBurstMax: 100,
  rateAddressesMax: 65_536,
  trustedProxies: []
}
