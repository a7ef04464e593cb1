import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import {
  accountLeaf,
  type IndexedLeaf,
  merkleTree,
  poseidon,
  verifyExitProof,
  verifyInclusion
} from "../../adapters/crypto/mod.ts"
import type { MerkleProof } from "../../core/domain/mod.ts"
import {
  EMPTY_PUBLIC_KEY,
  INTERNAL_ADDRESS,
  publicKeyFromParts,
  ZERO_ADDRESS
} from "../../core/encoding/mod.ts"
import { integer, unsigned } from "../encoding/_arbitrary.ts"

const MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

const indexedLeaves = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([integer(0, 2 ** 48 - 1), unsigned(250)]), { maxLength: 6 }),
  (pairs) => [...new Map(pairs)].map(([index, leaf]) => ({ index, leaf }))
)

/**
 * Leaves with common prefixes, so that updates replace some, and without, so that others move down.
 */
const batches = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.array(Arbitrary.all([integer(0, 12), integer(0, 1), unsigned(250)]), {
      maxLength: 5
    }),
    (triples) =>
      [...new Map(triples.map(([low, high, leaf]) => [low + high * 2 ** 40, leaf]))].map((
        [index, leaf]
      ) => ({ index, leaf }))
  ),
  { maxLength: 5 }
)

const last = (
  leaves: ReadonlyArray<IndexedLeaf>
) => [...new Map(leaves.map((leaf) => [leaf.index, leaf])).values()]

describe("Merkle trees", () => {
  it("the empty tree has root 0 and proves nothing", () => {
    const tree = merkleTree([])
    assert.strictEqual(tree.root, 0n)
    assert.isUndefined(tree.proof(256))
  })

  it("a single leaf is the root and needs no sibling", () => {
    const tree = merkleTree([{ index: 256, leaf: 7n }])
    assert.strictEqual(tree.root, poseidon([256n, 7n, 1n]))
    assert.deepStrictEqual(tree.proof(256), {
      root: tree.root,
      siblings: [],
      oldKey: 0n,
      oldValue: 0n,
      isOld0: false,
      key: 256n,
      value: 7n,
      fnc: 0
    })
    assert.isUndefined(tree.proof(257))
  })

  it("paths follow the index from its least significant bit at the root", () => {
    const [a, b, c] = [{ index: 256, leaf: 1n }, { index: 257, leaf: 2n }, {
      index: 258,
      leaf: 3n
    }] as const
    const [hashA, hashB, hashC] = [a, b, c].map(({ index, leaf }) =>
      poseidon([BigInt(index), leaf, 1n])
    ) as [bigint, bigint, bigint]
    const even = poseidon([hashA, hashC])
    const tree = merkleTree([c, a, b])
    assert.strictEqual(tree.root, poseidon([even, hashB]))
    assert.deepStrictEqual(tree.proof(256)?.siblings, [hashB, hashC])
    assert.deepStrictEqual(tree.proof(257)?.siblings, [even])
    assert.deepStrictEqual(tree.proof(258)?.siblings, [hashB, hashA])
  })

  it("indexes that differ only in their highest bit are separated 48 levels down", () => {
    const tree = merkleTree([{ index: 5, leaf: 1n }, { index: 5 + 2 ** 47, leaf: 2n }])
    const proof = proofOf(tree.proof(5 + 2 ** 47))
    assert.strictEqual(proof.siblings.length, 48)
    assert.deepStrictEqual(proof.siblings.slice(0, 47), Array<bigint>(47).fill(0n))
    assert.isTrue(verifyInclusion(proof))
  })

  it("a repeated index or one without a position is a defect", () => {
    assert.throws(() => merkleTree([{ index: 5, leaf: 1n }, { index: 5, leaf: 1n }]), RangeError)
    assert.throws(() => merkleTree([{ index: 2 ** 48, leaf: 1n }]), RangeError)
    assert.throws(() => merkleTree([{ index: -1, leaf: 1n }]), RangeError)
  })

  it.prop(
    "every leaf has a proof that verifies, padded or not, and fails for anything else",
    { leaves: indexedLeaves },
    ({ leaves }) => {
      const tree = merkleTree(leaves)
      for (const { index, leaf } of leaves) {
        const proof = proofOf(tree.proof(index))
        assert.deepStrictEqual([proof.root, proof.key, proof.value], [
          tree.root,
          BigInt(index),
          leaf
        ])
        assert.notStrictEqual(proof.siblings.at(-1), 0n)
        assert.isTrue(verifyInclusion(proof))
        assert.isTrue(verifyInclusion({ ...proof, siblings: [...proof.siblings, 0n, 0n] }))
        assert.isFalse(verifyInclusion({ ...proof, value: leaf + 1n }))
        assert.isFalse(verifyInclusion({ ...proof, key: proof.key ^ 1n }))
        assert.isFalse(verifyInclusion({ ...proof, root: proof.root + 1n }))
        assert.isFalse(verifyInclusion({ ...proof, siblings: [...proof.siblings, 1n] }))
      }
    },
    { arbitrary: { runs: 25 } }
  )

  it.prop(
    "an updated tree equals the tree built from its content, with its proofs, and its earlier versions do not change",
    { batches },
    ({ batches }) => {
      const versions = [merkleTree([])]
      for (const batch of batches) versions.push(versions.at(-1)!.update(batch))
      for (const [i, version] of versions.entries()) {
        const leaves = last(batches.slice(0, i).flat())
        const rebuilt = merkleTree(leaves)
        assert.strictEqual(version.root, rebuilt.root)
        for (const { index } of last(batches.flat())) {
          assert.deepStrictEqual(version.proof(index), rebuilt.proof(index))
        }
      }
    },
    { arbitrary: { runs: 25 } }
  )

  it.prop("leaves in any order, at once or one by one, make the same tree", {
    leaves: indexedLeaves
  }, ({ leaves }) => {
    const { root } = merkleTree(leaves)
    assert.strictEqual(merkleTree(leaves.toReversed()).root, root)
    const oneByOne = leaves.toReversed().reduce((tree, leaf) => tree.update([leaf]), merkleTree([]))
    assert.strictEqual(oneByOne.root, root)
  }, { arbitrary: { runs: 15 } })

  it("a hash that comes with a leaf from outside is checked", () => {
    const forged = { index: 256, leaf: 7n, hash: 1n }
    assert.strictEqual(merkleTree([]).update([forged]).root, poseidon([256n, 7n, 1n]))
  })

  it("siblings and values must be below the modulus of the field", () => {
    const proof = proofOf(
      merkleTree([{ index: 256, leaf: 7n }, { index: 257, leaf: 8n }]).proof(256)
    )
    assert.isTrue(verifyInclusion(proof))
    assert.isFalse(verifyInclusion({ ...proof, value: proof.value + MODULUS }))
    for (const shift of [MODULUS, -MODULUS]) {
      const siblings = proof.siblings.map((sibling) => sibling + shift)
      assert.isFalse(verifyInclusion({ ...proof, siblings }))
    }
  })

  it("a key outside the tree never verifies", () => {
    const leaf: IndexedLeaf = { index: 256, leaf: 7n }
    const proof = proofOf(merkleTree([leaf]).proof(256))
    assert.isFalse(verifyInclusion({ ...proof, key: -1n }))
    assert.isFalse(
      verifyInclusion({ ...proof, key: 1n << 48n, root: poseidon([1n << 48n, 7n, 1n]) })
    )
  })
})

describe("exit proofs", () => {
  const owned = {
    tokenId: 3,
    balance: 42n,
    publicKey: `${"0".repeat(63)}1`,
    address: `0x${"5".repeat(40)}`
  }
  const tree = merkleTree([
    { index: 256, leaf: accountLeaf({ ...owned, nonce: 0n }) },
    { index: 300, leaf: accountLeaf({ ...owned, tokenId: 4, nonce: 0n }) }
  ])
  const exit = { ...owned, accountIndex: 256, merkleProof: proofOf(tree.proof(256)) }

  it("the proof of an exit leads to the exit root", () => {
    assert.isTrue(verifyExitProof(exit, tree.root))
    assert.isTrue(
      verifyExitProof({
        ...exit,
        tokenId: 4,
        accountIndex: 300,
        merkleProof: proofOf(tree.proof(300))
      }, tree.root)
    )
  })

  it("a proof of anything else does not", () => {
    const { merkleProof } = exit
    const wrong: ReadonlyArray<Partial<typeof exit>> = [
      { tokenId: 4 },
      { balance: 43n },
      { publicKey: EMPTY_PUBLIC_KEY },
      { address: ZERO_ADDRESS },
      { accountIndex: 300 },
      { accountIndex: 300, merkleProof: { ...merkleProof, key: 300n } },
      { merkleProof: { ...merkleProof, value: merkleProof.value + 1n } },
      { merkleProof: { ...merkleProof, siblings: [] } },
      {
        merkleProof: {
          ...merkleProof,
          siblings: merkleProof.siblings.map((sibling) => sibling + 1n)
        }
      },
      { merkleProof: { ...merkleProof, root: 0n } },
      { merkleProof: { ...merkleProof, fnc: 1 as 0 } },
      { merkleProof: proofOf(tree.proof(300)) }
    ]
    for (const change of wrong) assert.isFalse(verifyExitProof({ ...exit, ...change }, tree.root))
    assert.isFalse(verifyExitProof(exit, tree.root + 1n))
  })
})

describe("account leaves", () => {
  it("hold the largest values of all fields, and the smallest", () => {
    assert.strictEqual(
      accountLeaf({
        tokenId: 2 ** 32 - 1,
        nonce: (1n << 40n) - 1n,
        balance: (1n << 192n) - 1n,
        publicKey: publicKeyFromParts({ y: (1n << 253n) - 1n, sign: true }),
        address: INTERNAL_ADDRESS
      }),
      13265203488631320682117942952393454767418777767637549409684833552016769103047n
    )
    assert.strictEqual(
      accountLeaf({
        tokenId: 0,
        nonce: 0n,
        balance: 0n,
        publicKey: EMPTY_PUBLIC_KEY,
        address: ZERO_ADDRESS
      }),
      2351654555892372227640888372176282444150254868378439619268573230312091195718n
    )
  })
})

function proofOf(proof: MerkleProof | undefined): MerkleProof {
  assert.isDefined(proof)
  return proof as MerkleProof
}
