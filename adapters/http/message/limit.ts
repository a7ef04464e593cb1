import { jsonDepthMaxDefault, listItemsMaxDefault } from "../../../core/contract/mod.ts"

/** The settings of the limits for which a request is refused, by this adapter or its server. */
export type LimitName =
  | keyof HttpLimits
  | "headersTimeoutMs"
  | "queueDelayTargetMs"
  | "ratePerSecondMax"
  | "requestTimeoutMs"

/** Limits of requests and of concurrency. A request that exceeds one is refused. */
export interface HttpLimits {
  /** Bytes of path and query; then 414. */
  readonly urlBytesMax: number
  /** Bytes of names and values of all headers, plus four for the separators of each; then 431. */
  readonly headerBytesMax: number
  /** Bytes of a body; then 413. */
  readonly bodyBytesMax: number
  /** Nesting depth of a posted body; then 400. */
  readonly jsonDepthMax: number
  /** Items in a list parameter such as `ids`; then 400. */
  readonly listItemsMax: number
  /** Concurrent requests whose answers are being computed, cached answers aside; then 503. */
  readonly requestsMax: number
}

/**
 * The limits of an application if its options set none.
 *
 * @example
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import { defaultLimits } from "rollup-node-api/http"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const limits = { urlBytesMax: defaultLimits.urlBytesMax / 2, listItemsMax: 3 }
 * const node = await openNode({ genesis, limits })
 * const long = await node.fetch(new Request(`http://node/tokens?ids=${"1".repeat(5000)}`))
 * const many = await node.fetch(new Request("http://node/tokens?ids=0|1|2|3"))
 * console.log(long.status, many.status) // => 414 400
 * await node.close()
 * ```
 */
export const defaultLimits: HttpLimits = {
  urlBytesMax: 8192,
  headerBytesMax: 16384,
  bodyBytesMax: 65536,
  jsonDepthMax: jsonDepthMaxDefault,
  listItemsMax: listItemsMaxDefault,
  requestsMax: 1024
}
