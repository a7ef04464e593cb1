import { jsonDepthMaxDefault, listItemsMaxDefault } from "../../../core/contract/mod.ts"

/** Limits of the interface for which it refuses by itself. */
export type LimitName =
  | keyof HttpLimits
  | "headersTimeoutMs"
  | "queueDelayTargetMs"
  | "ratePerSecondMax"
  | "requestTimeoutMs"

/** Bounds of what is read from a client, and of what is done at once; what is beyond is refused. */
export interface HttpLimits {
  /** Path and query. */
  readonly urlBytesMax: number
  /** Names and values of all headers, with the four bytes that surround each. */
  readonly headerBytesMax: number
  readonly bodyBytesMax: number
  /** Levels of objects and arrays in a posted body. */
  readonly jsonDepthMax: number
  /** Items that a parameter lists, such as those of `ids`. */
  readonly listItemsMax: number
  /** Requests that wait for their answers at once; what is answered without waiting does not count. */
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
