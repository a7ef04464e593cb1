import { Effect, Layer, ManagedRuntime } from "effect"
import { type FetchHandler, fetchHandler } from "../adapters/http/mod.ts"
import {
  type BlockFeed,
  type BlockReport,
  checkItemKey,
  checkListQuery,
  type FeedRecord,
  type FoundItem,
  type ItemKeys,
  type ItemName,
  type Items,
  Ledger,
  LedgerReader,
  type LedgerStamp,
  type ListItems,
  type ListName,
  type ListQuery,
  Monitor,
  type NetworkState,
  type Page,
  Pool,
  type PostedAuthorization,
  type PostedTransaction,
  type PriceFeed,
  type RecordReport,
  type RollBackReport,
  Submission,
  type Submitted,
  type TransactionId
} from "../core/mod.ts"
import type { Node, NodeOptions } from "./layers.ts"
import { memoryNode } from "./memory_node.ts"

export type { NodeOptions } from "./layers.ts"

/** Options of an embedded node. */
export interface EmbedOptions extends NodeOptions {
  /** Collects metrics, for example one of `openMonitor`; no metrics by default. */
  readonly monitor?: Monitor
}

type Promised<Method> = Method extends
  (...args: infer Args) => Effect.Effect<infer A, infer _E, infer _R> ?
  (...args: Args) => Promise<A>
  : Method extends Effect.Effect<infer A, infer _E, infer _R> ? () => Promise<A>
  : never

/**
 * A node with a promise API, for hosts without Effect. Every rejection is an Error with a `_tag`.
 * Writes reject with BlockViolation and store nothing. Reads reject with BadInput if a query is
 * invalid, and with NotRegistered if a filter names an unknown item. Submissions reject with all
 * violations.
 */
export interface RollupNode {
  /** Applies a block. Applying the last block again has no effect. */
  readonly applyBlock: (block: BlockFeed) => Promise<BlockReport>
  /** Drops all blocks after `toBlock`. */
  readonly rollBack: (toBlock: bigint) => Promise<RollBackReport>
  /** Sets token prices; they belong to the last block. */
  readonly setPrices: (prices: ReadonlyArray<PriceFeed>) => Promise<LedgerStamp>
  /** Applies one record of a feed. */
  readonly applyRecord: (record: FeedRecord) => Promise<RecordReport>
  readonly list: <N extends ListName>(name: N, query?: ListQuery<N>) => Promise<Page<ListItems[N]>>
  readonly find: <N extends ItemName>(name: N, key: ItemKeys[N]) => Promise<FoundItem<Items[N]>>
  readonly state: () => Promise<{ readonly state: NetworkState; readonly stamp: LedgerStamp }>
  /** Submits a signed transaction, as a POST over HTTP does. */
  readonly submitTransaction: (
    posted: PostedTransaction
  ) => Promise<Submitted & { readonly id: TransactionId }>
  readonly submitAuthorization: (posted: PostedAuthorization) => Promise<Submitted>
  /** The coordinator's operations on the pool. Blocks and rollbacks update the pool automatically. */
  readonly pool: { readonly [Name in keyof Pool["Service"]]: Promised<Pool["Service"][Name]> }
  /** Handles a request as the server does, without a server. */
  readonly fetch: FetchHandler
  /** Closes the node; later calls reject. */
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
export const openNode = async ({ monitor, ...options }: EmbedOptions): Promise<RollupNode> => {
  const runtime = ManagedRuntime.make(
    Layer.provide(memoryNode(options), Layer.succeed(Monitor, monitor ?? null))
  )
  let closed = false
  const open = <A>(call: () => Promise<A>): Promise<A> =>
    closed ? Promise.reject(new Error("The node is closed: open another one")) : call()
  const run = <A, E>(effect: Effect.Effect<A, E, Node>): Promise<A> =>
    open(() => runtime.runPromise(effect))
  const [ledger, reader, submission, pool, fetch] = await run(
    Effect.all([Ledger, LedgerReader, Submission, Pool, fetchHandler])
  )
  return {
    applyBlock: (block) => run(ledger.applyBlock(block)),
    rollBack: (toBlock) => run(ledger.rollBack(toBlock)),
    setPrices: (prices) => run(ledger.setPrices(prices)),
    applyRecord: (record) => run(ledger.applyRecord(record)),
    list: (name, query = { filters: {} }) =>
      run(Effect.flatMap(
        Effect.suspend(() => Effect.fromResult(checkListQuery(name, query))),
        (checked) => reader.list(name, checked)
      )),
    find: (name, key) =>
      run(Effect.flatMap(
        Effect.suspend(() => Effect.fromResult(checkItemKey(name, key))),
        (checked) => reader.find(name, checked)
      )),
    state: () => run(reader.state),
    submitTransaction: (posted) => run(submission.submitTransaction(posted)),
    submitAuthorization: (posted) => run(submission.submitAuthorization(posted)),
    pool: promised(pool, run),
    fetch: (request) => open(() => fetch(request)),
    close: async () => {
      closed = true
      await runtime.dispose()
    }
  }
}

/** Returns the methods of a service as functions that return promises. */
const promised = (
  service: Pool["Service"],
  run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
): RollupNode["pool"] =>
  Object.fromEntries(
    Object.entries(service).map(([name, member]) => [
      name,
      Effect.isEffect(member)
        ? () => run(member as Effect.Effect<unknown>)
        : (...args: ReadonlyArray<unknown>) =>
          run((member as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(...args))
    ])
  ) as unknown as RollupNode["pool"]
