import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { bodies, bodyReader, type InputFault, wireContext } from "../../core/contract/mod.ts"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS, ZERO_ADDRESS } from "../../core/encoding/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission, type SubmissionFailure } from "../../core/use_cases/mod.ts"
import { verifyCases } from "../vectors/mod.ts"
import {
  batchOf,
  batchOfSelection,
  nodeLayer,
  openChain,
  ownerOf,
  postedOf,
  transfer,
  type VerificationCounts,
  wrongEthSignature,
  wrongSignature
} from "./_node.ts"
import { genesis } from "./_subject.ts"

const faultsOf = (failure: SubmissionFailure): ReadonlyArray<InputFault> =>
  failure._tag === "SubmissionRefused" || failure._tag === "SubmissionConflict"
    ? failure.faults
    : []

/** Returns the pointers of the rules that a transaction breaks, in order. */
const brokenBy = Effect.fnUntraced(function*(posted: PostedTransaction) {
  const failure = yield* Effect.flip((yield* Submission).submitTransaction(posted))
  return faultsOf(failure).map(({ parameter }) => parameter)
})

const owner = ownerOf(7)
const key = owner.publicKey

describe("posting a transaction", () => {
  it.effect("stores a valid one once, and answers the same to a repeated post", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const pool = yield* Pool
      const posted = postedOf()
      assert.deepStrictEqual(yield* submission.submitTransaction(posted), {
        id: posted.id,
        stored: true
      })
      assert.deepStrictEqual(yield* pool.transaction(posted.id), {
        ...posted,
        state: "pend",
        timestampMs: 0,
        batchNum: null
      })
      assert.deepStrictEqual(yield* submission.submitTransaction(posted), {
        id: posted.id,
        stored: false
      })
      // values for "none" have no effect
      assert.isFalse(
        (yield* submission.submitTransaction({
          ...posted,
          toAddress: ZERO_ADDRESS,
          toPublicKey: "0".repeat(64)
        })).stored
      )
      assert.lengthOf(yield* pool.transitions(posted.id), 1)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("refuses other content for a known id and keeps the stored one", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const posted = postedOf()
      yield* submission.submitTransaction(posted)
      for (
        const other of [
          { toAccountIndex: 258 },
          { signature: "1".repeat(128) },
          { type: "Exit", toAccountIndex: 1 } as const
        ]
      ) {
        const failure = yield* Effect.flip(submission.submitTransaction({ ...posted, ...other }))
        assert.strictEqual(failure._tag, "SubmissionConflict")
        assert.deepStrictEqual(
          faultsOf(failure).map(({ parameter, value }) => [parameter, value]),
          [["/id", posted.id]]
        )
      }
      assert.strictEqual((yield* (yield* PoolStore).transaction(posted.id))?.toAccountIndex, 257)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("gives the same answer to a repeated post after the transaction was forged", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const submission = yield* Submission
      const ledger = yield* Ledger
      const posted = postedOf()
      yield* submission.submitTransaction(posted)
      yield* ledger.applyBlock(
        chain.grow({
          batches: [batchOfSelection(yield* (yield* Pool).select({ maxTransactions: 9 }))]
        })
      )
      assert.deepStrictEqual(yield* submission.submitTransaction(posted), {
        id: posted.id,
        stored: false
      })
      assert.deepStrictEqual(yield* brokenBy(postedOf({ amount: 7n })), ["/nonce"])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("does not leave a transaction pending that another coordinator forges or supersedes while its signature is verified", () => {
    const verified: VerificationCounts = { count: 0 }
    return Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, submission, pool] = [yield* Ledger, yield* Submission, yield* Pool]
      const forgedMeanwhile = (batchNum: number, nonce: bigint) => {
        verified.hook = Effect.suspend(() =>
          Effect.orDie(ledger.applyBlock(chain.grow({
            batches: [
              batchOf(batchNum, {
                l2: [{ ...transfer, nonce }]
              })
            ]
          })))
        )
      }
      const [posted, rival] = [postedOf(), postedOf({ amount: 5n, nonce: 1n })]
      forgedMeanwhile(3, 0n)
      yield* submission.submitTransaction(posted)
      forgedMeanwhile(4, 1n)
      yield* submission.submitTransaction(rival)
      const states = [yield* pool.transaction(posted.id), yield* pool.transaction(rival.id)].map((
        found
      ) => [found?.state, found?.batchNum])
      assert.deepStrictEqual(states, [["fged", 3], ["invl", 4]])
    }).pipe(Effect.provide(nodeLayer({}, verified)))
  })

  it.effect("reports every rule that a body breaks by itself, and then checks nothing further", () => {
    const verified: VerificationCounts = { count: 0 }
    return Effect.gen(function*() {
      const posted = postedOf({
        type: "Exit",
        toAccountIndex: 77,
        toAddress: owner.address,
        toPublicKey: key,
        amount: 2n ** 192n + 1n,
        fee: 256,
        nonce: 2n ** 40n,
        fromAccountIndex: 999,
        request: {
          fromAccountIndex: 256,
          toAccountIndex: null,
          toAddress: null,
          toPublicKey: null,
          tokenId: null,
          amount: 2n ** 40n + 1n,
          fee: 256,
          nonce: null
        }
      })
      assert.deepStrictEqual(yield* brokenBy(posted), [
        "/amount",
        "/amount",
        "/fee",
        "/nonce",
        "/toAccountIndex",
        "/toZkEthereumAddress",
        "/toBjj",
        "/requestTokenId",
        "/requestNonce",
        "/requestAmount",
        "/requestFee"
      ])
      assert.strictEqual(verified.count, 0)
    }).pipe(Effect.provide(nodeLayer({}, verified)))
  })

  it.effect("derives one type from each valid destination, and refuses all others", () =>
    Effect.gen(function*() {
      yield* openChain
      const to = (
        toAccountIndex: number | null,
        toAddress: string | null,
        toPublicKey: string | null
      ) => ({ toAccountIndex, toAddress, toPublicKey })
      const submission = yield* Submission
      let amount = 1000n
      const right = [
        ["Transfer", to(257, null, null)],
        ["Exit", to(1, null, null)],
        ["TransferToEthAddr", to(null, owner.address, null)],
        ["TransferToEthAddr", to(0, owner.address, null)],
        ["TransferToBJJ", to(null, INTERNAL_ADDRESS, key)],
        ["TransferToBJJ", to(0, INTERNAL_ADDRESS, key)]
      ] as const
      for (const [type, destination] of right) {
        assert.isTrue(
          (yield* submission.submitTransaction(
            postedOf({ type, ...destination, amount: ++amount })
          )).stored
        )
        const other = type === "Exit" ? "Transfer" : "Exit"
        assert.deepStrictEqual(
          yield* brokenBy(postedOf({ type: other, ...destination, amount: ++amount })),
          ["/type"]
        )
      }
      const wrong = [
        [to(null, null, null), ["/toAccountIndex"]],
        [to(2, null, null), ["/toAccountIndex"]],
        [to(255, null, null), ["/toAccountIndex"]],
        [to(null, INTERNAL_ADDRESS, null), ["/toBjj"]],
        [to(null, owner.address, key), ["/toZkEthereumAddress"]],
        [to(null, null, key), ["/toZkEthereumAddress"]],
        [to(257, owner.address, null), ["/toZkEthereumAddress"]],
        [to(1, INTERNAL_ADDRESS, key), ["/toZkEthereumAddress", "/toBjj"]]
      ] as const
      for (const [destination, pointers] of wrong) {
        assert.deepStrictEqual(yield* brokenBy(postedOf(destination)), [...pointers])
      }
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("refuses an exit of amount 0, a fee of more than 128 bits and a wrong id, with the names of the network", () =>
    Effect.gen(function*() {
      yield* openChain
      assert.deepStrictEqual(
        yield* brokenBy(postedOf({ type: "Exit", toAccountIndex: 1, amount: 0n })),
        ["/amount"]
      )
      assert.deepStrictEqual(yield* brokenBy(postedOf({ amount: 10n ** 30n, fee: 255 })), ["/fee"])
      assert.deepStrictEqual(yield* brokenBy({ ...postedOf(), id: postedOf({ amount: 1n }).id }), [
        "/id"
      ])
      assert.deepStrictEqual(yield* brokenBy(postedOf({ toAddress: owner.address })), [
        "/toHezEthereumAddress"
      ])
    }).pipe(Effect.provide(nodeLayer({ network: { ...genesis.network, prefix: "hez" } }))))

  it.effect("reports every rule that is broken against the ledger, before it verifies the signature", () => {
    const verified: VerificationCounts = { count: 0 }
    return Effect.gen(function*() {
      const chain = yield* openChain
      yield* (yield* Ledger).applyBlock(chain.grow({
        batches: [
          batchOf(3, {
            l2: [{ fromAccountIndex: 256, toAccountIndex: 257, amount: 5n, fee: 0, nonce: 0n }]
          })
        ]
      }))
      assert.deepStrictEqual(
        yield* brokenBy(postedOf({ fromAccountIndex: 999, toAccountIndex: 998, tokenId: 44 })),
        ["/fromAccountIndex", "/toAccountIndex", "/tokenId", "/fee"]
      )
      assert.deepStrictEqual(
        yield* brokenBy(postedOf({ tokenId: 1, signature: wrongSignature, amount: 10n ** 7n })),
        ["/tokenId", "/nonce", "/toAccountIndex"]
      )
      assert.deepStrictEqual(
        yield* brokenBy(postedOf({ toAccountIndex: 260, nonce: 1n, amount: 10n ** 16n })),
        ["/toAccountIndex"]
      )
      assert.strictEqual(verified.count, 0)
      assert.deepStrictEqual(
        yield* brokenBy(postedOf({ nonce: 1n, signature: wrongSignature, amount: 10n ** 16n })),
        ["/signature"]
      )
      assert.strictEqual(verified.count, 1)
      // a tenth of the amount, at a million dollars an ether
      assert.deepStrictEqual(yield* brokenBy(postedOf({ nonce: 1n, amount: 10n ** 11n })), ["/fee"])
      assert.deepStrictEqual(yield* brokenBy(postedOf({ nonce: 1n, amount: 10n ** 19n })), ["/fee"])
    }).pipe(Effect.provide(nodeLayer({ minFeeUSD: 0.1, maxFeeUSD: 10_000 }, verified)))
  })

  it.effect("stops at the limit of an account and at that of the pool", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      yield* submission.submitTransaction(postedOf({ nonce: 0n }))
      yield* submission.submitTransaction(postedOf({ nonce: 1n }))
      assert.deepInclude(
        yield* Effect.flip(submission.submitTransaction(postedOf({ nonce: 2n }))),
        {
          _tag: "PoolFull",
          limit: "pendingPerAccountMax",
          maximum: 2,
          retryAfterSeconds: 60,
          message: "Account 256 has 2 pending transactions, the maximum: try again in 60 seconds"
        }
      )
      yield* submission.submitTransaction(postedOf({ fromAccountIndex: 257, toAccountIndex: 256 }))
      const failure = yield* Effect.flip(
        submission.submitTransaction(postedOf({ fromAccountIndex: 258 }))
      )
      assert.deepInclude(failure, {
        _tag: "PoolFull",
        limit: "pendingMax",
        maximum: 3,
        retryAfterSeconds: 60
      })
      // a repeated post does not count
      assert.isFalse((yield* submission.submitTransaction(postedOf())).stored)
    }).pipe(Effect.provide(nodeLayer({ pendingMax: 3, pendingPerAccountMax: 2 }))))

  it.effect("accepts every transaction that the published client made, and refuses every id of another one", () =>
    Effect.gen(function*() {
      const context = wireContext({ ...genesis.network, prefix: "hez" }, keccak256)
      const read = bodyReader(bodies.transaction, context)
      const cases: Array<Case> = []
      verifyCases<Case>("l2-transactions", 802, (vector) => void cases.push(vector))
      let judged = 0
      for (const { idMatches, negative, postBody: { maxNumBatch: _, ...body } } of cases) {
        const posted = read(JSON.stringify(body))
        if (Result.isFailure(posted)) {
          assert.isTrue(negative)
          continue
        }
        const pointers = yield* brokenBy(posted.success)
        if (!negative) {
          assert.notIncludeMembers(pointers, [
            "/id",
            "/type",
            "/amount",
            "/toBjj",
            "/toHezEthereumAddress"
          ])
        }
        if (idMatches === false) {
          assert.isTrue(pointers.includes("/id") || pointers.includes("/amount"))
        }
        judged++
      }
      assert.isAbove(judged, 600)
    }).pipe(Effect.provide(nodeLayer({ network: { ...genesis.network, prefix: "hez" } }))))
})

interface Case {
  readonly negative: boolean
  readonly idMatches?: boolean
  readonly postBody: { readonly [name: string]: unknown }
}

describe("posting an authorization", () => {
  it.effect("keeps the first one of an address", () =>
    Effect.gen(function*() {
      const submission = yield* Submission
      assert.deepStrictEqual(yield* submission.submitAuthorization(owner), { stored: true })
      assert.deepStrictEqual(yield* submission.submitAuthorization(owner), { stored: false })
      const failure = yield* Effect.flip(
        submission.submitAuthorization({ ...owner, publicKey: ownerOf(3).publicKey })
      )
      assert.strictEqual(failure._tag, "SubmissionConflict")
      assert.deepStrictEqual(yield* (yield* PoolStore).authorization(owner.address), {
        ...owner,
        timestampMs: 0
      })
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("refuses a signature of another owner, and impossible owners", () =>
    Effect.gen(function*() {
      const submission = yield* Submission
      const brokenIn = (parts: Partial<typeof owner>) =>
        Effect.map(
          Effect.flip(submission.submitAuthorization({ ...owner, ...parts })),
          (failure) => faultsOf(failure).map(({ parameter }) => parameter)
        )
      assert.deepStrictEqual(yield* brokenIn({ signature: wrongEthSignature }), ["/signature"])
      assert.deepStrictEqual(
        yield* brokenIn({ address: INTERNAL_ADDRESS, publicKey: "0".repeat(64) }),
        ["/zkEthereumAddress", "/bjj"]
      )
      assert.isNull(yield* (yield* PoolStore).authorization(owner.address))
    }).pipe(Effect.provide(nodeLayer())))
})
