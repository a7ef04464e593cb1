/*
 * The list and the replacement of pool transactions over HTTP, which only revision v1 has. The golden
 * files show the list with all filters, and its refusals.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { rollupClient } from "../../adapters/client/mod.ts"
import { Application, fetchHandler } from "../../adapters/http/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { bodyWriter, v1, wireContext } from "../../core/contract/mod.ts"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import { Pool } from "../../core/use_cases/mod.ts"
import { genesis } from "../pool/_subject.ts"
import { nodeLayer, openChain, ownerOf, postedOf, wrongSignature } from "../pool/_node.ts"
import { post, send } from "../submission/_post.ts"
import { errorOf, postBody, put, shownAt } from "./_recorded.ts"

const { constants, network } = genesis
const context = wireContext(network, keccak256)
const textOf = bodyWriter(v1.bodies.transaction, context)
const replace = (path: string, posted: PostedTransaction) => put(path, textOf(posted))

const node = () =>
  Layer.provideMerge(
    Application.layer({ constants, context }),
    Layer.provideMerge(Layer.effectDiscard(openChain), nodeLayer())
  )
const path = "/v1/transactions-pool"
const old = postedOf()
const better = postedOf({ fee: 140 })

layer(node())("the list of the pool", (it) => {
  it.effect("does not exist in the other revisions, and neither does PUT", () =>
    Effect.gen(function*() {
      for (const mount of ["", "/earlier"]) {
        const at = `${mount}/transactions-pool`
        const [list, replaced] = [yield* send(at), yield* replace(`${at}/${old.id}`, better)]
        assert.deepStrictEqual([list.status, list.headers.get("allow")], [405, "POST, OPTIONS"])
        assert.deepStrictEqual([replaced.status, replaced.headers.get("allow")], [
          405,
          "GET, HEAD, OPTIONS"
        ])
        const ofNonce = yield* replace(`${at}/accounts/zk:ETH:256/nonces/0`, better)
        assert.strictEqual(ofNonce.status, 404)
      }
    }))
})

layer(node())("a pool transaction", (it) => {
  it.effect("to an address or a key shows account 0 as its destination, and null in the other revisions", () =>
    Effect.gen(function*() {
      const [toAddress, toKey] = [
        postedOf({
          type: "TransferToEthAddr",
          toAccountIndex: null,
          toAddress: ownerOf(3).address
        }),
        postedOf({
          type: "TransferToBJJ",
          toAccountIndex: null,
          toAddress: INTERNAL_ADDRESS,
          toPublicKey: ownerOf(3).publicKey,
          nonce: 1n
        })
      ]
      for (const posted of [toAddress, toKey]) {
        assert.strictEqual((yield* post(path, textOf(posted))).status, 200)
        const shown = yield* shownAt(`${path}/${posted.id}`)
        assert.strictEqual(shown.toAccountIndex, "zk:ETH:0")
        // posting it as it is shown is posting it again
        const posts = ["fromAccountIndex", "toAccountIndex", "toBjj", "toZkEthereumAddress"]
          .concat(["id", "type", "amount", "fee", "nonce", "signature"])
        const again = Object.fromEntries(posts.map((name) => [name, shown[name]]))
        const answer = yield* postBody(path, { ...again, tokenId: 0 })
        assert.deepStrictEqual([answer.status, answer.text], [200, JSON.stringify(posted.id)])
        for (const mount of ["", "/earlier"]) {
          const { toAccountIndex } = yield* shownAt(`${mount}/transactions-pool/${posted.id}`)
          assert.isNull(toAccountIndex)
        }
      }
    }))

  it.effect("says why the last selection skipped it, also after its answer was cached", () =>
    Effect.gen(function*() {
      const late = postedOf({ nonce: 3n })
      yield* post(path, textOf(late))
      const feedback = Effect.map(
        shownAt(`${path}/${late.id}`),
        ({ errorCode, errorType, info, state }) => [state, errorCode, errorType, info]
      )
      assert.deepStrictEqual(yield* feedback, ["pend", null, null, null])
      assert.deepStrictEqual(yield* feedback, ["pend", null, null, null])
      const { batchNum } = yield* (yield* Pool).select({ maxTransactions: 9 })
      const [state, code, type, info] = yield* feedback
      assert.deepStrictEqual([state, code, type], ["pend", 12, "ErrNoCurrentNonce"])
      assert.match(String(info), new RegExp(`^BatchNum: ${batchNum}\\. .*nonce`, "u"))
      yield* (yield* Pool).invalidate([{ id: late.id, reason: "The host said so" }], 7)
      assert.deepStrictEqual(yield* feedback, [
        "invl",
        null,
        null,
        "BatchNum: 7. The host said so"
      ])
    }))
})

layer(node())("replacing a pool transaction", (it) => {
  it.effect("answers the identifier, as does repeating it", () =>
    Effect.gen(function*() {
      yield* post(path, textOf(old))
      const best = postedOf({ fee: 150 })
      const ofNonce = `${path}/accounts/zk:ETH:256/nonces/0`
      for (
        const [url, before, after] of [
          [`${path}/${old.id}`, old, better],
          [ofNonce, better, best]
        ] as const
      ) {
        for (let i = 0; i < 2; i++) {
          const answer = yield* replace(url, after)
          assert.deepStrictEqual([answer.status, answer.text], [200, JSON.stringify(after.id)])
        }
        assert.strictEqual((yield* send(`${path}/${before.id}`)).status, 404)
        assert.strictEqual((yield* shownAt(`${path}/${after.id}`)).state, "pend")
      }
      yield* (yield* Pool).invalidate([{ id: best.id, reason: "The host said so" }], 2)
      assert.strictEqual((yield* replace(ofNonce, better)).status, 200)
    }))

  it.effect("is refused with the published codes", () =>
    Effect.gen(function*() {
      yield* post(path, textOf(postedOf({ nonce: 5n })))
      const unknown = `${path}/0x02${"0".repeat(64)}`
      const ofNonce = `${path}/accounts/zk:ETH:256/nonces`
      const wrong = { ...postedOf({ nonce: 5n, fee: 150 }), signature: wrongSignature }
      const ofOther = postedOf({ fromAccountIndex: 257, nonce: 5n })
      const cases: ReadonlyArray<readonly [string, PostedTransaction, number, string]> = [
        [unknown, postedOf({ nonce: 9n }), 25, "ErrNothingToUpdate"],
        [`${ofNonce}/9`, postedOf({ nonce: 9n }), 25, "ErrNothingToUpdate"],
        [`${ofNonce}/5`, postedOf({ nonce: 9n }), 10, "ErrInvalidNonce"],
        [`${ofNonce}/5`, ofOther, 1, "ErrParamValidationFailed"],
        [`${ofNonce}/x`, better, 1, "ErrParamValidationFailed"],
        [`${ofNonce}/5`, wrong, 11, "ErrInvalidSignature"]
      ]
      for (const [url, posted, code, type] of cases) {
        assert.deepStrictEqual(errorOf(yield* replace(url, posted)), [400, code, type], url)
      }
    }))

  it.effect("is a call of the client, as is the list", () =>
    Effect.gen(function*() {
      const fetch = yield* fetchHandler
      const client = rollupClient({ url: "http://node", revision: "v1", fetch, retriesMax: 0 })
      const posted = postedOf({ nonce: 7n })
      const other = postedOf({ nonce: 7n, fee: 150 })
      const last = postedOf({ nonce: 7n, fee: 160 })
      const outcomes = yield* Effect.promise(async () => [
        await client.postTx(textOf(posted)),
        await client.putTx({ id: posted.id, body: textOf(other) }),
        await client.putTxOfNonce({ accountIndex: "zk:ETH:256", nonce: 7n, body: textOf(last) }),
        await client.getPoolTxs({ fromAccountIndex: "zk:ETH:256", order: "DESC", limit: 1 })
      ])
      const [, replaced, again, page] = outcomes
      assert(replaced?.ok && again?.ok && page?.ok)
      assert.deepStrictEqual([replaced.value, again.value], [other.id, last.id])
      assert.strictEqual(
        (page.value as { readonly transactions: ReadonlyArray<{ readonly id: string }> })
          .transactions[0]!.id,
        last.id
      )
    }))
})
