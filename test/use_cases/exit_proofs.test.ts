/*
 * The verifier of exit proofs gets all of them, with the owner of each; an invalid proof is
 * reported with its place, and its block is not stored.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { layer } from "../../adapters/memory/mod.ts"
import type { BatchFeed, BlockFeed } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { decideBlock, type ExitProof, Ledger } from "../../core/use_cases/mod.ts"
import {
  ann,
  batchOf,
  block104,
  bob,
  chain,
  cleo,
  exitOf,
  internal,
  l2Of,
  ledgerBefore
} from "./_chain.ts"
import { genesis, keyOf, rules } from "./_network.ts"

const [first] = block104.batches as readonly [BatchFeed]
const created = { address: internal.address, tokenId: 0, signature: null }
/**
 * Two batches: the first has two exits, the second has one of an account that it creates and one of
 * Bob.
 */
const block: BlockFeed = {
  ...block104,
  batches: [
    first,
    batchOf(4, {
      exitRoot: 66n,
      l1Coordinator: [internal.key, keyOf("7")].map((publicKey) => ({ ...created, publicKey })),
      l2: [
        l2Of(257, 261, { amount: 9n, nonce: 1n }),
        l2Of(261, 1, { amount: 4n }),
        l2Of(257, 1, { amount: 6n, nonce: 2n })
      ],
      exits: [exitOf(66n, 257, 6n), exitOf(66n, 261, 4n)]
    })
  ]
}

const expectedProofs = [
  [256, 100n, ann.address, ann.key, 55n],
  [257, 5n, bob.address, bob.key, 55n],
  [257, 6n, bob.address, bob.key, 66n],
  [261, 4n, internal.address, keyOf("7"), 66n]
]
const proofSummary = (
  [{ accountIndex, address, balance, publicKey, tokenId }, root]: ExitProof
) => {
  assert.strictEqual(tokenId, 0)
  return [accountIndex, balance, address, publicKey, root]
}

const wrongAt = (position: number) => {
  const [batch, exit] = [Math.floor(position / 2), position % 2]
  const expected = `siblings and a value whose root is ${batch === 0 ? 55n : 66n}`
  return [
    "exit-proof",
    `/batches/${batch}/exits/${exit}/merkleProof`,
    `${expectedProofs[position]![0]}`,
    expected
  ]
}
const toldViolation = (
  { expected, invariant, pointer, value }: {
    readonly invariant: string
    readonly pointer: string
    readonly value: string
    readonly expected: string
  }
) => [invariant, pointer, value, expected]

describe("a decision that verifies proofs", () => {
  it("gets each exit with its owner and root, and fails at the first invalid one", () => {
    for (const wrong of [-1, 0, 1, 2, 3]) {
      const proofs: Array<ExitProof> = []
      const decision = decideBlock({
        ...rules,
        verifyExit: (...proof) => proofs.push(proof) - 1 !== wrong
      }, block)(ledgerBefore(104n))
      assert.deepStrictEqual(
        proofs.map(proofSummary),
        expectedProofs.slice(0, wrong < 0 ? 4 : wrong + 1)
      )
      if (Result.isSuccess(decision)) assert.strictEqual(wrong, -1)
      else assert.deepStrictEqual(toldViolation(decision.failure), wrongAt(wrong))
    }
  })
})

describe("a ledger with a separate proof verifier", () => {
  const ledgerWith = (wrong: { at?: number }, judged: Array<ReadonlyArray<ExitProof>>) =>
    Ledger.layer(genesis, keccak256, {
      verifyExitProofs: (proofs) => Effect.sync(() => (judged.push(proofs), wrong.at))
    }).pipe(Layer.provideMerge(layer(genesis)))
  const before = chain.filter(({ number }) => number < 104n)

  it.effect("passes all proofs of a block at once, and none if a block has no exits or is stored already", () => {
    const judged: Array<ReadonlyArray<ExitProof>> = []
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      yield* Effect.forEach(before, ledger.applyBlock)
      assert.lengthOf(judged, 0)
      assert.isTrue((yield* ledger.applyBlock(block)).applied)
      assert.deepStrictEqual(judged.map((proofs) => proofs.map(proofSummary)), [expectedProofs])
      assert.isFalse((yield* ledger.applyBlock(block)).applied)
      assert.lengthOf(judged, 1)
    }).pipe(Effect.provide(ledgerWith({}, judged)))
  })

  it.effect("stores nothing of a block with an invalid proof, and names it", () => {
    const wrong: { at?: number } = {}
    return Effect.gen(function*() {
      const [ledger, reader] = [yield* Ledger, yield* LedgerReader]
      yield* Effect.forEach(before, ledger.applyBlock)
      const snapshotId = yield* reader.snapshotId
      for (const at of [0, 1, 2, 3]) {
        wrong.at = at
        const violated = yield* Effect.flip(ledger.applyBlock(block))
        assert.isTrue(violated._tag === "BlockViolation")
        if (violated._tag === "BlockViolation") {
          assert.deepStrictEqual(toldViolation(violated), wrongAt(at))
        }
        assert.match(violated.message, /^Block 104: /u)
        assert.deepStrictEqual(yield* reader.snapshotId, snapshotId)
      }
      // a verifier that reports a proof it was not given is a defect
      wrong.at = 4
      assert.match(
        String(yield* Effect.exit(ledger.applyBlock(block))),
        /Exit 4 of a block was judged, and it has 4/u
      )
    }).pipe(Effect.provide(ledgerWith(wrong, [])))
  })

  it.effect("reports an error of the block before any of its proofs", () => {
    const judged: Array<ReadonlyArray<ExitProof>> = []
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      yield* Effect.forEach(before, ledger.applyBlock)
      const violated = yield* Effect.flip(
        ledger.applyBlock({
          ...block,
          bids: [{ slotNum: 5, bidderAddr: cleo.address, bidValue: 1n }]
        })
      )
      assert.strictEqual(
        violated._tag === "BlockViolation" && violated.invariant,
        "bidder-registered"
      )
      assert.lengthOf(judged, 0)
    }).pipe(Effect.provide(ledgerWith({ at: 0 }, judged)))
  })
})
