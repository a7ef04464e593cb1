/* Transfers to an account that also name the Ethereum address of its owner, with real signatures. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { bodyWriter, v1 } from "../../core/contract/mod.ts"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { groupId } from "../../core/encoding/mod.ts"
import { Pool } from "../../core/use_cases/mod.ts"
import { connectTransactions } from "../laws/pool/_pool_rows.ts"
import { jsonOf, pointersOf, post, send } from "../submission/_post.ts"
import { ann, bob, cleo, context, fundedNode, signed } from "../submission/_wallets.ts"
import { type Body, errorOf, postBody, put, shownAt, withoutRequest } from "./_recorded.ts"

const pool = "/v1/transactions-pool"
const textOf = bodyWriter(v1.bodies.transaction, context, "ETH")
const groupText = bodyWriter(v1.bodies.group, context, "ETH")
const toBob = { toAddress: bob.address }

layer(fundedNode())("a transfer that names an account and the address of its owner", (it) => {
  it.effect("is accepted in v1, stored, shown and selected as it was signed", () =>
    Effect.gen(function*() {
      const posted = signed(ann, toBob)
      for (let times = 0; times < 2; times++) {
        const answer = yield* post(pool, textOf(posted))
        assert.deepStrictEqual([answer.status, answer.text], [200, JSON.stringify(posted.id)])
      }
      const shown = yield* shownAt(`${pool}/${posted.id}`)
      assert.strictEqual(shown.toAccountIndex, "zk:ETH:257")
      assert.strictEqual(shown.toZkEthereumAddress, context.address(bob.address))
      const { transactions: [selected] } = yield* (yield* Pool).select({ maxTransactions: 9 })
      const { toAccountIndex, toAddress, signature } = selected!.transaction
      assert.deepStrictEqual(
        [toAccountIndex, toAddress, signature],
        [257, bob.address, posted.signature]
      )
      for (
        const filter of [
          "toAccountIndex=zk:ETH:257",
          `toZkEthereumAddress=${shown.toZkEthereumAddress}`
        ]
      ) {
        const { transactions } = yield* shownAt(`${pool}?${filter}`)
        assert.strictEqual((transactions as ReadonlyArray<object>).length, 1, filter)
      }
    }))

  it.effect("is refused if the address owns another account, with an exit or a key, and if it was not signed", () =>
    Effect.gen(function*() {
      const nonce = 5n
      const cases: ReadonlyArray<readonly [PostedTransaction, string, RegExp]> = [
        [
          signed(ann, { nonce, toAddress: cleo.address }),
          "/toZkEthereumAddress",
          new RegExp(`null, or ${bob.address}, the owner of account 257`, "u")
        ],
        [
          signed(ann, { nonce, ...toBob, type: "Exit", toAccountIndex: 1 }),
          "/toZkEthereumAddress",
          /null, because toAccountIndex is the destination/u
        ],
        [
          signed(ann, { nonce, ...toBob, toPublicKey: bob.publicKey }),
          "/toBjj",
          /null, because toAccountIndex is the destination/u
        ],
        [
          { ...signed(ann, { nonce }), ...toBob },
          "/signature",
          /a valid signature/u
        ],
        [
          { ...signed(ann, { nonce, ...toBob }), toAddress: null },
          "/signature",
          /a valid signature/u
        ]
      ]
      for (const [posted, pointer, message] of cases) {
        const answer = yield* post(pool, textOf(posted))
        assert.strictEqual(answer.status, 400)
        assert.deepStrictEqual(pointersOf(answer), [pointer])
        assert.match(String(jsonOf(answer).message), message)
      }
    }))

  it.effect("is refused in the other revisions", () =>
    Effect.gen(function*() {
      const posted = signed(ann, { nonce: 6n, ...toBob })
      for (const mount of ["", "/earlier"]) {
        // these revisions have no maxNumBatch
        const { maxNumBatch: _, requestOffset: __, ...body } = JSON.parse(textOf(posted))
        const answer = yield* postBody(`${mount}/transactions-pool`, body)
        assert.strictEqual(answer.status, 400)
        assert.match(String(jsonOf(answer).message), /null, because toAccountIndex/u)
      }
    }))

  it.effect("is accepted in a group, and its address is part of the request of the other one", () =>
    Effect.gen(function*() {
      const unsigned = [
        signed(ann, { nonce: 0n, amount: 3n, ...toBob }),
        signed(bob, { fromAccountIndex: 257, toAccountIndex: 256, toAddress: ann.address })
      ]
      const members = connectTransactions(unsigned).map((
        { requestOffset, request, ...each },
        i
      ) => ({
        ...signed([ann, bob][i]!, { ...each, request }),
        requestOffset
      }))
      const id = groupId(members.map((each) => each.id), keccak256)
      const complete = JSON.parse(groupText({ id, transactions: members })) as Body
      const transactions = (complete.transactions as ReadonlyArray<Body>).map(withoutRequest)
      const toZkEthereumAddress = context.address(cleo.address)
      const refused = yield* postBody("/v1/atomic-pool", {
        ...complete,
        transactions: transactions.map((each) => ({ ...each, toZkEthereumAddress }))
      })
      assert.strictEqual(refused.status, 400)
      assert.match(String(jsonOf(refused).message), /the owner of account 257/u)
      for (const group of [{ ...complete, transactions }, complete]) {
        const answer = yield* postBody("/v1/atomic-pool", group)
        assert.deepStrictEqual(JSON.parse(answer.text), members.map((each) => each.id), answer.text)
      }
      const shown = yield* shownAt(`${pool}/${members[0]!.id}`)
      assert.strictEqual(shown.toZkEthereumAddress, context.address(bob.address))
      assert.strictEqual(shown.requestToZkEthereumAddress, context.address(ann.address))
    }))
})

layer(fundedNode())("a transfer to the wrong account", (it) => {
  const replacementText = bodyWriter(v1.bodies.replacement, context, "ETH")
  const wrong = signed(ann)
  const toAnother = { toAccountIndex: null, type: "TransferToEthAddr" } as const
  const corrected = signed(ann, { ...toAnother, toAddress: cleo.address })
  const limited = signed(ann, { ...toBob, maxNumBatch: 900 })

  it.effect("is corrected by PUT under its identifier, by id and by nonce, once with each signature", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual([corrected.id, limited.id], [wrong.id, wrong.id])
      const byId = `${pool}/${wrong.id}`
      const byNonce = `${pool}/accounts/zk:ETH:256/nonces/0`
      yield* post(pool, textOf(wrong))
      const before = yield* send(byId)
      for (
        const [path, content, type] of [
          [byId, corrected, "TransferToEthAddr"],
          [byNonce, limited, "Transfer"]
        ] as const
      ) {
        const text = replacementText(content)
        assert.strictEqual(JSON.parse(text).state, "pend")
        // by nonce, the published node requires the state
        for (const body of [text, JSON.stringify({ ...JSON.parse(text), info: "read before" })]) {
          const answer = yield* put(path, body)
          assert.deepStrictEqual([answer.status, answer.text], [200, JSON.stringify(wrong.id)])
        }
        const shown = yield* send(byId)
        assert.notStrictEqual(shown.headers.get("etag"), before.headers.get("etag"))
        const { maxNumBatch, signature, state, type: shownType } = jsonOf(shown)
        assert.deepStrictEqual(
          [maxNumBatch, signature, state, shownType],
          [content.maxNumBatch ?? 0, content.signature, "pend", type]
        )
      }
      const stale = yield* put(byId, replacementText(wrong))
      assert.deepStrictEqual(errorOf(stale), [409, 2, "ErrDuplicatedKey"])
      assert.match(String(jsonOf(stale).message), /this content was replaced/u)
      const { transactions } = yield* shownAt(`${pool}?fromAccountIndex=zk:ETH:256`)
      const signatures = (transactions as ReadonlyArray<Body>).map(({ signature }) => signature)
      assert.deepStrictEqual(signatures, [limited.signature])
    }))

  it.effect("is not replaced by a PUT with another state", () =>
    Effect.gen(function*() {
      const text = JSON.parse(replacementText(corrected)) as object
      for (const state of ["fged", "pending", 1]) {
        const answer = yield* put(`${pool}/${wrong.id}`, JSON.stringify({ ...text, state }))
        assert.strictEqual(answer.status, 400)
        assert.deepStrictEqual(pointersOf(answer), ["/state"])
      }
    }))

  it.effect("answers 409 to a PUT while it is forging", () =>
    Effect.gen(function*() {
      const coordinator = yield* Pool
      const { batchNum } = yield* coordinator.select({ maxTransactions: 9 })
      yield* coordinator.startForging([wrong.id], batchNum)
      const late = signed(ann, { ...toAnother, toAddress: ann.address })
      for (const path of [`${pool}/${wrong.id}`, `${pool}/accounts/zk:ETH:256/nonces/0`]) {
        const answer = yield* put(path, replacementText(late))
        assert.strictEqual(answer.status, 409)
        assert.match(String(jsonOf(answer).message), /being forged/u)
      }
      // the stored content again is no change
      assert.strictEqual((yield* put(`${pool}/${wrong.id}`, replacementText(limited))).status, 200)
    }))
})
