import { Context, type Effect } from "effect"
import type {
  ItemKeys,
  ItemName,
  Items,
  ListItems,
  ListName,
  ListQuery,
  PageCounts
} from "../contract/mod.ts"
import type { Account, NetworkState, Token, TokenId } from "../domain/mod.ts"
import type { AccountIndex } from "../encoding/mod.ts"
import type { NotRegistered, StoreFailure } from "./failures.ts"
import type { LedgerStamp } from "./stamp.ts"

/** Items and counts of one snapshot. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly counts: PageCounts
  readonly stamp: LedgerStamp
}

/** An item, or null where there is none, and the snapshot that knows. */
export interface Found<Item> {
  readonly item: Item | null
  readonly stamp: LedgerStamp
}

/** What a transaction names: accounts and tokens, each null where there is none, in the order in which they were asked for. */
export interface AccountsAndTokens {
  readonly accounts: ReadonlyArray<Account | null>
  readonly tokens: ReadonlyArray<Token | null>
  readonly stamp: LedgerStamp
}

/**
 * Port: reads the ledger. Every answer is computed on one snapshot, and costs in proportion to its size, whatever the
 * size of the ledger, the filters and the depth of the page.
 */
export class LedgerReader extends Context.Service<LedgerReader, {
  readonly list: <N extends ListName>(
    name: N,
    query: ListQuery<N>
  ) => Effect.Effect<Page<ListItems[N]>, NotRegistered | StoreFailure>
  readonly find: <N extends ItemName>(
    name: N,
    key: ItemKeys[N]
  ) => Effect.Effect<Found<Items[N]>, StoreFailure>
  /** Some accounts and tokens on one snapshot. */
  readonly accountsAndTokens: (
    of: { readonly accounts: ReadonlyArray<AccountIndex>; readonly tokens: ReadonlyArray<TokenId> }
  ) => Effect.Effect<AccountsAndTokens, StoreFailure>
  readonly state: Effect.Effect<
    { readonly state: NetworkState; readonly stamp: LedgerStamp },
    StoreFailure
  >
  readonly stamp: Effect.Effect<LedgerStamp, StoreFailure>
}>()("rollup/core/LedgerReader") {}
