import { Effect, Layer, ManagedRuntime } from "effect"
import { type FetchHandler, fetchHandler } from "../adapters/http/mod.ts"
import {
  type BlockFeed,
  type BlockReport,
  checkItemKey,
  checkListQuery,
  type FeedRecord,
  type Found,
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

/** What an embedded node is made of. */
export interface EmbedOptions extends NodeOptions {
  /** Is told what the node measures, such as one of `openMonitor`; nothing is counted without it. */
  readonly monitor?: Monitor
}

type Promised<Method> = Method extends
  (...args: infer Args) => Effect.Effect<infer A, infer _E, infer _R> ?
  (...args: Args) => Promise<A>
  : Method extends Effect.Effect<infer A, infer _E, infer _R> ? () => Promise<A>
  : never

/**
 * A node for hosts without Effect: everything is a promise. Writing rejects with a BlockViolation, and nothing was
 * stored; reading rejects with BadInput where a query breaks a rule, with NotRegistered where a filter names what never was;
 * submitting rejects with all that is wrong. Every rejection is an Error with a `_tag` that names its kind.
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
  /** Takes in what a wallet signed, as a post over HTTP does. */
  readonly submitTransaction: (
    posted: PostedTransaction
  ) => Promise<Submitted & { readonly id: TransactionId }>
  readonly submitAuthorization: (posted: PostedAuthorization) => Promise<Submitted>
  /** What a coordinator does with the pool: select, forge, give up. Blocks and rollbacks settle it by themselves. */
  readonly pool: { readonly [Name in keyof Pool["Service"]]: Promised<Pool["Service"][Name]> }
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

/** Each effect of a service as a promise. */
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
