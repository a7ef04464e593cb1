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
 * A node with a promise API, for hosts without Effect. Every rejection is an Error with a `_tag`,
 * except after `close`. A rejected write stores nothing.
 */
export interface RollupNode {
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
   * Drops all blocks after `toBlock`. Rejects with BlockViolation if the ledger does not contain
   * this block.
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
  readonly setPrices: (prices: ReadonlyArray<PriceFeed>) => Promise<LedgerStamp>
  /**
   * Applies one record of a feed: a block, a rollback or prices. A genesis record must equal the
   * genesis of the node, and changes nothing. Rejects with BlockViolation.
   *
   * ```ts
   * import { readFeedLine } from "rollup-node-api"
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate, writeFeed } from "rollup-node-api/simulator"
   * import { Exit } from "effect"
   *
   * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
   * for (const line of writeFeed(simulate({ seed: 1 }), 100)) {
   *   const record = readFeedLine(line)
   *   if (Exit.isSuccess(record)) await node.applyRecord(record.value)
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
   * const { counts, items } = await node.list("tokens", { filters: {}, order: "DESC", limit: 1 })
   * console.log(items[0]?.symbol, counts.totalItems) // => ETH 1
   * const failure = await node.list("accounts", { filters: { tokenIds: [99] } }).catch((error) => error)
   * console.log(failure._tag) // => NotRegistered
   * await node.close()
   * ```
   */
  readonly list: <N extends ListName>(name: N, query?: ListQuery<N>) => Promise<Page<ListItems[N]>>
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
   * const { stamp } = await node.state()
   * console.log(stamp.ethereumBlockNum - genesis.block.number) // => 1n
   * await node.close()
   * ```
   */
  readonly state: () => Promise<{ readonly state: NetworkState; readonly stamp: LedgerStamp }>
  /**
   * Submits a signed transaction to the pool, as a POST over HTTP does. `stored` is false if the
   * pool contains the same transaction. Rejects with SubmissionRefused, which lists all violated
   * rules, or with SubmissionConflict, PoolFull or VerifierBusy.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const { genesis, live, next, transactionCount } = simulate({ seed: 1 })
   * const node = await openNode({ genesis })
   * while (transactionCount() < 300) await node.applyRecord(next())
   * const [entry] = live.nextSubmissions().entries
   * const { id } = await node.submitTransaction(entry!.transaction)
   * console.log((await node.pool.transaction(id))?.state) // => pend
   * await node.close()
   * ```
   */
  readonly submitTransaction: (
    posted: PostedTransaction
  ) => Promise<Submitted & { readonly id: TransactionId }>
  /**
   * Submits an authorization to create accounts for a key, as a POST over HTTP does. Rejects as
   * `submitTransaction` does.
   *
   * ```ts
   * import { signAuthorization } from "rollup-node-api/crypto"
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const { demoWallet: { address, ethereumKey, publicKey }, genesis } = simulate({ seed: 1 })
   * const node = await openNode({ genesis })
   * const signature = signAuthorization(ethereumKey, publicKey, genesis.network)
   * const { stored } = await node.submitAuthorization({ address, publicKey, signature })
   * console.log(stored) // => true
   * await node.close()
   * ```
   */
  readonly submitAuthorization: (posted: PostedAuthorization) => Promise<Submitted>
  /**
   * The operations of the coordinator on the pool. Blocks and rollbacks update the pool
   * automatically.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const { genesis, live, next, transactionCount } = simulate({ seed: 1 })
   * const node = await openNode({ genesis })
   * while (transactionCount() < 300) await node.applyRecord(next())
   * await node.submitTransaction(live.nextSubmissions().entries[0]!.transaction)
   * const { transactions } = await node.pool.select({ maxTransactions: 64, maxNewAccounts: 8 })
   * console.log(transactions.length) // => 1
   * await node.close()
   * ```
   */
  readonly pool: { readonly [Name in keyof Pool["Service"]]: Promised<Pool["Service"][Name]> }
  /** Handles an HTTP request of the API, without a server. */
  readonly fetch: FetchHandler
  /**
   * Closes the node. Later calls reject.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
   * await node.close()
   * const error = await node.state().catch((error) => error)
   * console.log(error.message) // => The node is closed: open another one
   * ```
   */
  readonly close: () => Promise<void>
}

/**
 * Opens a node over stores in memory. Rejects with BlockViolation if the genesis is invalid.
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
