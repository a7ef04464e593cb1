/* Written from the declarations of the contract by `npm run generate`: do not edit. */

import type { Operations as LaterOperations } from "./later.ts"
export type * as later from "./later.ts"
import type { Operations as EarlierOperations } from "./earlier.ts"
export type * as earlier from "./earlier.ts"
import type { Operations as V1Operations } from "./v1.ts"
export type * as v1 from "./v1.ts"

/** The operations of each revision, as types. */
export interface Revisions {
  readonly later: LaterOperations
  readonly earlier: EarlierOperations
  readonly v1: V1Operations
}
