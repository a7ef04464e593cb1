import type {
  BlockFeed,
  BlockReport,
  CurrencyPrice,
  FeedRecord,
  FiltersOf,
  FoundItem,
  ItemKeys,
  ItemName,
  Items,
  SnapshotId,
  ListItems,
  ListName,
  ListQuery,
  NetworkState,
  Page,
  PriceFeed,
  RecordReport,
  RollBackReport
} from "../../core/mod.ts"

/** A query of a list; without filters it selects all items. */
export type Query<N extends ListName> = Omit<ListQuery<N>, "filters"> & {
  readonly filters?: FiltersOf<N>
}

/** The methods of a node that write and read its ledger. */
export interface LedgerMethods {
  /**
   * Applies a block atomically. `applied` is false if it is the last block, which is not applied
   * again. Rejects with BlockViolation if the block violates an invariant.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const { genesis, next } = simulate({ seed: 1 })
   * const node = await openNode({ genesis })
   * const record = next()
   * if (record.kind !== "block") throw new Error("Expected a block")
   * console.log((await node.applyBlock(record.block)).applied) // => true
   * console.log((await node.applyBlock(record.block)).applied) // => false
   * await node.close()
   * ```
   */
  readonly applyBlock: (block: BlockFeed) => Promise<BlockReport>
  /**
   * Drops all blocks after `toBlock`, and reports the last block that remains. `toBlock` need not be
   * stored: it may be one of the empty blocks that `previous` skips, or above the last block. Rejects
   * with BlockViolation if it is below the genesis block.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const { genesis, next } = simulate({ seed: 1 })
   * const node = await openNode({ genesis })
   * for (let i = 0; i < 3; i++) await node.applyRecord(next())
   * const { blocks } = await node.rollBack(genesis.block.number)
   * console.log(blocks) // => 3
   * await node.close()
   * ```
   */
  readonly rollBack: (toBlock: bigint) => Promise<RollBackReport>
  /**
   * Sets prices of tokens in US dollars. They belong to the last block: its rollback removes them.
   * Rejects with BlockViolation if a token is not registered.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const { genesis } = simulate({ seed: 1 })
   * const node = await openNode({ genesis })
   * await node.setPrices([{ tokenId: 0, priceUSD: 3120.5, timeMs: genesis.block.timestampMs }])
   * console.log((await node.find("token", 0)).item?.priceUSD) // => 3120.5
   * await node.close()
   * ```
   */
  readonly setPrices: (prices: ReadonlyArray<PriceFeed>) => Promise<SnapshotId>
  /**
   * Replaces the prices of currencies that revision `v1` shows at `/currencies`. They are not
   * stored: a host sets them again after it has opened the node. Rejects with BadInput if a price
   * is invalid.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
   * // one US dollar is 0.84 euros
   * await node.setCurrencies([{ currency: "EUR", unitsPerUSD: 0.84, timeMs: Date.now() }])
   * const response = await node.fetch(new Request("http://node/v1/currencies/EUR"))
   * console.log((await response.json()).price) // => 0.84
   * await node.close()
   * ```
   */
  readonly setCurrencies: (prices: ReadonlyArray<CurrencyPrice>) => Promise<void>
  /**
   * Applies one record of a feed: a block, a rollback, prices or a head. A genesis record must equal the
   * genesis of the node, and changes nothing. `readRecord` reads a line of a feed. Rejects with
   * BlockViolation.
   *
   * ```ts
   * import { openNode, readRecord } from "rollup-node-api/embed"
   * import { simulate, writeFeed } from "rollup-node-api/simulator"
   *
   * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
   * for (const line of writeFeed(simulate({ seed: 1 }), 100)) {
   *   await node.applyRecord(readRecord(line))
   * }
   * console.log((await node.list("transactions")).counts.totalItems >= 100) // => true
   * await node.close()
   * ```
   */
  readonly applyRecord: (record: FeedRecord) => Promise<RecordReport>
  /**
   * Returns a page of a list: the first 20 items in ascending order by default, at most 2049.
   * Rejects with BadInput if the query is invalid, and with NotRegistered if a filter names an
   * unknown item.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const { genesis } = simulate({ seed: 1 })
   * const node = await openNode({ genesis })
   * const { counts, items } = await node.list("tokens", { order: "DESC", limit: 1 })
   * console.log(items[0]?.symbol, counts.totalItems) // => ETH 1
   * const failure = await node.list("accounts", { filters: { tokenIds: [99] } }).catch((error) => error)
   * console.log(failure._tag) // => NotRegistered
   * await node.close()
   * ```
   */
  readonly list: <N extends ListName>(name: N, query?: Query<N>) => Promise<Page<ListItems[N]>>
  /**
   * Returns an item by its key; null if it does not exist. Rejects with BadInput if the key is
   * invalid.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const { genesis } = simulate({ seed: 1 })
   * const node = await openNode({ genesis })
   * console.log((await node.find("token", 0)).item?.name) // => Ether
   * console.log((await node.find("token", 1)).item) // => null
   * await node.close()
   * ```
   */
  readonly find: <N extends ItemName>(name: N, key: ItemKeys[N]) => Promise<FoundItem<Items[N]>>
  /**
   * Returns the state of the network: the last block and batch, variables and recommended fees.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const { genesis, next } = simulate({ seed: 1 })
   * const node = await openNode({ genesis })
   * await node.applyRecord(next())
   * const { snapshotId } = await node.state()
   * console.log(snapshotId.ethereumBlockNum - genesis.block.number) // => 1n
   * await node.close()
   * ```
   */
  readonly state: () => Promise<{ readonly state: NetworkState; readonly snapshotId: SnapshotId }>
}
