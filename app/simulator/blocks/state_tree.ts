import * as Hex from "effect/encoding/Hex"
import {
  accountLeaf,
  emptyTree,
  type IndexedLeaf,
  type MerkleTree,
  treePosition
} from "../../../adapters/crypto/mod.ts"
import type { Account, New } from "../../../core/domain/mod.ts"
import type { BatchOutcome } from "../../../core/use_cases/mod.ts"
import { accountOf, type Context, digestOf, placeholderRootOf, type World } from "../world/mod.ts"

/**
 * Returns the state root after a batch. The tree is built for the first root that the recording
 * does not contain, and is updated from then on.
 */
export function stateRoot(
  { recording, settings }: Context,
  world: World,
  { accountUpdates, createdAccounts }: BatchOutcome
): bigint {
  if (settings.placeholderRoots) return placeholderRootOf(world.block.hash, world.lastBatchNum + 1)
  world.tree = world.tree?.update(
    leavesOf(accountUpdates.flatMap(({ index }) => accountOf(world, index) ?? []))
  )
  const changes = [
    ...createdAccounts.map(({ address, index, publicKey, tokenId }) =>
      `${index} ${tokenId} ${publicKey} ${address}`
    ),
    ...accountUpdates.map(({ balance, index, nonce }) => `${index} ${nonce} ${balance}`)
  ]
  world.stateKey = Hex.encode(digestOf([world.stateKey, ...changes].join("\n")))
  return recording.getOrCompute(
    `state ${world.stateKey}`,
    () => [(world.tree ??= treeOf(world)).root]
  )[0]!
}

/**
 * Builds the state tree of a world, if it does not exist yet. Yields after some accounts, about ten
 * milliseconds, so that the caller can run other work in between.
 */
export function* buildStateTree(world: World): Generator<void, void> {
  if (world.tree !== undefined) return
  const leaves = [...world.accounts].sort((a, b) => treePosition(a.index) - treePosition(b.index))
  let tree = emptyTree
  for (let start = 0; start < leaves.length; start += ACCOUNTS_PER_STEP) {
    tree = tree.update(leavesOf(leaves.slice(start, start + ACCOUNTS_PER_STEP)))
    yield
  }
  world.tree = tree
}

/** Number of accounts added per step. */
const ACCOUNTS_PER_STEP = 8

const treeOf = ({ accounts }: World): MerkleTree => emptyTree.update(leavesOf(accounts))

const leavesOf = (accounts: ReadonlyArray<New<Account>>): ReadonlyArray<IndexedLeaf> =>
  accounts.map((account) => ({ index: account.index, leaf: accountLeaf(account) }))
