/**
 * A small network for tests of a pool: owners, accounts, and a chain of blocks without checks.
 *
 * @example
 * ```ts
 * import { simulate } from "rollup-node-api/simulator"
 * import { poolNetwork } from "rollup-node-api/testing"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const chain = new poolNetwork.PoolChain(genesis)
 * const block = chain.grow({ batches: [poolNetwork.batchOf(1, {})] })
 * console.log(block.number - genesis.block.number, chain.cut(1).dropped.length) // => 1n 1
 * ```
 */
export * as poolNetwork from "./pool_network.ts"
export { poolLaws } from "./pool_laws.ts"
export { PoolChain } from "./pool_network.ts"
export { poolStoreLaws } from "./pool_store_laws.ts"
export type { OpenPool, PoolSubject } from "./pool_subject.ts"
