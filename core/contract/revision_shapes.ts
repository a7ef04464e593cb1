import type {
  AccountView,
  Authorization,
  Batch,
  BidView,
  Coordinator,
  ExitView,
  FullBatch,
  NetworkConstants,
  StateView,
  PoolTransactionView,
  SlotView,
  Token,
  TransactionView
} from "../domain/mod.ts"
import type { Shape } from "./objects/mod.ts"

/** The objects of the contract in one revision. */
export interface Shapes {
  readonly account: Shape<AccountView>
  readonly exit: Shape<ExitView>
  readonly transaction: Shape<TransactionView>
  readonly batch: Shape<Batch>
  readonly fullBatch: Shape<FullBatch>
  readonly slot: Shape<SlotView>
  readonly bid: Shape<BidView>
  readonly token: Shape<Token>
  readonly coordinator: Shape<Coordinator>
  readonly state: Shape<StateView>
  readonly config: Shape<NetworkConstants>
  readonly poolTransaction: Shape<PoolTransactionView>
  readonly authorization: Shape<Authorization>
}
