import { assert, describe, it } from "@effect/vitest"
import { accountLeaf, merkleTree, StateTrees } from "../../adapters/crypto/mod.ts"
import type { StateAccount } from "../../core/use_cases/mod.ts"
import { ZERO_ADDRESS, EMPTY_PUBLIC_KEY } from "../../core/encoding/mod.ts"

const accountOf = (index: number, balance: bigint): StateAccount => ({
  index,
  tokenId: 0,
  nonce: 0n,
  balance,
  publicKey: EMPTY_PUBLIC_KEY,
  address: ZERO_ADDRESS
})
const rootOf = (...accounts: ReadonlyArray<StateAccount>) =>
  merkleTree(accounts.map((account) => ({ index: account.index, leaf: accountLeaf(account) }))).root

const [a, b, a2] = [accountOf(256, 1n), accountOf(257, 2n), accountOf(256, 9n)]
const block = (parentHash: string, hash: string, isFirst = false) => ({
  parentHash,
  parentNumber: 1n,
  hash,
  isFirst,
  batches: []
})

describe("state trees", () => {
  it("verify each batch of a block from the tree of its parent", () => {
    const trees = new StateTrees()
    const batches = [
      { stateRoot: rootOf(a), accounts: [a] },
      { stateRoot: rootOf(a2, b), accounts: [b, a2] },
      { stateRoot: rootOf(a2, b), accounts: [] }
    ]
    assert.strictEqual(trees.verify({ ...block("0x1", "0x2"), batches }), "unknown")
    assert.isNull(trees.verify({ ...block("0x1", "0x2", true), batches }))
    // a block without batches has the tree of its parent
    assert.isNull(trees.verify(block("0x2", "0x3")))
    assert.deepStrictEqual(
      trees.verify({
        ...block("0x3", "0x4"),
        batches: [{ stateRoot: rootOf(a, b), accounts: [a] }, { stateRoot: 5n, accounts: [] }]
      }),
      { position: 1, expected: rootOf(a, b) }
    )
    // a refused block leaves no tree
    assert.strictEqual(trees.verify(block("0x4", "0x5")), "unknown")
  })

  it("return to the tree of a block after a rollback, and drop the oldest ones", () => {
    const trees = new StateTrees()
    assert.strictEqual(trees.load([a]), rootOf(a))
    // a tree under construction verifies nothing
    assert.strictEqual(trees.verify(block("0x0", "0x1")), "unknown")
    assert.strictEqual(trees.load([b]), rootOf(a, b))
    trees.endLoad("0x0")
    const fork = [{ stateRoot: rootOf(a2, b), accounts: [a2] }]
    assert.isNull(trees.verify({ ...block("0x0", "0x1"), batches: fork }))
    assert.isNull(trees.verify({ ...block("0x0", "0x1b"), batches: fork }))
    for (let i = 1; i <= 128; i++) {
      assert.isNull(trees.verify(block(`0x${i === 1 ? "1" : i}`, `0x${i + 1}`)))
    }
    assert.strictEqual(trees.verify(block("0x0", "0x1c")), "unknown")
    assert.strictEqual(trees.load([a]), rootOf(a))
    trees.endLoad(null)
    assert.strictEqual(trees.load([b]), rootOf(b))
  })
})
