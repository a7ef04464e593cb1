/* Authorizations of account creations: posted by their owners, and learned from blocks. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { openMemoryPool } from "../../adapters/memory/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import { LedgerReader, PoolStore, VerifierBusy } from "../../core/ports/mod.ts"
import { learnAuthorizations, Ledger, Submission } from "../../core/use_cases/mod.ts"
import {
  batchOf,
  nodeLayer,
  openChain,
  ownerOf,
  type VerificationCounts,
  wrongEthSignature
} from "./_node.ts"

const owner = ownerOf(7)
const post = (parts: Partial<typeof owner> = {}) =>
  Effect.match(
    Effect.flatMap(Submission, (submission) =>
      submission.submitAuthorization({ ...owner, ...parts })),
    {
      onSuccess: ({ stored }) =>
        stored,
      onFailure: (failure) =>
        "faults" in failure
          ? failure.faults.map(({ parameter }) => parameter).join(" ")
          : failure._tag
    }
  )

describe("an authorization", () => {
  it.effect("is stored once; the first one of an address stays, also while another one is verified", () => {
    const verified: VerificationCounts = { count: 0 }
    return Effect.gen(function*() {
      const store = yield* PoolStore
      assert.deepStrictEqual([yield* post(), yield* post()], [true, false])
      assert.strictEqual(verified.count, 1)
      assert.strictEqual(yield* post({ publicKey: ownerOf(3).publicKey }), "/zkEthereumAddress")
      assert.deepStrictEqual(yield* store.authorization(owner.address), {
        ...owner,
        timestampMs: 0
      })
      for (
        const [other, publicKey, outcome] of [
          [ownerOf(8), owner.publicKey, "/zkEthereumAddress"],
          [ownerOf(9), ownerOf(9).publicKey, false]
        ] as const
      ) {
        const meanwhile = store.addAuthorization({ ...other, timestampMs: 0 })
        verified.hook = Effect.orDie(Effect.asVoid(meanwhile))
        assert.strictEqual(yield* post({ ...other, publicKey }), outcome)
      }
    }).pipe(Effect.provide(nodeLayer({}, verified)))
  })

  it.effect("is refused with the signature of another owner, and of an impossible owner", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* post({ signature: wrongEthSignature }), "/signature")
      assert.strictEqual(
        yield* post({ address: INTERNAL_ADDRESS, publicKey: "0".repeat(64) }),
        "/zkEthereumAddress /bjj"
      )
      assert.isNull(yield* (yield* PoolStore).authorization(owner.address))
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is learned from a block unless its signature is wrong, stays after a rollback, and does not replace a posted one", () =>
    Effect.gen(function*() {
      const [chain, ledger, store] = [yield* openChain, yield* Ledger, yield* PoolStore]
      const [learned, posted] = [ownerOf(8), ownerOf(9)]
      yield* post(posted)
      const block = chain.grow({
        batches: [batchOf(3, {
          l1Coordinator: [
            { tokenId: 0, ...learned },
            { tokenId: 1, ...learned },
            { tokenId: 0, ...owner, signature: wrongEthSignature },
            { tokenId: 0, ...posted, publicKey: learned.publicKey },
            { tokenId: 0, ...learned, address: INTERNAL_ADDRESS, signature: null }
          ]
        })]
      })
      yield* ledger.applyRecord({ kind: "block", block })
      yield* ledger.rollBack(block.number - 1n)
      for (const each of [learned, posted]) {
        assert.deepStrictEqual(yield* store.authorization(each.address), {
          ...each,
          timestampMs: 0
        })
      }
      assert.isNull(yield* store.authorization(owner.address))
      assert.isNull(yield* store.authorization(INTERNAL_ADDRESS))
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("of a block is stored before the block, so that it is not lost if the process stops in between", () =>
    Effect.gen(function*() {
      const [chain, ledger, store] = [yield* openChain, yield* Ledger, yield* PoolStore]
      const block = chain.grow({
        batches: [batchOf(3, { l1Coordinator: [{ tokenId: 0, ...owner }] })]
      })
      assert.isTrue(Exit.hasDies(yield* Effect.exit(ledger.applyBlock(block))))
      assert.isNull(yield* store.authorization(owner.address))
      const { ethereumBlockNum } = yield* (yield* LedgerReader).snapshotId
      assert.strictEqual(ethereumBlockNum, block.number - 1n)
    }).pipe(Effect.provide(nodeLayer({}, undefined, {
      pool: () => ({ addAuthorization: () => Effect.die("The process stops") })
    }))))

  it.effect("of a block is verified when there is capacity, and never if it is known", () =>
    Effect.gen(function*() {
      const store = openMemoryPool()
      let calls = 0
      const learn = learnAuthorizations({
        store,
        verifier: {
          transaction: () => Effect.succeed(false),
          authorization: () =>
            Effect.suspend(() =>
              ++calls < 3
                ? Effect.fail(new VerifierBusy({ retryAfterSeconds: 2 }))
                : Effect.succeed(true)
            )
        }
      })
      const l1Coordinator = [{ tokenId: 0, ...owner }, { tokenId: 1, ...owner }]
      const chain = yield* openChain
      const learning = yield* Effect.forkChild(
        learn(chain.grow({ batches: [batchOf(3, { l1Coordinator })] }))
      )
      yield* TestClock.adjust(3999)
      assert.deepStrictEqual([calls, yield* store.authorization(owner.address)], [2, null])
      yield* TestClock.adjust(1)
      yield* Fiber.join(learning)
      assert.strictEqual((yield* store.authorization(owner.address))?.publicKey, owner.publicKey)
      yield* learn(chain.grow({}))
      assert.strictEqual(calls, 3)
    }).pipe(Effect.provide(nodeLayer())))
})
