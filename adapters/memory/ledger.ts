import type {
  ItemKeys,
  ItemName,
  Items,
  ListItems,
  ListName,
  ListQuery
} from "../../core/contract/mod.ts"
import { Effect, Layer, Result } from "effect"
import type { GenesisFeed, NetworkState, TokenId } from "../../core/domain/mod.ts"
import type { AccountIndex } from "../../core/encoding/mod.ts"
import {
  type AccountsAndTokens,
  type FoundItem,
  LedgerReader,
  type LedgerSnapshot,
  type LedgerStamp,
  LedgerTip,
  type LedgerView,
  LedgerWriter,
  NotRegistered,
  type Page
} from "../../core/ports/mod.ts"
import { findAccountsAndTokens, findItem } from "./_find.ts"
import { LedgerState, type LedgerOptions } from "./state/mod.ts"
import { listPage } from "./_list.ts"
import { networkState } from "./_network_state.ts"
import { MemoryWriting } from "./write_queue.ts"

export type { LedgerOptions } from "./state/mod.ts"

/**
 * A ledger in memory: everything that a database would hold, in one process. Each call is computed at once and on one
 * snapshot. What an answer contains never changes afterwards: the rows in it are frozen, so that nobody can change the store
 * through it. A page costs what its items cost, however long its list, with one exception: tokens by a part of their name that is
 * longer than 32 UTF-16 units are tried one by one among those that contain the rarest 32 consecutive units of it.
 */
export interface MemoryLedger {
  readonly list: <N extends ListName>(
    name: N,
    query: ListQuery<N>
  ) => Result.Result<Page<ListItems[N]>, NotRegistered>
  readonly find: <N extends ItemName>(name: N, key: ItemKeys[N]) => FoundItem<Items[N]>
  readonly accountsAndTokens: (
    of: { readonly accounts: ReadonlyArray<AccountIndex>; readonly tokens: ReadonlyArray<TokenId> }
  ) => AccountsAndTokens
  readonly state: () => { readonly state: NetworkState; readonly stamp: LedgerStamp }
  readonly stamp: () => LedgerStamp
  /** Of one of the last versions, also which version changed each part last; null of any other. */
  readonly snapshot: (version: number) => LedgerSnapshot | null
  /** Names this ledger: another one, or the same network in another process, has another name. */
  readonly id: string
  /** The ledger as decisions about writes see it, for as long as nothing is written. */
  readonly view: LedgerView
  /** Throws, and changes nothing, where the decision breaks what the ledger relies on (a batch that is not the next one). */
  readonly apply: LedgerState["apply"]
  readonly rollBack: LedgerState["rollBack"]
  readonly setPrices: LedgerState["setPrices"]
  /** For who brings a long history at once: transactions are indexed by the steps that it returns, which are taken at the end. */
  readonly postponeIndex: () => Iterable<void>
}

/** Opens a ledger that holds the genesis block and ether. */
export const openMemoryLedger = (options: LedgerOptions): MemoryLedger => {
  const ledger = new LedgerState(options)
  return {
    list: (name, query) => {
      const page = listPage(ledger, name, query)
      return page instanceof NotRegistered ? Result.fail(page) : Result.succeed(page)
    },
    find: (name, key) => ({ item: findItem(ledger, name, key), stamp: ledger.stamp }),
    accountsAndTokens: (of) => findAccountsAndTokens(ledger, of),
    state: () => ({ state: networkState(ledger), stamp: ledger.stamp }),
    stamp: () => ledger.stamp,
    snapshot: (version) => ledger.snapshotAt(version),
    id: Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
      ""
    ),
    view: ledger.view,
    apply: (decide) => ledger.apply(decide),
    rollBack: (toBlock, check) => ledger.rollBack(toBlock, check),
    setPrices: (prices, check) => ledger.setPrices(prices, check),
    postponeIndex: () => ledger.postponeIndex()
  }
}

/** Returns the port that reads a ledger in memory; each call is computed at once. */
export const memoryReader = (ledger: MemoryLedger): LedgerReader["Service"] => ({
  list: (name, query) => Effect.suspend(() => Effect.fromResult(ledger.list(name, query))),
  find: (name, key) => Effect.sync(() => ledger.find(name, key)),
  accountsAndTokens: (of) => Effect.sync(() => ledger.accountsAndTokens(of)),
  state: Effect.sync(ledger.state),
  stamp: Effect.sync(ledger.stamp)
})

/** Serves both ports from a ledger that is open already. */
export const layerOf = (ledger: MemoryLedger): Layer.Layer<LedgerReader | LedgerWriter> => {
  const writing = new MemoryWriting(ledger.view)
  return Layer.mergeAll(
    Layer.succeed(LedgerTip, {
      id: ledger.id,
      version: () => ledger.stamp().version,
      snapshot: ledger.snapshot,
      isRemote: false
    }),
    Layer.succeed(LedgerReader, memoryReader(ledger)),
    Layer.succeed(LedgerWriter, {
      apply: (_, decide) =>
        writing.apply(
          decide,
          (decision) => Effect.fromResult(ledger.apply(() => Result.succeed(decision)))
        ),
      rollBack: (toBlock, check) =>
        writing.inTurn(Effect.suspend(() => Effect.fromResult(ledger.rollBack(toBlock, check)))),
      setPrices: (prices, check) =>
        writing.inTurn(Effect.suspend(() => Effect.fromResult(ledger.setPrices(prices, check))))
    })
  )
}

/** A ledger of its own for each time the layer is built. */
export const layer = (
  genesis: GenesisFeed,
  feeBounds: Omit<LedgerOptions, "genesis"> = {}
): Layer.Layer<LedgerReader | LedgerWriter> =>
  Layer.unwrap(Effect.sync(() => layerOf(openMemoryLedger({ genesis, ...feeBounds }))))
