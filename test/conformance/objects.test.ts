/* The recorded answers and the schemas of their objects. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { exactJson } from "../../adapters/http/mod.ts"
import {
  answerShape,
  componentsOf,
  operations,
  readOperationsOf,
  revisionList,
  shape,
  wireForm,
  wireSchema,
  writerOf
} from "../../core/contract/mod.ts"
import { named, object, withFields } from "../../core/contract/objects/mod.ts"
import { boolean, feeSelector } from "../../core/contract/scalars/mod.ts"
import { ether } from "../../core/domain/token.ts"
import { recordedAnswers } from "../golden/_golden.ts"
import { pendingExit } from "../laws/pool/_pool_rows.ts"
import { parseExact } from "../properties/_reading.ts"
import { address, context, id, key } from "./_values.ts"

for (const revision of revisionList) {
  describe(`in revision ${revision.name}`, () => {
    for (const [id, operation] of readOperationsOf(revision)) {
      const codec = wireSchema(answerShape(operation, revision).schema, context)
      const texts = recordedAnswers(revision, operation)

      it(`each answer of ${id} is accepted by its schema, and encoded to the same text`, () => {
        const decode = Schema.decodeUnknownSync(codec, { onExcessProperty: "error" })
        const encode = Schema.encodeSync(codec)
        assert.isNotEmpty(texts)
        for (const text of new Set(texts)) {
          if (text.includes('"VERSION"')) continue
          assert.strictEqual(exactJson(encode(decode(parseExact(text)))), text)
        }
      })

      it(`an answer of ${id} with a member more or less at any place is refused`, () => {
        const decode = Schema.decodeUnknownExit(codec, { onExcessProperty: "error" })
        const longest = texts.reduce((one, other) => other.length > one.length ? other : one)
        for (const other of variantsOf(parseExact(longest))) {
          if (decode(other)._tag !== "Failure") assert.fail(`accepted: ${exactJson(other)}`)
        }
      })
    }

    it("a list of another length than the fixed one, and a negative quantity, are refused", () => {
      const decode = Schema.decodeUnknownExit(wireSchema(revision.shapes.state.schema, context))
      const state = parseExact(recordedAnswers(revision, operations.getState)[0]!) as {
        readonly auction: object
        readonly metrics: object
      }
      assert.strictEqual(decode(state)._tag, "Success")
      const { auction, metrics } = state
      for (
        const other of [
          { ...state, auction: { ...auction, defaultSlotSetBid: ["1", "2", "3", "4", "5"] } },
          { ...state, auction: { ...auction, allocationRatio: [4000, 3500, 2500, 0] } },
          { ...state, metrics: { ...metrics, transactionsPerBatch: -1.25 } }
        ]
      ) assert.strictEqual(decode(other)._tag, "Failure")
    })

    // the recorded network has no such values
    it("an account index has the symbol of the account, which may be of another token than the item", () => {
      const token = { ...ether, itemId: 1 }
      const text = writerOf(revision.shapes.transaction, context)({
        token,
        senderToken: { ...token, symbol: "ONE" },
        receiverToken: { ...token, symbol: "TWO" },
        transaction: {
          itemId: 1,
          id: id(0, 10),
          type: "ForceTransfer",
          position: 0,
          fromAccountIndex: 301,
          fromAddress: address(10),
          fromPublicKey: key(1),
          toAccountIndex: 302,
          toAddress: address(11),
          toPublicKey: key(2),
          tokenId: 0,
          amount: 1n,
          batchNum: 1,
          historicUSD: null,
          timestampMs: 0,
          l1: null,
          l2: null
        }
      })
      assert.deepInclude(JSON.parse(text), {
        fromAccountIndex: "zk:ONE:301",
        toAccountIndex: "zk:TWO:302"
      })
    })

    it("a request for an unregistered token shows the number of the account only", () => {
      const receiver = { toAccountIndex: null, toAddress: null, toPublicKey: null }
      const text = writerOf(revision.shapes.poolTransaction, context)({
        transaction: {
          ...pendingExit(1),
          request: { ...receiver, fromAccountIndex: 400, tokenId: 9, amount: 1n, fee: 0, nonce: 0n }
        },
        token: { ...ether, itemId: 1 },
        sender: { address: address(11), publicKey: key(1) },
        requestToken: null,
        itemId: 1,
        skipped: null,
        invalidReason: null
      })
      assert.deepInclude(JSON.parse(text), {
        requestFromAccountIndex: "zk::400",
        requestTokenId: 9
      })
    })
  })
}

describe("a declared object", () => {
  const inner = object("Inner", "An inner one", { n: feeSelector })
  const outer = object("Outer", "An outer one", {
    owner: named("zkEthereumAddress", feeSelector),
    other: inner,
    last: boolean
  })
  interface View {
    readonly n: number
    readonly token: { readonly n: number }
  }

  it("has a view that forgets no field and has the types of the fields", () => {
    shape(outer, ({ n, token }: View) => ({ owner: n, other: token, last: n > 5 }))
    // @ts-expect-error the view forgets a field
    shape(outer, ({ n, token }: View) => ({ owner: n, other: token }))
    // @ts-expect-error the view has a text for a number
    shape(outer, ({ token }: View) => ({ owner: "7", other: token, last: true }))
    // @ts-expect-error the view has null for a field that is never null
    shape(outer, ({ token }: View) => ({ owner: null, other: token, last: true }))
  })

  it("has a name of its own in a document", () => {
    const other = withFields(inner, { m: feeSelector })
    assert.throws(
      () => componentsOf([object("Both", "", { inner, other })], context),
      "Two objects of the document are called Inner"
    )
    assert.doesNotThrow(() => componentsOf([object("Both", "", { inner, again: inner })], context))
  })

  it("consists of scalars of the contract", () => {
    assert.throws(() => wireForm(Schema.String), "no scalar")
  })
})

/** Returns the value without each member of each object in it, and with another member in each. */
function* variantsOf(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const other of variantsOf(item)) yield value.with(at, other)
    }
  } else if (typeof value === "object" && value !== null) {
    // amounts by token have any tokens
    const isMap = Object.keys(value).every((name) => /^\d+$/u.test(name))
    if (!isMap) yield { ...value, another: 1 }
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...others } = value as { readonly [name: string]: unknown }
      if (!isMap) yield others
      for (const other of variantsOf(member)) yield { ...value, [name]: other }
    }
  }
}
