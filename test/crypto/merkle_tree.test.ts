import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { accountLeaf, type IndexedLeaf, type InclusionProof, merkleTree, poseidon, verifyInclusion } from "../../adapters/crypto/mod.ts"
import { EMPTY_PUBLIC_KEY, INTERNAL_ADDRESS, publicKeyFromParts, ZERO_ADDRESS } from "../../core/encoding/mod.ts"
import { integer, unsigned } from "../encoding/_arbitrary.ts"

const indexedLeaves = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([integer(0, 2 ** 48 - 1), unsigned(250)]), { maxLength: 6 }),
  (pairs) => [...new Map(pairs)].map(([index, leaf]) => ({ index, leaf }))
)

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
    const [a, b, c] = [{ index: 256, leaf: 1n }, { index: 257, leaf: 2n }, { index: 258, leaf: 3n }] as const
    const [hashA, hashB, hashC] = [a, b, c].map(({ index, leaf }) => poseidon([BigInt(index), leaf, 1n])) as [bigint, bigint, bigint]
    const even = poseidon([hashA, hashC])
    const tree = merkleTree([c, a, b])
    assert.strictEqual(tree.root, poseidon([even, hashB]))
    assert.deepStrictEqual(tree.proof(256)?.siblings, [hashB, hashC])
    assert.deepStrictEqual(tree.proof(257)?.siblings, [even])
    assert.deepStrictEqual(tree.proof(258)?.siblings, [hashB, hashA])
  })

  it("indexes that differ in their highest bit alone are told apart 48 levels down", () => {
    const tree = merkleTree([{ index: 5, leaf: 1n }, { index: 5 + 2 ** 47, leaf: 2n }])
    const proof = proofOf(tree.proof(5 + 2 ** 47))
    assert.strictEqual(proof.siblings.length, 48)
    assert.deepStrictEqual(proof.siblings.slice(0, 47), Array<bigint>(47).fill(0n))
    assert.isTrue(verifyInclusion(proof))
  })

  it("an index that comes twice or has no place is a defect", () => {
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
        assert.deepStrictEqual([proof.root, proof.key, proof.value], [tree.root, BigInt(index), leaf])
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

  it.prop("the root does not depend on the order of the leaves", { leaves: indexedLeaves }, ({ leaves }) =>
    assert.strictEqual(merkleTree(leaves.toReversed()).root, merkleTree(leaves).root), { arbitrary: { runs: 15 } })

  it("a key outside the tree never verifies", () => {
    const leaf: IndexedLeaf = { index: 256, leaf: 7n }
    const proof = proofOf(merkleTree([leaf]).proof(256))
    assert.isFalse(verifyInclusion({ ...proof, key: -1n }))
    assert.isFalse(verifyInclusion({ ...proof, key: 1n << 48n, root: poseidon([1n << 48n, 7n, 1n]) }))
  })
})

describe("account leaves", () => {
  it("the published leaves hold", () => {
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
      accountLeaf({ tokenId: 0, nonce: 0n, balance: 0n, publicKey: EMPTY_PUBLIC_KEY, address: ZERO_ADDRESS }),
      2351654555892372227640888372176282444150254868378439619268573230312091195718n
    )
    assert.strictEqual(
      accountLeaf({
        tokenId: 3,
        nonce: 129n,
        balance: 42n * 10n ** 18n,
        publicKey: publicKeyFromParts({ y: 0x21b0a1688b37f77b1d1d5539ec3b826db5ac78b2513f574a04c50a7d4f8246d7n, sign: false }),
        address: "0xa3c88ac39a76789437aed31b9608da72e1bbfbf9"
      }),
      15036148928138382129196903417666258171042923749783835283230591475172197254845n
    )
    assert.strictEqual(
      accountLeaf({
        tokenId: 1,
        nonce: 1234n,
        balance: 1000n,
        publicKey: "c433f7a696b7aa3a5224efb3993baf0ccd9e92eecee0c29a3f6c8208a9e81d9e",
        address: "0xc58d29fa6e86e4fae04ddced660d45bcf3cb2370"
      }),
      447675324273474410516096114710387312413478475468606444107594732044698919451n
    )
  })
})

function proofOf(proof: InclusionProof | undefined): InclusionProof {
  assert.isDefined(proof)
  return proof as InclusionProof
}
