import { jsonDepthMaxDefault, listItemsMaxDefault } from "../../../core/contract/mod.ts"

/** The limits that make the interface refuse a request. */
export type LimitName =
  | keyof HttpLimits
  | "headersTimeoutMs"
  | "queueDelayTargetMs"
  | "ratePerSecondMax"
  | "requestTimeoutMs"

/** Limits on requests and on concurrency; a request beyond one is refused. */
export interface HttpLimits {
  /** Path and query. */
  readonly urlBytesMax: number
  /** Names and values of all headers, plus four bytes of separators for each. */
  readonly headerBytesMax: number
  readonly bodyBytesMax: number
  /** Nesting depth of a posted body. */
  readonly jsonDepthMax: number
  /** Items in a list parameter such as `ids`. */
  readonly listItemsMax: number
  /** Concurrent requests whose answer is being computed; cached answers do not count. */
  readonly requestsMax: number
}

export const defaultLimits: HttpLimits = {
  urlBytesMax: 8192,
  headerBytesMax: 16384,
  bodyBytesMax: 65536,
  jsonDepthMax: jsonDepthMaxDefault,
  listItemsMax: listItemsMaxDefault,
  requestsMax: 1024
}
