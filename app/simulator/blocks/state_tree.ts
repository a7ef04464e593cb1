import { accountLeaf, type MerkleTree, merkleTree } from "../../../adapters/crypto/mod.ts"
import type { Account, New } from "../../../core/domain/mod.ts"
import type { BatchOutcome } from "../../../core/use_cases/mod.ts"
import { type Context, placeholderRootOf, type World } from "../world/mod.ts"

/** Returns the state root after a batch, and updates the state tree. */
export function stateRoot(
  { settings }: Context,
  world: World,
  { accounts }: BatchOutcome
): bigint {
  if (settings.placeholderRoots) return placeholderRootOf(world.block.hash, world.lastBatchNum + 1)
  world.tree = withAccounts(world.tree, accounts)
  return world.tree.root
}

/** Returns the state tree of accounts. */
export const stateTreeOf = (accounts: ReadonlyArray<New<Account>>): MerkleTree =>
  withAccounts(merkleTree([]), accounts)

const withAccounts = (tree: MerkleTree, accounts: ReadonlyArray<New<Account>>): MerkleTree =>
  tree.update(accounts.map((account) => ({ index: account.index, leaf: accountLeaf(account) })))
