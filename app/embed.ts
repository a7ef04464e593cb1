import { type Effect, ManagedRuntime } from "effect"
import { type FetchHandler, fetchHandler } from "../adapters/http/mod.ts"
import {
  type BlockFeed, type BlockReport, type FeedRecord, type Found, type ItemKeys, type ItemName, type Items, Ledger, LedgerReader, type LedgerStamp,
  type ListItems, type ListName, type ListQuery, type NetworkState, type Page, type PriceFeed, type RecordReport, type RollBackReport
} from "../core/mod.ts"
import { memoryNode, type Node, type NodeOptions } from "./layers.ts"

export type { NodeOptions } from "./layers.ts"

/**
 * A node for hosts without Effect: everything is a promise. Writing rejects with a BlockViolation, and nothing was
 * stored; reading rejects with NotRegistered where a filter names what never was.
 */
export interface RollupNode {
  /** The same block twice is harmless. */
  readonly applyBlock: (block: BlockFeed) => Promise<BlockReport>
  /** Drops every block above. */
  readonly rollBack: (toBlock: bigint) => Promise<RollBackReport>
  /** Prices that arrive between two blocks belong to the last one. */
  readonly setPrices: (prices: ReadonlyArray<PriceFeed>) => Promise<LedgerStamp>
  /** Does what one line of a feed says. */
  readonly applyRecord: (record: FeedRecord) => Promise<RecordReport>
  readonly list: <N extends ListName>(name: N, query?: ListQuery<N>) => Promise<Page<ListItems[N]>>
  readonly find: <N extends ItemName>(name: N, key: ItemKeys[N]) => Promise<Found<Items[N]>>
  readonly state: () => Promise<{ readonly state: NetworkState; readonly stamp: LedgerStamp }>
  /** Answers as the server does; needs no server. */
  readonly fetch: FetchHandler
  /** Ends the node; calls after it reject. */
  readonly close: () => Promise<void>
}

/**
 * Opens a node over stores in memory.
 *
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const response = await node.fetch(new Request("http://node/slots/7"))
 * console.log((await response.json()).slotNum) // => 7
 * await node.close()
 * ```
 */
export const openNode = async (options: NodeOptions): Promise<RollupNode> => {
  const runtime = ManagedRuntime.make(memoryNode(options))
  const run = <A, E>(effect: Effect.Effect<A, E, Node>): Promise<A> => runtime.runPromise(effect)
  const ledger = await run(Ledger)
  const reader = await run(LedgerReader)
  return {
    applyBlock: (block) => run(ledger.applyBlock(block)),
    rollBack: (toBlock) => run(ledger.rollBack(toBlock)),
    setPrices: (prices) => run(ledger.setPrices(prices)),
    applyRecord: (record) => run(ledger.applyRecord(record)),
    list: (name, query = { filters: {} }) => run(reader.list(name, query)),
    find: (name, key) => run(reader.find(name, key)),
    state: () => run(reader.state),
    fetch: await run(fetchHandler),
    close: () => runtime.dispose()
  }
}
