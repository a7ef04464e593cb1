import { accountLeaf, emptyTree, type IndexedLeaf } from "../../adapters/crypto/mod.ts"
import type { AccountIndex } from "../../core/encoding/mod.ts"
import { accountOf, type World } from "./_world.ts"

/** The accounts as the state tree keeps them. */
export const leavesOf = (world: World, indexes: ReadonlyArray<AccountIndex>): ReadonlyArray<IndexedLeaf> =>
  indexes.flatMap((index) => {
    const account = accountOf(world, index)
    return account === undefined ? [] : [{ index, leaf: accountLeaf(account) }]
  })

/** Gives a world its state tree, some accounts at a time: each step takes a few milliseconds, so that others get their turn. */
export function* growTree(world: World): Generator<void, void> {
  if (world.tree !== undefined) return
  let tree = emptyTree
  for (let start = 0; start < world.accounts.length; start += SLICE) {
    tree = tree.update(leavesOf(world, world.accounts.slice(start, start + SLICE).map(({ index }) => index)))
    yield
  }
  world.tree = tree
}

const SLICE = 16
