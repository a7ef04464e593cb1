/* The objects of the golden files and their schemas. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { exactJson } from "../../adapters/http/mod.ts"
import { revisionList, wireSchema } from "../../core/contract/mod.ts"
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
