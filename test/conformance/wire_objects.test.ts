/* Scalars and objects of the wire: how values are written, which are accepted, how they are documented. */
import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  answerShape,
  componentsOf,
  earlier,
  jsonSchemaOf,
  later,
  operations,
  shape,
  wireContext,
  wireForm,
  wireSchema,
  writerOf
} from "../../core/contract/mod.ts"
import {
  bigInteger,
  integer,
  matching,
  oneOf,
  quantity,
  scalar
} from "../../core/contract/scalars/_scalar.ts"
import {
  boolean,
  count,
  ethSignature,
  feeSelector,
  nonce,
  signature,
  tokenAmounts
} from "../../core/contract/scalars/mod.ts"
import { values } from "../../core/domain/mod.ts"
import { EncodingError } from "../../core/encoding/mod.ts"
import {
  documented,
  named,
  nullable,
  object,
  ofNetwork,
  omit,
  rename,
  shapeOf,
  withFields
} from "../../core/contract/objects/mod.ts"

const network = { prefix: "hez", name: "", chainId: 7, rollupAddress: "" }
const context = wireContext(network, keccak256)
const uint64 = 18446744073709551615n

const writes = <T>(schema: Schema.Codec<T>, ...values: ReadonlyArray<T>) =>
  values.map(writerOf(shapeOf(schema), context))
/** Returns which of the values the schema of the JSON accepts. */
const accepts = (schema: Schema.Constraint, ...values: ReadonlyArray<unknown>) =>
  values.map((value) =>
    Option.isSome(Schema.decodeUnknownOption(wireSchema(schema, context))(value))
  )
const documentOf = (schema: Schema.Constraint) => jsonSchemaOf(schema, context)
/** Returns the schema of a property of an object with this one property. */
const documentedAs = (field: Schema.Top) =>
  (componentsOf([object("O", "D", { field })], context).O!.properties as { field: unknown }).field

describe("a scalar", () => {
  it("of texts is escaped unless it needs no escaping", () => {
    const plain = scalar<string>({
      domain: Schema.String,
      parse: () => (text) =>
        /^a+$/u.test(text)
          ? Result.succeed(text)
          : Result.fail(new EncodingError(text, "another text")),
      encoded: () => matching("^a+$", { format: "f" }),
      description: "D",
      example: "e"
    })
    const any = scalar<number>({
      domain: Schema.Number,
      parse: ({ network: { prefix } }) => (text) =>
        text.startsWith(prefix)
          ? Result.succeed(text.length)
          : Result.fail(new EncodingError(text, "another text")),
      format: ({ network: { prefix } }) => (value) => `${prefix}"${value}`,
      isEscaped: true,
      encoded: ({ network: { prefix } }) => matching(`^${prefix}`)
    })
    const bare = scalar<string>({
      domain: Schema.String,
      parse: () => Result.succeed,
      isEscaped: true
    })
    assert.deepStrictEqual([...writes(plain, 'a"b'), ...writes(any, 7)], ['"a"b"', '"hez\\"7"'])
    assert.deepStrictEqual([
      ...accepts(plain, "aa", "b", 1),
      ...accepts(any, "hez", "x"),
      ...accepts(bare, "", 1)
    ], [true, false, false, true, false, true, false])
    assert.deepStrictEqual(documentOf(plain), {
      type: "string",
      pattern: "^a+$",
      description: "D",
      format: "f",
      examples: ["e"]
    })
    assert.deepStrictEqual([documentOf(any), documentOf(bare)], [{
      type: "string",
      pattern: "^hez"
    }, { type: "string" }])
    assert.throws(() => wireForm(Schema.String), "no scalar")
  })

  it("integers have bounds and keep their digits", () => {
    const small = integer(values.integer(1, 256), { description: "D", example: 5 })
    const safe = integer(values.safeInteger)
    const big = bigInteger(values.bigInteger(2n, uint64))
    assert.deepStrictEqual([...writes(small, 7), ...writes(big, uint64)], [
      "7",
      "18446744073709551615"
    ])
    assert.deepStrictEqual(accepts(small, 1, 256, 0, 257, 1.5, "1", 1n), [
      true,
      true,
      false,
      false,
      false,
      false,
      false
    ])
    assert.deepStrictEqual(accepts(safe, Number.MAX_SAFE_INTEGER, 2 ** 53, 5n), [
      true,
      false,
      false
    ])
    assert.deepStrictEqual(accepts(big, 2, 1, 2n, 1n, uint64, uint64 + 1n, 2 ** 53), [
      true,
      false,
      true,
      false,
      true,
      false,
      false
    ])
    assert.deepStrictEqual(documentOf(small), {
      type: "integer",
      minimum: 1,
      maximum: 256,
      description: "D",
      examples: [5]
    })
    assert.deepStrictEqual(documentOf(safe), {
      type: "integer",
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER
    })
    assert.deepStrictEqual(documentOf(big), { type: "integer", minimum: 2, maximum: uint64 })
  })

  it("numbers, booleans and closed sets accept exactly their values", () => {
    const positive = quantity({ description: "D" })
    assert.deepStrictEqual([
      ...writes(positive, 1.5, 1e21),
      ...writes(boolean, true, false),
      ...writes(oneOf(["a", "b"]), "b")
    ], ["1.5", "1e+21", "true", "false", '"b"'])
    assert.deepStrictEqual([
      ...accepts(positive, 0, -1, Infinity),
      ...accepts(quantity(), -1, NaN),
      ...accepts(boolean, false, 0),
      ...accepts(oneOf(["a", "b"]), "a", "c")
    ], [true, false, false, false, false, true, false, true, false])
    assert.deepStrictEqual([
      documentOf(positive),
      documentOf(quantity()),
      documentOf(boolean)
    ], [{ type: "number", minimum: 0, description: "D" }, { type: "number", minimum: 0 }, {
      type: "boolean"
    }])
    assert.deepStrictEqual([
      documentOf(oneOf(["a", "b"])),
      documentOf(oneOf(["a"], { description: "D" }))
    ], [{
      type: "string",
      enum: ["a", "b"]
    }, { type: "string", enum: ["a"], description: "D" }])
  })

  it("of amounts by token is an object, and a constant of the deployment is the same for all values", () => {
    assert.deepStrictEqual([
      ...writes(tokenAmounts, [[1, 2n], [3, 4n]], []),
      ...writes(ofNetwork(count, ({ chainId }) => chainId), null)
    ], ['{"1":"2","3":"4"}', "{}", "7"])
    assert.deepStrictEqual(accepts(tokenAmounts, { 1: "2" }, {}, { 1: 2 }), [true, true, false])
    const { additionalProperties, ...document } = documentOf(tokenAmounts)
    assert.deepStrictEqual(document, { type: "object" })
    assert.strictEqual((additionalProperties as { type: string }).type, "string")
  })

  it("is composed to null and arrays", () => {
    const small = integer(values.integer(0, 9))
    const inner = object("Inner", "An inner one", { n: small })
    const pair = Schema.Array(small).check(Schema.isMinLength(2), Schema.isMaxLength(2))
    assert.deepStrictEqual([
      ...writes(nullable(small), null, 3),
      ...writes(nullable(oneOf(["a"])), null),
      ...writes(Schema.Array(small), [], [1], [1, 2, 3])
    ], ["null", "3", "null", "[]", "[1]", "[1,2,3]"])
    assert.deepStrictEqual([
      ...accepts(nullable(small), null, 3, undefined),
      ...accepts(Schema.Array(small), [], [1, 10]),
      ...accepts(pair, [1], [1, 2], [1, 2, 3])
    ], [true, true, false, true, false, false, true, false])
    assert.deepStrictEqual(documentOf(nullable(small)), {
      anyOf: [documentOf(small), { type: "null" }]
    })
    assert.deepStrictEqual(documentOf(nullable(oneOf(["a"]))), {
      anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }]
    })
    assert.deepStrictEqual(documentedAs(documented(nullable(inner), "N")), {
      anyOf: [{ $ref: "#/components/schemas/Inner" }, { type: "null" }],
      description: "N"
    })
    assert.deepStrictEqual(documentedAs(documented(inner, "N")), {
      anyOf: [{ $ref: "#/components/schemas/Inner" }],
      description: "N"
    })
    assert.deepStrictEqual(documentedAs(documented(pair, "Two")), {
      type: "array",
      items: documentOf(small),
      minItems: 2,
      maxItems: 2,
      description: "Two"
    })
  })
})

describe("a wire object", () => {
  interface View {
    readonly n: number
    readonly token: { readonly n: number }
  }
  const small = integer(values.integer(0, 9))
  const inner = object("Inner", "An inner one", { n: small })
  const outer = object("Outer", "An outer one", {
    owner: named("zkEthereumAddress", small, "Told"),
    other: inner,
    last: boolean
  })
  const outerView = ({ n, token }: View) => ({ owner: n, other: token, last: n > 5 })
  const view = { n: 7, token: { n: 2 } }

  it("is written with its fields in order, with the names of the network, and documented as closed", () => {
    assert.strictEqual(
      writerOf(shape(outer, outerView), context)(view),
      '{"hezEthereumAddress":7,"other":{"n":2},"last":true}'
    )
    assert.deepStrictEqual(componentsOf([outer], context), {
      Outer: {
        type: "object",
        description: "An outer one",
        required: ["hezEthereumAddress", "other", "last"],
        additionalProperties: false,
        properties: {
          hezEthereumAddress: { type: "integer", minimum: 0, maximum: 9, description: "Told" },
          other: { $ref: "#/components/schemas/Inner" },
          last: { type: "boolean" }
        }
      },
      Inner: {
        type: "object",
        description: "An inner one",
        required: ["n"],
        additionalProperties: false,
        properties: { n: { type: "integer", minimum: 0, maximum: 9 } }
      }
    })
    assert.deepStrictEqual(
      accepts(outer, { hezEthereumAddress: 7, other: { n: 2 }, last: true }, {
        hezEthereumAddress: 7,
        other: { n: 2 }
      }),
      [true, false]
    )
  })

  it("has a view that forgets no field and has the types of the fields", () => {
    shape(outer, outerView)
    // @ts-expect-error the view forgets a field
    shape(outer, ({ n, token }: View) => ({ owner: n, other: token }))
    // @ts-expect-error the view has a text for a number
    shape(outer, ({ token }: View) => ({ owner: "7", other: token, last: true }))
    // @ts-expect-error the view has null for a field that is never null
    shape(outer, ({ token }: View) => ({ owner: null, other: token, last: true }))
  })

  it("is changed in a revision by renamed, omitted, replaced or added fields", () => {
    const renamed = rename(omit(outer, ["last"]), { other: "another" })
    const revised = withFields(renamed, { ...renamed.fields, added: small })
    assert.strictEqual(
      writerOf(shapeOf(revised), context)({ owner: 7, other: { n: 2 }, added: 1 }),
      '{"hezEthereumAddress":7,"another":{"n":2},"added":1}'
    )
    const { Outer: document } = componentsOf([revised], context)
    assert.strictEqual(document!.description, "An outer one")
  })

  it("has a name of its own in a document", () => {
    const other = withFields(inner, { m: small })
    assert.throws(
      () => componentsOf([object("Both", "", { inner, other })], context),
      "Two objects of the document are called Inner"
    )
    assert.doesNotThrow(() => componentsOf([object("Both", "", { inner, again: inner })], context))
  })

  it("of a page has the counts of the revision", () => {
    const counts = { pendingItems: 1, totalItems: 2, firstItem: 3, lastItem: 4 }
    for (
      const [revision, text] of [[later, '{"tokens":[],"pendingItems":1}'], [
        earlier,
        '{"tokens":[],"pagination":{"totalItems":2,"firstItem":3,"lastItem":4}}'
      ]] as const
    ) {
      const page = answerShape(operations.getTokens, revision)
      assert.strictEqual(writerOf(page, context)({ items: [], counts } as never), text)
      assert.deepInclude(componentsOf([page.schema], context).Tokens, {
        description: "Page of tokens"
      })
    }
  })
})

describe("digits", () => {
  it("of another kind or length are refused", () => {
    const rule = (result: Result.Result<unknown, { readonly rule: string }>) =>
      Result.isFailure(result) ? result.failure.rule : result.success
    assert.deepStrictEqual([
      rule(wireForm(signature).decode(context)("x")),
      rule(wireForm(ethSignature).decode(context)("x")),
      rule(wireForm(signature).decode(context)("A".repeat(128)))
    ], ["128 hexadecimal digits", "0x and 130 hexadecimal digits", "a".repeat(128)])
    assert.deepStrictEqual([
      rule(wireForm(feeSelector).decode(context)("256")),
      rule(wireForm(nonce).decode(context)(`${uint64}`))
    ], [256, uint64])
    assert.deepStrictEqual([
      Result.isFailure(wireForm(feeSelector).decode(context)("257")),
      Result.isFailure(wireForm(nonce).decode(context)(`${uint64 + 1n}`))
    ], [true, true])
  })
})
