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
import type { SnapshotId } from "./ledger_snapshot.ts"

/** Items and counts of one snapshot. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly counts: PageCounts
  readonly snapshotId: SnapshotId
}

/** One item, null if it does not exist, and the id of the snapshot. */
export interface FoundItem<Item> {
  readonly item: Item | null
  readonly snapshotId: SnapshotId
}

/** Accounts and tokens in the order of the request, null if they do not exist. */
export interface AccountsAndTokens {
  readonly accounts: ReadonlyArray<Account | null>
  readonly tokens: ReadonlyArray<Token | null>
  readonly snapshotId: SnapshotId
}

/**
 * Port: reads the ledger. Every answer is computed from one snapshot. The cost of an answer is
 * proportional to its size. It does not depend on the size of the ledger, the filters or the
 * position of the page, except that a filter by a part of a token name may read every token.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { LedgerReader } from "rollup-node-api"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const listing = Effect.flatMap(LedgerReader, (reader) => reader.list("tokens", { filters: {} }))
 * const store = Memory.layer(simulate({ seed: 1 }).genesis)
 * const { counts, items } = await Effect.runPromise(Effect.provide(listing, store))
 * console.log(items.map(({ symbol }) => symbol), counts.pendingItems) // => [ 'ETH' ] 0
 * ```
 */
export class LedgerReader extends Context.Service<LedgerReader, {
  /** Returns a page of a list; fails if a filter names an unregistered token, account or batch. */
  readonly list: <N extends ListName>(
    name: N,
    query: ListQuery<N>
  ) => Effect.Effect<Page<ListItems[N]>, NotRegistered | StoreFailure>
  /** Returns the item with a key. */
  readonly find: <N extends ItemName>(
    name: N,
    key: ItemKeys[N]
  ) => Effect.Effect<FoundItem<Items[N]>, StoreFailure>
  /** Returns accounts and tokens from one snapshot. */
  readonly accountsAndTokens: (
    of: { readonly accounts: ReadonlyArray<AccountIndex>; readonly tokens: ReadonlyArray<TokenId> }
  ) => Effect.Effect<AccountsAndTokens, StoreFailure>
  /** Returns the state of the network after the last block. */
  readonly state: Effect.Effect<
    { readonly state: NetworkState; readonly snapshotId: SnapshotId },
    StoreFailure
  >
  /** Returns the id of the current snapshot. */
  readonly snapshotId: Effect.Effect<SnapshotId, StoreFailure>
}>()("rollup/core/LedgerReader") {}

type Reader = LedgerReader["Service"]

/**
 * Returns a reader that passes each call to `answer`. `call` makes the same call with another
 * reader, and `snapshotIdOf` returns the snapshot id of the result.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { mapReader } from "rollup-node-api"
 * import { memoryReader, openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const reader = memoryReader(openMemoryLedger({ genesis: simulate({ seed: 1 }).genesis }))
 * let newest: number | undefined
 * const tracking = mapReader((call, snapshotIdOf) =>
 *   Effect.tap(call(reader), (answer) => Effect.sync(() => newest = snapshotIdOf(answer).version)))
 * await Effect.runPromise(tracking.find("token", 0))
 * console.log(newest) // => 0
 * ```
 */
export const mapReader = (
  answer: <A, E extends NotRegistered | StoreFailure>(
    call: (reader: Reader) => Effect.Effect<A, E>,
    snapshotIdOf: (answer: A) => SnapshotId
  ) => Effect.Effect<A, E | StoreFailure>
): Reader => {
  const snapshotIdOf = ({ snapshotId }: { readonly snapshotId: SnapshotId }) => snapshotId
  return {
    list: (name, query) => answer((reader) => reader.list(name, query), snapshotIdOf),
    find: (name, key) => answer((reader) => reader.find(name, key), snapshotIdOf),
    accountsAndTokens: (of) => answer((reader) => reader.accountsAndTokens(of), snapshotIdOf),
    state: answer((reader) => reader.state, snapshotIdOf),
    snapshotId: answer((reader) => reader.snapshotId, (snapshotId) => snapshotId)
  }
}
