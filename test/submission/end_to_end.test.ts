import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { verifierWorkers } from "../../adapters/crypto/node.ts"
import type { RequestedTransaction } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import { PoolStore, SignatureVerifier, VerifierBusy } from "../../core/ports/mod.ts"
import { Submission } from "../../core/use_cases/mod.ts"
import { send, faultsOf, jsonOf, pointersOf, post, typeOf } from "./_post.ts"
import {
  ann,
  authorizationText,
  authorized,
  bob,
  cleo,
  context,
  fundedNode,
  network,
  signed,
  transactionText,
  wallet
} from "./_wallets.ts"

const pool = "/transactions-pool"
const register = "/account-creation-authorization"
const stored = Effect.flatMap(PoolStore, ({ counts }) => Effect.map(counts, ({ pend }) => pend))

/** A requested transfer of token 1 from Ann to Cleo, with some parts replaced. */
const requested = (parts: Partial<RequestedTransaction>): RequestedTransaction => ({
  fromAccountIndex: 258,
  toAccountIndex: 259,
  toAddress: null,
  toPublicKey: null,
  tokenId: 1,
  amount: 7n,
  fee: 3,
  nonce: 9n,
  ...parts
})

layer(fundedNode())("a transaction that is posted", (it) => {
  it.effect("is answered with its id and shown in both revisions as it was signed", () =>
    Effect.gen(function*() {
      const request = requested({
        toAccountIndex: null,
        toAddress: INTERNAL_ADDRESS,
        toPublicKey: cleo.publicKey
      })
      const posted = signed(ann, { request })
      const text = transactionText(posted)
      const response = yield* post(pool, text)
      assert.strictEqual(response.status, 200, response.text)
      assert.strictEqual(response.text, JSON.stringify(posted.id))
      assert.strictEqual(response.headers.get("content-type"), "application/json")
      assert.strictEqual(response.headers.get("ledger-batch"), "2")
      const { requestToBjj, tokenId: _, ...sent } = JSON.parse(text)
      for (const mount of ["", "/earlier"]) {
        const { timestamp, token, ...shown } = jsonOf(yield* send(`${mount}${pool}/${posted.id}`))
        assert.deepStrictEqual(shown, {
          ...sent,
          fromZkEthereumAddress: context.address(ann.address),
          fromBJJ: context.publicKey(ann.publicKey),
          requestToBJJ: requestToBjj,
          state: "pend",
          batchNum: null
        })
        assert.match(timestamp as string, /^\d{4}-/u)
        assert.strictEqual((token as { readonly symbol: string }).symbol, "ETH")
      }
    }))

  it.effect("can be of every type, in every revision, by path and by header", () =>
    Effect.gen(function*() {
      const ofBob = (nonce: bigint, parts: Parameters<typeof signed>[1]) =>
        signed(bob, { fromAccountIndex: 257, toAccountIndex: null, nonce, ...parts })
      const exit = ofBob(0n, { type: "Exit", toAccountIndex: 1, fee: 0 })
      const toAddress = ofBob(1n, { type: "TransferToEthAddr", toAddress: cleo.address })
      const key = { toAddress: INTERNAL_ADDRESS, toPublicKey: ann.publicKey }
      const toKey = ofBob(2n, { type: "TransferToBJJ", ...key })
      for (
        const [posted, path, revision, headers = {}] of [
          [exit, pool, "later"],
          [toAddress, `/earlier${pool}`, "earlier"],
          [toKey, pool, "earlier", { "api-revision": "earlier" }]
        ] as const
      ) {
        const response = yield* post(path, transactionText(posted), headers)
        assert.strictEqual(response.text, JSON.stringify(posted.id))
        assert.strictEqual(response.headers.get("api-revision"), revision)
      }
    }))

  it.effect("is refused with every rule that it breaks, or as a conflict, and the pool stays as it is", () =>
    Effect.gen(function*() {
      const fine = signed(ann, { nonce: 20n })
      yield* post(pool, transactionText(fine))
      const before = [yield* stored, (yield* send(`${pool}/${fine.id}`)).text]
      const another = signed(ann, { nonce: 20n, type: "Exit", toAccountIndex: 1 })
      const refused: ReadonlyArray<readonly [object, type: string, ReadonlyArray<string>]> = [
        [another, "conflict", ["/id"]],
        [{ type: "Exit", amount: 0n, nonce: 2n ** 40n }, "invalid-input", [
          "/nonce",
          "/type",
          "/amount"
        ]],
        [{ ...signed(bob, { nonce: 21n }) }, "invalid-input", ["/signature"]],
        [signed(ann, { fromAccountIndex: 9999 }), "invalid-input", ["/fromAccountIndex"]],
        [signed(ann, { tokenId: 1, nonce: 21n }), "invalid-input", ["/tokenId", "/toAccountIndex"]]
      ]
      for (const [change, type, pointers] of refused) {
        const response = yield* post(pool, transactionText({ ...fine, ...change }))
        assert.deepStrictEqual([response.status, typeOf(response)], [400, type], response.text)
        assert.sameMembers([...pointersOf(response)], [...pointers], response.text)
        for (const { in: where, rule, message } of faultsOf(response)) {
          assert.strictEqual(where, "body")
          assert.isNotEmpty(rule)
          assert.include(jsonOf(response).message as string, message)
        }
      }
      assert.deepStrictEqual([yield* stored, (yield* send(`${pool}/${fine.id}`)).text], before)
    }))

  it.effect("from or to an account under another symbol than that of its token is refused with the right index, in later and earlier", () =>
    Effect.gen(function*() {
      const posted = signed(ann, { nonce: 40n, request: requested({}) })
      const text = transactionText(posted)
      const indexes = {
        fromAccountIndex: "zk:ETH:256",
        toAccountIndex: "zk:ETH:257",
        requestFromAccountIndex: "zk:ONE:258",
        requestToAccountIndex: "zk:ONE:259"
      }
      const before = yield* stored
      const refused = Effect.fnUntraced(function*(change: object, ...expected: Array<string>) {
        const changed = JSON.stringify({ ...JSON.parse(text), ...change })
        for (const mount of ["", "/earlier"]) {
          const response = yield* post(`${mount}${pool}`, changed)
          assert.deepStrictEqual([response.status, typeOf(response)], [400, "invalid-input"])
          assert.deepStrictEqual(faultsOf(response).map(({ message }) => message), expected)
        }
      })
      const messageOf = (property: string, value: string, right: string) =>
        `Property ${property} has the value ${value}: expected ${right}, the account with this number`
      for (const [property, right] of Object.entries(indexes)) {
        for (const symbol of ["DAI", "eth", "", "EXIT", "ETH:ETH"]) {
          const wrong = right.replace(/:\w+:/u, `:${symbol}:`)
          yield* refused({ [property]: wrong }, messageOf(property, wrong, right))
        }
      }
      const tokenOf = (index: string) =>
        `Property requestTokenId has the value 0: expected 1, the token of ${index}`
      yield* refused({ requestTokenId: 0 }, tokenOf("zk:ONE:258"), tokenOf("zk:ONE:259"))
      const long = `zk:${"X".repeat(1000)}:256`
      yield* refused(
        { fromAccountIndex: long, toAccountIndex: "zk:DAI:99999" },
        messageOf("fromAccountIndex", `${long.slice(0, 200)}…`, "zk:ETH:256"),
        "Property toAccountIndex has the value 99999: expected an account that exists"
      )
      assert.strictEqual(yield* stored, before)

      assert.strictEqual((yield* post(pool, text)).status, 200)
      const shown = yield* send(`${pool}/${posted.id}`)
      assert.deepInclude(jsonOf(shown), indexes)
      // also a transaction that is stored already
      yield* refused(
        { toAccountIndex: "zk:ONE:257" },
        messageOf("toAccountIndex", "zk:ONE:257", "zk:ETH:257")
      )
      assert.strictEqual((yield* send(`${pool}/${posted.id}`)).text, shown.text)
    }))

  it.effect("may name the exit under any symbol, and a requested account that does not exist", () =>
    Effect.gen(function*() {
      const request = requested({ fromAccountIndex: 99_999, toAccountIndex: 1, tokenId: 0 })
      const exit = signed(ann, { nonce: 41n, type: "Exit", toAccountIndex: 1, request })
      for (const symbol of ["EXIT", "DAI", "", "ETH"]) {
        const text = transactionText(exit).replaceAll('zk:ETH:1"', `zk:${symbol}:1"`)
        const response = yield* post(pool, text)
        assert.deepStrictEqual([response.status, response.text], [200, JSON.stringify(exit.id)])
      }
    }))

  it.effect("instead of another one is refused under another symbol too", () =>
    Effect.gen(function*() {
      const { replaceTransaction, submitTransaction } = yield* Submission
      const [old, posted] = [signed(ann, { nonce: 42n }), signed(ann, { nonce: 42n, fee: 21 })]
      yield* submitTransaction(old)
      const refusal = yield* Effect.flip(
        replaceTransaction(old.id, posted, {
          references: { toAccountIndex: { symbol: "DAI", index: 257 } }
        })
      )
      assert.match(refusal.message, /value zk:DAI:257: expected zk:ETH:257, the account with this/u)
      const references = { toAccountIndex: { symbol: "ETH", index: 257 } }
      assert.isTrue((yield* replaceTransaction(old.id, posted, { references })).stored)
    }))

  it.effect("takes no parameters", () =>
    Effect.gen(function*() {
      const response = yield* post(
        `${pool}?dryRun=true`,
        transactionText({ ...signed(ann, { nonce: 30n }), fee: 300 })
      )
      assert.deepStrictEqual(faultsOf(response).map(({ in: where }) => where), ["query", "body"])
    }))
})

layer(fundedNode())("an authorization that is posted", (it) => {
  it.effect("has an empty answer and is shown in both revisions", () =>
    Effect.gen(function*() {
      const stranger = wallet(77)
      assert.strictEqual((yield* send(`${register}/zk:${stranger.address}`)).status, 404)
      for (const path of [register, `/earlier${register}`]) {
        const response = yield* post(path, authorizationText(authorized(stranger)))
        assert.deepStrictEqual([
          response.status,
          response.text,
          response.headers.get("content-type"),
          response.headers.get("content-length")
        ], [200, "", null, "0"])
      }
      const later = yield* send(`${register}/zk:${stranger.address}`)
      const earlier = yield* send(`/earlier${register}/zk:${stranger.address}`)
      assert.strictEqual(later.text, earlier.text)
      const { timestamp: _, ...shown } = jsonOf(later)
      assert.deepStrictEqual(shown, JSON.parse(authorizationText(authorized(stranger))))
    }))

  it.effect("stays if another key is authorized or the signature comes from another one", () =>
    Effect.gen(function*() {
      const owner = wallet(78)
      yield* post(register, authorizationText(authorized(owner)))
      const before = yield* send(`${register}/zk:${owner.address}`)
      const conflict = yield* post(register, authorizationText(authorized(owner, ann.publicKey)))
      assert.deepStrictEqual([conflict.status, typeOf(conflict), pointersOf(conflict)], [
        400,
        "conflict",
        ["/zkEthereumAddress"]
      ])
      assert.strictEqual((yield* send(`${register}/zk:${owner.address}`)).text, before.text)
      const forged = yield* post(
        register,
        authorizationText({ ...authorized(wallet(79)), address: wallet(80).address })
      )
      assert.deepStrictEqual([forged.status, typeOf(forged), pointersOf(forged)], [
        400,
        "invalid-input",
        ["/signature"]
      ])
      assert.strictEqual((yield* send(`${register}/zk:${wallet(80).address}`)).status, 404)
    }))
})

describe("the number of accepted posts", () => {
  for (
    const [options, parts, status] of [
      [{ minFeeUSD: 0.01 }, { amount: 10n ** 17n, fee: 60 }, 400],
      [{ maxFeeUSD: 10 }, { amount: 10n ** 17n, fee: 200 }, 400],
      [{ pendingMax: 1 }, {}, 503],
      [{ pendingPerAccountMax: 1 }, {}, 503]
    ] as const
  ) {
    it.effect(`is bounded by ${Object.keys(options)[0]}`, () =>
      Effect.gen(function*() {
        const first = transactionText(signed(ann, { amount: 10n ** 17n, fee: 126 }))
        assert.strictEqual((yield* post(pool, first)).status, 200)
        const refused = yield* post(pool, transactionText(signed(ann, { nonce: 1n, ...parts })))
        assert.strictEqual(refused.status, status, refused.text)
        if (status === 400) return assert.deepStrictEqual(pointersOf(refused), ["/fee"])
        assert.deepStrictEqual([typeOf(refused), refused.headers.get("retry-after")], [
          "pool-full",
          "60"
        ])
        // a stored transaction is still acknowledged
        assert.strictEqual((yield* post(pool, first)).status, 200)
      }).pipe(Effect.provide(fundedNode(options))))
  }

  const busy = Effect.fail(new VerifierBusy({ retryAfterSeconds: 3 }))
  it.effect("is bounded while signatures wait for verification", () =>
    Effect.gen(function*() {
      const posts = [
        post(pool, transactionText(signed(ann))),
        post(register, authorizationText(authorized(ann)))
      ]
      for (const response of yield* Effect.all(posts)) {
        const { headers, status } = response
        assert.deepStrictEqual([status, typeOf(response), headers.get("retry-after")], [
          503,
          "busy",
          "3"
        ])
      }
      assert.strictEqual(yield* stored, 0)
    }).pipe(
      Effect.provide(fundedNode({
        verifier: Layer.succeed(SignatureVerifier, {
          transaction: () => busy,
          authorization: () => busy
        })
      }))
    ))

  it.live("may depend on worker threads that verify them", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* post(pool, transactionText(signed(ann)))).status, 200)
      assert.strictEqual((yield* post(register, authorizationText(authorized(ann)))).status, 200)
      const forged = yield* post(
        pool,
        transactionText({
          ...signed(ann, { nonce: 1n }),
          signature: signed(bob, { nonce: 1n }).signature
        })
      )
      assert.deepStrictEqual([forged.status, pointersOf(forged)], [400, ["/signature"]])
    }).pipe(Effect.provide(fundedNode({ verifier: verifierWorkers(network, { workersMax: 1 }) }))))

  it.live("never exceeds what the calling thread can verify at once", () =>
    Effect.gen(function*() {
      const posts = Array.from({ length: 300 }, (_, nonce) =>
        post(
          pool,
          transactionText({ ...signed(ann, { nonce: BigInt(nonce) }), signature: "0".repeat(128) })
        ))
      const all = yield* Effect.all(posts, { concurrency: "unbounded" })
      const statuses = all.map(({ status }) => status)
      assert.isTrue(statuses.every((status) => status === 400 || status === 503))
      assert.isAtLeast(statuses.filter((status) => status === 400).length, 256)
    }).pipe(Effect.provide(fundedNode())))
})
