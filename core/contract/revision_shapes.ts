import type {
  Authorization,
  BidView,
  NetworkConstants,
  PoolTransactionView,
  StateView
} from "../domain/mod.ts"
import type { Items } from "./items.ts"
import type { Shape } from "./objects/mod.ts"

interface Objects extends Items {
  readonly bid: BidView
  readonly state: StateView
  readonly config: NetworkConstants
  readonly poolTransaction: PoolTransactionView
  readonly authorization: Authorization
}

/** The objects of the contract in one revision. */
export type Shapes = { readonly [N in keyof Objects]: Shape<Objects[N]> }
