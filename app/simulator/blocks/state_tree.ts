import * as Hex from "effect/encoding/Hex"
import {
  accountLeaf,
  emptyTree,
  type IndexedLeaf,
  type MerkleTree
} from "../../../adapters/crypto/mod.ts"
import type { Account, New } from "../../../core/domain/mod.ts"
import type { AccountIndex } from "../../../core/encoding/mod.ts"
import type { BatchOutcome } from "../../../core/use_cases/mod.ts"
import { accountOf, type Context, digestOf, placeholderRootOf, type World } from "../world/mod.ts"

/**
 * The root of the accounts as a batch leaves them. The tree itself is only there once a root was asked for that nobody recorded; from
 * then on it grows with the accounts.
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

/** Gives a world its state tree, some accounts at a time: each step takes some ten milliseconds, so that others get their turn. */
export function* buildStateTree(world: World): Generator<void, void> {
  if (world.tree !== undefined) return
  const leaves = [...world.accounts].sort((a, b) => treePosition(a.index) - treePosition(b.index))
  let tree = emptyTree
  for (let start = 0; start < leaves.length; start += SLICE) {
    tree = tree.update(leavesOf(leaves.slice(start, start + SLICE)))
    yield
  }
  world.tree = tree
}

const SLICE = 8

const treeOf = ({ accounts }: World): MerkleTree => emptyTree.update(leavesOf(accounts))

const leavesOf = (accounts: ReadonlyArray<New<Account>>): ReadonlyArray<IndexedLeaf> =>
  accounts.map((account) => ({ index: account.index, leaf: accountLeaf(account) }))

/** From left to right in the tree, whose paths start with the least bit: neighbours share most of what is hashed above them. */
const treePosition = (index: AccountIndex): number => {
  let reversed = 0
  for (let rest = index, bit = 2 ** 47; rest > 0; rest = Math.floor(rest / 2), bit /= 2) {
    reversed += (rest % 2) * bit
  }
  return reversed
}
