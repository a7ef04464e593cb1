/* The objects of the golden files and their schemas; the files say how both are written. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { exactJson } from "../../adapters/http/mod.ts"
import { componentsOf, revisionList, shape, wireForm, wireSchema } from "../../core/contract/mod.ts"
import { named, object, withFields } from "../../core/contract/objects/mod.ts"
import { boolean, feeSelector } from "../../core/contract/scalars/mod.ts"
import { writtenObjects } from "../golden/_objects.ts"
import { parseExact } from "../properties/_reading.ts"
import { context } from "./_values.ts"

for (const revision of revisionList) {
  describe(`in revision ${revision.name}`, () => {
    for (const [name, { schema }] of Object.entries(revision.shapes)) {
      const codec = wireSchema(schema, context)
      const texts = writtenObjects(revision).filter(([other]) => other === name)

      it(`${name} is accepted by its schema, and encoded to the same text`, () => {
        const decode = Schema.decodeUnknownSync(codec, { onExcessProperty: "error" })
        const encode = Schema.encodeSync(codec)
        assert.isNotEmpty(texts)
        for (const [, text] of texts) {
          assert.strictEqual(exactJson(encode(decode(parseExact(text)))), text)
        }
      })

      it(`${name} with a member more or less at any place is refused`, () => {
        const decode = Schema.decodeUnknownExit(codec, { onExcessProperty: "error" })
        for (const [, text] of texts) {
          for (const other of variantsOf(parseExact(text))) {
            assert.strictEqual(decode(other)._tag, "Failure", exactJson(other))
          }
        }
      })
    }

    it("a list of another length than the fixed one, and a negative quantity, are refused", () => {
      const decode = Schema.decodeUnknownExit(wireSchema(revision.shapes.state.schema, context))
      const [, text] = writtenObjects(revision).find(([name]) => name === "state")!
      const state = parseExact(text) as { readonly auction: object; readonly metrics: object }
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
