import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accountLeaf,
  derivePublicKey,
  exitTree,
  exitTreeSteps,
  merkleTree,
  verifyExitProof
} from "../../adapters/crypto/mod.ts"
import { exitTreeWorkers } from "../../adapters/crypto/node.ts"
import type { ExitLeaf } from "../../core/use_cases/mod.ts"

const key = derivePublicKey(new Uint8Array(32).fill(3))
/** The same key with bit 254, which no leaf contains. */
const withBit254 = key.slice(0, -2) +
  (Number.parseInt(key.slice(-2), 16) | 0x40).toString(16).padStart(2, "0")

/** Leaves at neighbouring and at distant places, the first one without an amount. */
const leavesOf = (count: number): ReadonlyArray<ExitLeaf> =>
  Array.from({ length: count }, (_, i) => ({
    accountIndex: i % 3 === 0 ? 256 + i : 2 ** 32 + i * 257,
    tokenId: i % 5,
    balance: BigInt(i) ** 3n,
    publicKey: i % 2 === 0 ? key : withBit254,
    address: `0x${"2".repeat(40)}`
  }))

const stepped = (leaves: ReadonlyArray<ExitLeaf>) => {
  const steps = exitTreeSteps(leaves)
  let count = 0
  for (let step = steps.next();; step = steps.next()) {
    if (step.done === true) return { tree: step.value, count }
    count++
  }
}

describe("An exit tree", () => {
  it.live("is the same at once, in steps and in a thread, and its proofs are valid", () =>
    Effect.scoped(Effect.gen(function*() {
      const buildExitTrees = yield* exitTreeWorkers()
      const batches = [0, 1, 2, 9, 40].map(leavesOf)
      const trees = batches.map(exitTree)
      for (const [i, leaves] of batches.entries()) {
        const { proofs, root } = trees[i]!
        assert.strictEqual(
          root,
          merkleTree(
            leaves.map((leaf) => ({
              index: leaf.accountIndex,
              leaf: accountLeaf({ ...leaf, nonce: 0n })
            }))
          ).root
        )
        assert.deepStrictEqual(stepped(leaves).tree, trees[i])
        for (const [at, leaf] of leaves.entries()) {
          assert.isTrue(verifyExitProof({ ...leaf, merkleProof: proofs[at]! }, root))
        }
      }
      assert.strictEqual(trees[0]!.root, 0n)
      assert.strictEqual(stepped(batches[4]!).count, 4)
      assert.deepStrictEqual(yield* buildExitTrees(batches), trees)
    })))

  it("has one leaf for each account", () => {
    const leaves = leavesOf(2)
    assert.throws(() => exitTree([...leaves, leaves[0]!]), /3 leaves with 2 indexes/u)
  })
})
