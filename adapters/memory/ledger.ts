import { Clock, Effect, Layer, Result } from "effect"
import type {
  ItemKeys,
  ItemName,
  Items,
  ListItems,
  ListName,
  ListQuery
} from "../../core/contract/mod.ts"
import type {
  BlockReference,
  GenesisFeed,
  NetworkState,
  RecommendedFeeOptions,
  TokenId
} from "../../core/domain/mod.ts"
import type { AccountIndex } from "../../core/encoding/mod.ts"
import {
  type AccountsAndTokens,
  type FoundItem,
  type LedgerBlock,
  LedgerHistory,
  LedgerReader,
  type LedgerRollBack,
  type LedgerSnapshot,
  type SnapshotId,
  LatestLedgerVersion,
  LedgerWriter,
  NotRegistered,
  type Page
} from "../../core/ports/mod.ts"
import { findAccountsAndTokens, finders } from "./_find.ts"
import { findBlock } from "./_ledger_history.ts"
import { listPage } from "./_list.ts"
import { networkState } from "./_network_state.ts"
import { type LedgerOptions, LedgerState } from "./state/mod.ts"
import { WriteQueue } from "./write_queue.ts"

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

/**
 * Returns the reader port of a ledger in memory.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { memoryReader, openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const reader = memoryReader(openMemoryLedger({ genesis: simulate({ seed: 1 }).genesis }))
 * const page = reader.list("accounts", { filters: { tokenIds: [0, 7] } })
 * const error = await Effect.runPromise(Effect.flip(page))
 * console.log(error._tag, error.message) // => NotRegistered Token 7 is not registered
 * ```
 */
export const memoryReader = (ledger: MemoryLedger): LedgerReader["Service"] => ({
  list: (name, query) => Effect.suspend(() => Effect.fromResult(ledger.list(name, query))),
  find: (name, key) => Effect.sync(() => ledger.find(name, key)),
  accountsAndTokens: (of) => Effect.sync(() => ledger.accountsAndTokens(of)),
  state: Effect.sync(ledger.state),
  snapshotId: Effect.sync(ledger.snapshotId)
})

/**
 * Returns the history port of a ledger in memory.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { memoryHistory, openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const history = memoryHistory(openMemoryLedger({ genesis }))
 * const { item } = await Effect.runPromise(history.block(genesis.block.number))
 * console.log(item?.previous, item?.next, item?.batches) // => null null []
 * ```
 */
export const memoryHistory = (ledger: MemoryLedger): LedgerHistory["Service"] => ({
  block: (number) =>
    Effect.sync(() => ({ item: ledger.block(number), snapshotId: ledger.snapshotId() })),
  rollBacks: (query) =>
    Effect.sync(() => ({ items: ledger.rollBacks(query), snapshotId: ledger.snapshotId() })),
  finalBlock: Effect.sync(() => ({ item: ledger.finalBlock(), snapshotId: ledger.snapshotId() }))
})

/**
 * Returns a layer with the ports of an open ledger. Write to it only through this layer.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { LedgerReader } from "rollup-node-api"
 * import { layerOf, openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const ledger = openMemoryLedger({ genesis: simulate({ seed: 1 }).genesis })
 * const findEther = Effect.flatMap(LedgerReader, (reader) => reader.find("token", 0))
 * const { item } = await Effect.runPromise(Effect.provide(findEther, layerOf(ledger)))
 * console.log(item?.symbol) // => ETH
 * ```
 */
export const layerOf = (
  ledger: MemoryLedger
): Layer.Layer<LedgerHistory | LedgerReader | LedgerWriter> => {
  const writes = new WriteQueue(ledger.base)
  return Layer.mergeAll(
    Layer.succeed(LatestLedgerVersion, {
      id: ledger.id,
      version: () => ledger.snapshotId().version,
      snapshot: ledger.snapshot,
      isRemote: false
    }),
    Layer.succeed(LedgerReader, memoryReader(ledger)),
    Layer.succeed(LedgerHistory, memoryHistory(ledger)),
    Layer.succeed(LedgerWriter, {
      apply: (_, decide) =>
        writes.apply(
          decide,
          (decision) => Effect.fromResult(ledger.apply(() => Result.succeed(decision)))
        ),
      rollBack: (toBlock, check) =>
        writes.run(
          Effect.flatMap(Clock.currentTimeMillis, (timeMs) =>
            Effect.fromResult(ledger.rollBack(toBlock, check, { timeMs })))
        ),
      setPrices: (prices, check) =>
        writes.run(Effect.suspend(() => Effect.fromResult(ledger.setPrices(prices, check)))),
      setHead: (head, check) =>
        writes.run(Effect.suspend(() => Effect.fromResult(ledger.setHead(head, check))))
    })
  )
}

/**
 * Returns a layer with the ports of a new ledger in memory, one for each time it is built.
 *
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Ledger, LedgerReader } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { layer } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const { genesis } = simulation
 * const program = Effect.gen(function*() {
 *   for (let i = 0; i < 9; i++) yield* (yield* Ledger).applyRecord(simulation.next())
 *   return yield* (yield* LedgerReader).find("batch", 1)
 * })
 * const stores = Layer.provideMerge(Ledger.layer(genesis, keccak256), layer(genesis))
 * const { item, snapshotId } = await Effect.runPromise(Effect.provide(program, stores))
 * console.log(item?.ethereumBlockNum, snapshotId.batchNum) // => 18000001n 8
 * ```
 */
export const layer = (
  genesis: GenesisFeed,
  fees: RecommendedFeeOptions = {}
): Layer.Layer<LedgerHistory | LedgerReader | LedgerWriter> =>
  Layer.unwrap(Effect.sync(() => layerOf(openMemoryLedger({ genesis, ...fees }))))
