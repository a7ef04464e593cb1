import type { StateAccount, StateRootRequest, WrongStateRoot } from "../../core/use_cases/mod.ts"
import { accountLeaf } from "./inclusion_proof.ts"
import { type MerkleTree, merkleTree } from "./merkle_tree.ts"

/** Number of blocks whose trees are kept: more than the depth of a usual rollback. */
const TREES_MAX = 128

/**
 * The state trees after the last blocks, by block hash. Trees share their unchanged nodes, so that
 * a block takes memory for its changes only.
 *
 * @example
 * ```ts
 * import { EMPTY_PUBLIC_KEY, ZERO_ADDRESS } from "rollup-node-api"
 * import { accountLeaf, merkleTree, StateTrees } from "rollup-node-api/crypto"
 *
 * const owner = { publicKey: EMPTY_PUBLIC_KEY, address: ZERO_ADDRESS }
 * const account = { index: 256, tokenId: 0, nonce: 0n, balance: 5n, ...owner }
 * const { root } = merkleTree([{ index: 256, leaf: accountLeaf(account) }])
 *
 * const trees = new StateTrees()
 * const block = { parentHash: "0xaa", parentNumber: 1n, hash: "0xbb", isFirst: true }
 * const verify = (stateRoot: bigint) =>
 *   trees.verify({ ...block, batches: [{ stateRoot, accounts: [account] }] })
 * console.log(verify(root), verify(7n) !== null) // => null true
 * ```
 */
export class StateTrees {
  readonly #trees = new Map<string, MerkleTree>()
  #loading = merkleTree([])

  /** Adds accounts to a tree under construction, and returns its root. */
  load(accounts: ReadonlyArray<StateAccount>): bigint {
    this.#loading = this.#loading.update(accounts.map(leafOf))
    return this.#loading.root
  }

  /**
   * Ends the construction of a tree: it is the one after the block, or is dropped if `hash` is
   * null.
   */
  endLoad(hash: string | null): void {
    if (hash !== null) this.#trees.set(hash, this.#loading)
    this.#loading = merkleTree([])
  }

  /**
   * Returns null if the state root of every batch of a block is right, otherwise the first wrong
   * one; "unknown" if there is no tree of the block before.
   */
  verify(
    { batches, hash, isFirst, parentHash }: StateRootRequest
  ): WrongStateRoot | "unknown" | null {
    let tree = this.#trees.get(parentHash) ?? (isFirst ? merkleTree([]) : undefined)
    if (tree === undefined) return "unknown"
    for (const [position, { accounts, stateRoot }] of batches.entries()) {
      tree = tree.update(accounts.map(leafOf))
      if (tree.root !== stateRoot) return { position, expected: tree.root }
    }
    this.#trees.delete(hash)
    this.#trees.set(hash, tree)
    for (const oldest of this.#trees.keys()) {
      if (this.#trees.size <= TREES_MAX) break
      this.#trees.delete(oldest)
    }
    return null
  }
}

const leafOf = (account: StateAccount) => ({ index: account.index, leaf: accountLeaf(account) })
