import type { Effect } from "effect"
import type { FetchHandler, RequestTarget } from "../../adapters/http/mod.ts"
import type {
  NodeChange,
  Pool,
  PostedAuthorization,
  PostedGroup,
  PostedTransaction,
  RequestedTransaction,
  Submitted,
  TransactionId
} from "../../core/mod.ts"
import type { LedgerMethods } from "./ledger_methods.ts"
import type { ListenOptions } from "./options.ts"

type Destination = "toAccountIndex" | "toAddress" | "toPublicKey"

/** A transaction as its sender signed it. A member that is null may be left out. */
export type TransactionInput =
  & Omit<PostedTransaction, Destination | "request">
  & Partial<Pick<PostedTransaction, Destination>>
  & { readonly request?: Partial<RequestedTransaction> | null }

/** A group as its senders signed it. Members of its transactions that are null may be left out. */
export interface GroupInput extends Pick<PostedGroup, "id"> {
  readonly transactions: ReadonlyArray<
    TransactionInput & Pick<PostedGroup["transactions"][number], "requestOffset">
  >
}

/** A server of a node. */
export interface NodeServer {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly port: number
  /** Shuts the server down gracefully. The node stays open. */
  readonly close: () => Promise<void>
}

type Promised<Method> = Method extends
  (...args: infer Args) => Effect.Effect<infer A, infer _E, infer _R> ?
  (...args: Args) => Promise<A>
  : Method extends Effect.Effect<infer A, infer _E, infer _R> ? () => Promise<A>
  : never

/**
 * A node with a promise API, for hosts without Effect. Every rejection is a `NodeError` with a
 * `_tag`, all violations of the input, and `retry`. A rejected write stores nothing, unless the
 * error is a `StoreFailure`: a connection may be lost after the commit.
 *
 * The values are those of the domain: amounts, nonces and block numbers are `bigint`, and times are
 * milliseconds since 1970. Each returned object has a method `toJSON`.
 */
export interface RollupNode extends LedgerMethods, AsyncDisposable {
  /**
   * Submits a signed transaction to the pool, as a POST over HTTP does. `stored` is false if the
   * pool contains the same transaction. Rejects with SubmissionRefused, which lists all violated
   * rules, or with SubmissionConflict, PoolFull or VerifierBusy. Account indexes are numbers here, and
   * have no symbol that could be wrong.
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
    posted: TransactionInput
  ) => Promise<Submitted & { readonly id: TransactionId }>
  /**
   * Submits an atomic group: 2 to 32 transactions of which each requires another one, so that they
   * are forged in one batch or never. The pool stores all or none. Rejects as `submitTransaction`
   * does.
   *
   * ```ts
   * import { NodeError, openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
   * const group = { id: `0x${"0".repeat(64)}`, transactions: [] }
   * const error: unknown = await node.submitGroup(group).catch((error: unknown) => error)
   * if (error instanceof NodeError) console.log(error._tag) // => SubmissionRefused
   * await node.close()
   * ```
   */
  readonly submitGroup: (
    posted: GroupInput
  ) => Promise<Submitted & { readonly ids: ReadonlyArray<TransactionId> }>
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
  /**
   * Handles an HTTP request of the API, without a server: a handler for `Deno.serve`, `Bun.serve` and
   * frameworks that take web-standard requests. Errors are answers; it rejects only if the signal of
   * the request is aborted or the node is closed.
   */
  readonly fetch: FetchHandler
  /**
   * Answers a request of any transport; `fetch`, `toFetchHandler` and `toNodeHandler` use it.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * await using node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
   * const request = { method: "GET", url: "/slots/7", headers: {} }
   * const { body, status } = await node.handle(request, new AbortController().signal)
   * console.log(status, JSON.parse(body as string).slotNum) // => 200 7
   * ```
   */
  readonly handle: RequestTarget["handle"]
  /**
   * Serves the API over HTTP until the node or the server closes. Rejects with ServeError if the port
   * is not available. Needs Node.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * await using node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
   * const { url } = await node.listen({ port: 0 })
   * const response = await fetch(`${url}/tokens/0`)
   * console.log((await response.json()).symbol) // => ETH
   * ```
   */
  readonly listen: (options: ListenOptions) => Promise<NodeServer>
  /**
   * Calls the listener with each change that is stored from now on: blocks with their batches,
   * rollbacks, prices, heads, and transitions of transactions in the pool. Returns a function that ends it.
   *
   * Changes of the ledger arrive in their order, and so do those of the pool; with a database, those
   * of all processes. The listener gets the next change when its promise settles. If it throws or
   * rejects, the error is logged. If more than 100,000 changes wait, they are replaced by one
   * change of the kind `missed`: read the state again.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const { genesis, next } = simulate({ seed: 1 })
   * await using node = await openNode({ genesis })
   * const rolledBack = new Promise<bigint>((resolve) => {
   *   const stop = node.onChange((change) => {
   *     if (change.kind !== "rollBack") return
   *     stop()
   *     resolve(change.toBlock)
   *   })
   * })
   * for (let i = 0; i < 3; i++) await node.applyRecord(next())
   * await node.rollBack(genesis.block.number + 1n)
   * console.log((await rolledBack) - genesis.block.number) // => 1n
   * ```
   */
  readonly onChange: (listener: (change: NodeChange) => unknown) => () => void
  /**
   * Closes the node: shuts its servers down, waits up to 5 seconds for calls in progress, writes
   * pending data, and releases the lease of a database. Later calls reject with NodeClosed. `await
   * using` closes a node at the end of a block.
   *
   * ```ts
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
   * await node.close()
   * const error = await node.state().catch((error) => error)
   * console.log(error._tag) // => NodeClosed
   * ```
   */
  readonly close: () => Promise<void>
}
