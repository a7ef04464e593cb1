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
import type { LedgerStamp } from "./ledger_parts.ts"

/** Items and counts of one snapshot. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly counts: PageCounts
  readonly stamp: LedgerStamp
}

/** An item, or null if it does not exist, and the stamp of the snapshot. */
export interface Found<Item> {
  readonly item: Item | null
  readonly stamp: LedgerStamp
}

/** Accounts and tokens in the order of the request, null if they do not exist. */
export interface AccountsAndTokens {
  readonly accounts: ReadonlyArray<Account | null>
  readonly tokens: ReadonlyArray<Token | null>
  readonly stamp: LedgerStamp
}

/**
 * Port: reads the ledger. Every answer is computed on one snapshot. Its cost is proportional to its
 * size, whatever the size of the ledger, the filters and the depth of the page.
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
  /** Returns accounts and tokens from one snapshot. */
  readonly accountsAndTokens: (
    of: { readonly accounts: ReadonlyArray<AccountIndex>; readonly tokens: ReadonlyArray<TokenId> }
  ) => Effect.Effect<AccountsAndTokens, StoreFailure>
  readonly state: Effect.Effect<
    { readonly state: NetworkState; readonly stamp: LedgerStamp },
    StoreFailure
  >
  readonly stamp: Effect.Effect<LedgerStamp, StoreFailure>
}>()("rollup/core/LedgerReader") {}
