/* The list and the replacement of pool transactions over HTTP, which only revision v1 has. */
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
import { jsonOf, type NodeResponse, post, send } from "../submission/_post.ts"

const { constants, network } = genesis
const context = wireContext(network, keccak256)
const textOf = bodyWriter(v1.bodies.transaction, context)
const put = (path: string, posted: PostedTransaction) =>
  send(path, {
    method: "PUT",
    body: textOf(posted),
    headers: { "content-type": "application/json" }
  })
const errorOf = (answer: NodeResponse) => {
  const { code, type } = jsonOf(answer)
  return [answer.status, code, type]
}

const node = () =>
  Layer.provideMerge(
    Application.layer({ constants, context }),
    Layer.provideMerge(Layer.effectDiscard(openChain), nodeLayer())
  )
const path = "/v1/transactions-pool"
const old = postedOf()
const better = postedOf({ fee: 140 })

layer(node())("the list of the pool", (it) => {
  it.effect("is paged in the order of arrival with exact counts, by every filter", () =>
    Effect.gen(function*() {
      const posts = [
        old,
        postedOf({ nonce: 1n, type: "Exit", toAccountIndex: 1 }),
        postedOf({
          fromAccountIndex: 257,
          toAccountIndex: 256
        })
      ]
      for (const posted of posts) {
        assert.strictEqual((yield* post(path, textOf(posted))).status, 200)
      }
      const itemIds = (query: string) =>
        Effect.map(send(`${path}?${query}`), (answer) => {
          const { pendingItems, transactions } = jsonOf(answer) as {
            readonly pendingItems: number
            readonly transactions: ReadonlyArray<{ readonly itemId: number }>
          }
          return [transactions.map(({ itemId }) => itemId), pendingItems]
        })
      assert.deepStrictEqual(yield* itemIds("limit=2"), [[1, 2], 1])
      assert.deepStrictEqual(yield* itemIds("limit=2&order=DESC&fromItem=2"), [[2, 1], 0])
      assert.deepStrictEqual(yield* itemIds("state=fged"), [[], 0])
      assert.deepStrictEqual(yield* itemIds("type=Exit"), [[2], 0])
      assert.deepStrictEqual(yield* itemIds("fromAccountIndex=zk:ETH:257"), [[3], 0])
      assert.deepStrictEqual(yield* itemIds("toAccountIndex=zk:ETH:256"), [[3], 0])
      assert.deepStrictEqual(yield* itemIds("accountIndex=zk:ETH:257&tokenId=0"), [[1, 3], 0])
      const owner = String(
        jsonOf(yield* send("/v1/accounts/zk:ETH:257")).zkEthereumAddress
      )
      assert.deepStrictEqual(yield* itemIds(`fromZkEthereumAddress=${owner}`), [[3], 0])

      const first = jsonOf(yield* send(`${path}/${old.id}`))
      const listed = jsonOf(yield* send(`${path}?limit=1`)).transactions as ReadonlyArray<object>
      assert.deepStrictEqual({ ...listed[0] }, { ...first })
    }))

  it.effect("has only pending and forging transactions without state, finished ones by state, and all by identifier", () =>
    Effect.gen(function*() {
      const pool = yield* Pool
      const posts = [10n, 11n, 12n, 13n].map((nonce) => postedOf({ nonce, toAccountIndex: 258 }))
      for (const posted of posts) yield* post(path, textOf(posted))
      const [pending, forging, forged, invalid] = posts.map(({ id }) => id)
      yield* pool.startForging([forging!, forged!], 7)
      yield* pool.doneForging([forged!], 7)
      yield* pool.invalidate([{ id: invalid!, reason: "The host said so" }], 7)
      const listed = (query: string) =>
        Effect.map(
          send(`${path}?toAccountIndex=zk:ETH:258&${query}`),
          (answer) => {
            const { pendingItems, transactions } = jsonOf(answer) as {
              readonly pendingItems: number
              readonly transactions: ReadonlyArray<{ readonly id: string }>
            }
            return [transactions.map(({ id }) => id), pendingItems]
          }
        )
      assert.deepStrictEqual(yield* listed(""), [[pending, forging], 0])
      assert.deepStrictEqual(yield* listed("state=&limit=1"), [[pending], 1])
      assert.deepStrictEqual(yield* listed("order=DESC&limit=1"), [[forging], 1])
      assert.deepStrictEqual(yield* listed("state=pend"), [[pending], 0])
      assert.deepStrictEqual(yield* listed("state=fing"), [[forging], 0])
      assert.deepStrictEqual(yield* listed("state=fged"), [[forged], 0])
      assert.deepStrictEqual(yield* listed("state=invl"), [[invalid], 0])
      assert.deepStrictEqual(yield* listed("onlyUnfinished=false"), [[pending, forging], 0])
      const states = yield* Effect.forEach(posts, ({ id }) =>
        Effect.map(
          send(`${path}/${id}`),
          (answer) => jsonOf(answer).state
        ))
      assert.deepStrictEqual(states, ["pend", "fing", "fged", "invl"])
    }))

  it.effect("refuses filters that exclude each other, and the address of internal accounts", () =>
    Effect.gen(function*() {
      for (
        const query of [
          "accountIndex=zk:ETH:257&fromAccountIndex=zk:ETH:256",
          "accountIndex=zk:ETH:257&BJJ=x",
          "limit=2050",
          `toZkEthereumAddress=zk:0x${"f".repeat(40)}`
        ]
      ) {
        const answer = yield* send(`${path}?${query}`)
        assert.deepStrictEqual(errorOf(answer), [400, 1, "ErrParamValidationFailed"], query)
      }
    }))

  it.effect("does not exist in the other revisions, and neither does PUT", () =>
    Effect.gen(function*() {
      for (const mount of ["", "/earlier"]) {
        const list = yield* send(`${mount}/transactions-pool`)
        assert.strictEqual(list.status, 405)
        assert.strictEqual(list.headers.get("allow"), "POST, OPTIONS")
        const replaced = yield* put(`${mount}/transactions-pool/${old.id}`, better)
        assert.strictEqual(replaced.status, 405)
        assert.strictEqual(replaced.headers.get("allow"), "GET, HEAD, OPTIONS")
        const ofNonce = yield* put(
          `${mount}/transactions-pool/accounts/zk:ETH:256/nonces/0`,
          better
        )
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
        const shown = jsonOf(yield* send(`${path}/${posted.id}`))
        assert.strictEqual(shown.toAccountIndex, "zk:ETH:0")
        // posting it as it is shown is posting it again
        const { fromAccountIndex, toAccountIndex, toBjj, toZkEthereumAddress } = shown
        const destination = { fromAccountIndex, toAccountIndex, toBjj, toZkEthereumAddress }
        const { id, type, amount, fee, nonce, signature } = shown
        const again = { id, type, tokenId: 0, amount, fee, nonce, signature }
        const answer = yield* post(path, JSON.stringify({ ...again, ...destination }))
        assert.deepStrictEqual([answer.status, answer.text], [200, JSON.stringify(posted.id)])
        for (const mount of ["", "/earlier"]) {
          const other = jsonOf(yield* send(`${mount}/transactions-pool/${posted.id}`))
          assert.isNull(other.toAccountIndex)
        }
      }
    }))

  it.effect("says why the last selection skipped it, also after its answer was cached", () =>
    Effect.gen(function*() {
      const late = postedOf({ nonce: 3n })
      yield* post(path, textOf(late))
      const feedback = Effect.map(
        send(`${path}/${late.id}`),
        (answer) => {
          const { errorCode, errorType, info, state } = jsonOf(answer)
          return [state, errorCode, errorType, info]
        }
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
      for (let i = 0; i < 2; i++) {
        const answer = yield* put(`${path}/${old.id}`, better)
        assert.deepStrictEqual([answer.status, answer.text], [200, JSON.stringify(better.id)])
      }
      assert.strictEqual((yield* send(`${path}/${old.id}`)).status, 404)
      assert.strictEqual(jsonOf(yield* send(`${path}/${better.id}`)).state, "pend")
      const best = postedOf({ fee: 150 })
      const ofNonce = `${path}/accounts/zk:ETH:256/nonces/0`
      for (let i = 0; i < 2; i++) {
        const answer = yield* put(ofNonce, best)
        assert.deepStrictEqual([answer.status, answer.text], [200, JSON.stringify(best.id)])
      }
      assert.strictEqual((yield* send(`${path}/${better.id}`)).status, 404)
      yield* (yield* Pool).invalidate([{ id: best.id, reason: "The host said so" }], 2)
      assert.strictEqual((yield* put(ofNonce, better)).status, 200)
    }))

  it.effect("is refused with the published codes", () =>
    Effect.gen(function*() {
      yield* post(path, textOf(postedOf({ nonce: 5n })))
      const unknown = `${path}/0x02${"0".repeat(64)}`
      const cases: ReadonlyArray<readonly [string, PostedTransaction, number, string]> = [
        [unknown, postedOf({ nonce: 9n }), 25, "ErrNothingToUpdate"],
        [`${path}/accounts/zk:ETH:256/nonces/9`, postedOf({ nonce: 9n }), 25, "ErrNothingToUpdate"],
        [`${path}/accounts/zk:ETH:256/nonces/5`, postedOf({ nonce: 9n }), 10, "ErrInvalidNonce"],
        [
          `${path}/accounts/zk:ETH:256/nonces/5`,
          postedOf({ fromAccountIndex: 257, nonce: 5n }),
          1,
          "ErrParamValidationFailed"
        ],
        [`${path}/accounts/zk:ETH:256/nonces/x`, better, 1, "ErrParamValidationFailed"],
        [
          `${path}/accounts/zk:ETH:256/nonces/5`,
          { ...postedOf({ nonce: 5n, fee: 150 }), signature: wrongSignature },
          11,
          "ErrInvalidSignature"
        ]
      ]
      for (const [url, posted, code, type] of cases) {
        assert.deepStrictEqual(errorOf(yield* put(url, posted)), [400, code, type], url)
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
