import { Result } from "effect"
import type {
  ItemKeys,
  ItemName,
  Items,
  ListItems,
  ListName,
  ListQuery
} from "../../core/contract/mod.ts"
import type { BlockReference, NetworkState, TokenId } from "../../core/domain/mod.ts"
import type { AccountIndex } from "../../core/encoding/mod.ts"
import {
  type AccountsAndTokens,
  type FoundItem,
  type LedgerBlock,
  type LedgerRollBack,
  type LedgerSnapshot,
  type SnapshotId,
  NotRegistered,
  type Page
} from "../../core/ports/mod.ts"
import { findAccountsAndTokens, findBlock, finders } from "./_find.ts"

import { listPage } from "./_list.ts"
import { networkState } from "./_network_state.ts"
import { type LedgerOptions, LedgerState } from "./state/mod.ts"

export type { LedgerImage, LedgerOptions } from "./state/mod.ts"

/**
 * A ledger in memory. Each call is synchronous and sees one snapshot. The items of an answer are
 * frozen and never change afterwards. The cost of a page is proportional to its items, whatever the
 * length of the list, with one exception: a filter by a part of a token name reads every token.
 */
export interface MemoryLedger extends
  Pick<
    LedgerState,
    | "base"
    | "apply"
    | "rollBack"
    | "setPrices"
    | "setHead"
    | "restoreHead"
    | "insert"
    | "postponeIndexing"
    | "capture"
    | "restore"
  >
{
  /** Returns a page of a list. Fails if a filter names things that are not registered. */
  readonly list: <N extends ListName>(
    name: N,
    query: ListQuery<N>
  ) => Result.Result<Page<ListItems[N]>, NotRegistered>
  /** Returns an item by its key; `item` is null if it does not exist. */
  readonly find: <N extends ItemName>(name: N, key: ItemKeys[N]) => FoundItem<Items[N]>
  /** Returns accounts and tokens in the order of the request, null if they do not exist. */
  readonly accountsAndTokens: (
    of: { readonly accounts: ReadonlyArray<AccountIndex>; readonly tokens: ReadonlyArray<TokenId> }
  ) => AccountsAndTokens
  /** Returns the state of the network at the last block. */
  readonly state: () => { readonly state: NetworkState; readonly snapshotId: SnapshotId }
  /** Returns the stored block with a number; null for a number in a gap or above the last block. */
  readonly block: (number: bigint) => LedgerBlock | null
  /** Returns the first `limit` rollbacks after a version of the ledger. */
  readonly rollBacks: (
    query: { readonly afterVersion: number; readonly limit: number }
  ) => ReadonlyArray<LedgerRollBack>
  /** Returns the last block that no rollback can remove; null if none was declared final. */
  readonly finalBlock: () => BlockReference | null
  /** Returns the id of the current snapshot. */
  readonly snapshotId: () => SnapshotId
  /** Returns the snapshot of a recent version; null if the version is not recent. */
  readonly snapshot: (version: number) => LedgerSnapshot | null
  /** A random id: no other ledger has it, not even one of the same network. */
  readonly id: string
}

/**
 * Opens a ledger that contains the genesis block and ether.
 *
 * ```ts
 * import { Result } from "effect"
 * import { decideBlock } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const { genesis } = simulation
 * const ledger = openMemoryLedger({ genesis })
 * for (let i = 0; i < 20; i++) {
 *   const record = simulation.next()
 *   if (record.kind !== "block") continue
 *   Result.getOrThrow(ledger.apply(decideBlock({ ...genesis, keccak256 }, record.block)))
 * }
 * const query = { filters: { type: "Transfer" }, limit: 2 } as const
 * const { counts, items } = Result.getOrThrow(ledger.list("transactions", query))
 * console.log(items.length, counts.totalItems, counts.pendingItems) // => 2 171 169
 * ```
 */
export const openMemoryLedger = (options: LedgerOptions): MemoryLedger => {
  const state = new LedgerState(options)
  return {
    list: (name, query) => {
      const page = listPage(state, name, query)
      return page instanceof NotRegistered ? Result.fail(page) : Result.succeed(page)
    },
    find: (name, key) => ({ item: finders[name](state, key), snapshotId: state.snapshotId }),
    accountsAndTokens: (of) => findAccountsAndTokens(state, of),
    state: () => ({ state: networkState(state), snapshotId: state.snapshotId }),
    block: (number) => findBlock(state, number),
    rollBacks: ({ afterVersion, limit }) => state.rollBacks.after(afterVersion, limit),
    finalBlock: () => state.finalBlock,
    snapshotId: () => state.snapshotId,
    snapshot: (version) => state.snapshotAt(version),
    id: Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
      ""
    ),
    base: state.base,
    apply: (decide) => state.apply(decide),
    rollBack: (toBlock, check, time) => state.rollBack(toBlock, check, time),
    setPrices: (prices, check) => state.setPrices(prices, check),
    setHead: (head, check) => state.setHead(head, check),
    restoreHead: (head, version) => state.restoreHead(head, version),
    insert: (placed) => state.insert(placed),
    postponeIndexing: () => state.postponeIndexing(),
    capture: () => state.capture(),
    restore: (image) => state.restore(image)
  }
}
