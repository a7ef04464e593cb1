import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { jsonSchemaOf, type Scalar, wireForm, wireSchema } from "../../core/contract/mod.ts"
import * as declared from "../../core/contract/scalars/scalars.ts"
import { dateTimeWriter } from "../../core/contract/scalars/_scalar.ts"
import { generators } from "../laws/mod.ts"
import { address, context, hash, id, keyText, signature } from "./_values.ts"

const { integer, oneOf } = generators
const { knownHash: _hash, scalars: _, tokenAmounts: _amounts, ...scalars } = declared

/** Valid JSON of each scalar, and invalid JSON next to it. */
const samples: {
  readonly [name in keyof typeof scalars]: readonly [
    valid: ReadonlyArray<unknown>,
    invalid: ReadonlyArray<unknown>
  ]
} = {
  itemId: [[0, Number.MAX_SAFE_INTEGER], [-1, 0.5, "1"]],
  tokenId: [[0, 4294967295], [-1, 4294967296]],
  batchNum: [[0, 4294967295], [-1, 4294967296]],
  slotNum: [[0, 4294967295], [-1, 4294967296]],
  queueNum: [[0, 4294967295], [-1, 4294967296]],
  position: [[0, Number.MAX_SAFE_INTEGER], [-1]],
  ethBlockNum: [[0, 18446744073709551615n], [-1, 18446744073709551616n]],
  nonce: [[0, 18446744073709551615n], [-1, 18446744073709551616n]],
  feeSelector: [[0, 256], [-1, 257]],
  positionInGroup: [[0, 7], [-1, 8]],
  count: [[0, Number.MAX_SAFE_INTEGER], [-1]],
  bigCount: [[0, 18446744073709551615n], [-1, 18446744073709551616n]],
  amount: [["0", `${2n ** 256n - 1n}`], ["", "-1", "01", `${2n ** 256n}`, 1]],
  bigInt: [["0", "123456789012345678901234567890"], ["", "-1", "1.5", "0x1", 1]],
  bigNumber: [[0, 12345, 123456789012345678901234567890n], [-1, 1.5, "1"]],
  ethereumAddress: [[address(10)], [
    address(10).slice(1),
    `${address(10)}0`,
    address(10).slice(0, -1),
    `zk:${address(10)}`
  ]],
  prefixedAddress: [[`zk:${address(10)}`], [
    address(10),
    `hez:${address(10)}`,
    `zk:${address(10)}0`
  ]],
  publicKey: [[keyText(1)], [
    keyText(1).slice(3),
    `${keyText(1)}A`,
    keyText(1).slice(0, -1),
    keyText(1).replace("zk", "hez")
  ]],
  accountIndex: [["zk:ETH:256", "zk:ETH:0", "zk::0", "zk:a:b:1", 'zk:":1'], [
    "ETH:256",
    "zk:256",
    "zk:ETH:01"
  ]],
  accountReference: [["zk:ETH:256", "zk::0", "zk:a:b:1"], [
    "ETH:256",
    "hez:ETH:256",
    "zk:ETH:",
    "zk:256"
  ]],
  groupId: [[`0x${"ab".repeat(32)}`], ["0x", "ab".repeat(32), `0x${"ab".repeat(33)}`]],
  transactionId: [[id(2, 10)], [id(2, 10).slice(2), `${id(2, 10)}0`]],
  hash: [[hash(10)], [hash(10).slice(2), `${hash(10)}0`]],
  signature: [[signature], [`0x${signature}`, `${signature}0`, signature.slice(1)]],
  ethSignature: [[`0x${"6".repeat(130)}`], ["6".repeat(130), `0x${"6".repeat(131)}`]],
  text: [["", "\u0000", '"'], [1, null]],
  url: [["", "anything", 'https://c.example/"'], [1, null]],
  dateTime: [["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.001Z"], [
    "1970-01-01",
    "1970-01-01T00:00:00",
    "1970-01-01T00:00:00+01:00",
    "1970-02-30T00:00:00Z"
  ]],
  usd: [[0, 0.5], [-0.5, "1"]],
  number: [[0, 0.5], [-0.5]],
  currencyCode: [["EUR", "XAU"], ["", "eur", "EU", "EURO", "E1R"]],
  currencyCodes: [["EUR", "EUR,CNY"], ["", "EUR,", "EUR,cny"]],
  baseCurrency: [["USD"], ["usd", "EUR"]],
  transactionType: [["ForceExit"], ["forceExit"]],
  poolTransactionType: [["TransferToBJJ"], ["ForceExit"]],
  poolState: [["invl"], ["INVL"]],
  healthStatus: [["UP", "DOWN"], ["up"]],
  layer: [["L1", "L2"], ["L3"]],
  filledText: [["a"], ["", 1]],
  boolean: [[true, false], ["true", 1]],
  proofFunction: [[0, 3], [-1, 4]],
  tokenIds: [["0", "1,2"], ["", "1,,2", "a"]],
  tokenSymbols: [["ETH", "ETH,DAI"], ["", ","]],
  ethereumAddresses: [[address(10), `${address(10)},${address(11)}`], ["", `zk:${address(10)}`]]
}
/** Scalars whose fields and parameters have descriptions of their own. */
const undescribed: ReadonlyArray<string> = [
  "bigCount",
  "boolean",
  "count",
  "currencyCodes",
  "dateTime",
  "ethereumAddresses",
  "filledText",
  "healthStatus",
  "layer",
  "number",

  "positionInGroup",
  "proofFunction",
  "text",
  "tokenIds",
  "tokenSymbols"
]

const parts = ["", "0", "1", "9", "a", "F", "x", ":", ",", "-", ".", "e5", " ", "é", "ETH"]

/** Generates texts next to a valid one: a part is removed, replaced or added. */
const near = (texts: ReadonlyArray<string>): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(
    Arbitrary.all([oneOf(texts), integer(0, 80), oneOf(parts), integer(0, 2)]),
    ([text, at, part, removed]) => text.slice(0, at) + part + text.slice(at + removed)
  )

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint"

for (const [name, scalar] of Object.entries(scalars) as ReadonlyArray<[string, Scalar<unknown>]>) {
  const [valid, invalid] = samples[name as keyof typeof scalars]
  const { decode, format, json, write } = wireForm(scalar)
  const codec = wireSchema(scalar, context)
  const decodeJson = Schema.decodeUnknownResult(codec)
  const encodeJson = Schema.encodeSync(codec)
  const decodeText = decode(context)
  const encodeText = format(context)

  describe(`the scalar ${name}`, () => {
    it("accepts its values and refuses the ones next to them", () => {
      assert.deepStrictEqual(valid.filter((json) => Result.isFailure(decodeJson(json))), [])
      assert.deepStrictEqual(invalid.filter((json) => Result.isSuccess(decodeJson(json))), [])
    })

    it("writes the JSON that its schema encodes, and its schema decodes it to the same value", () => {
      const writeJson = write(context)
      for (const json of valid) {
        const value = Result.getOrThrow(decodeJson(json))
        const encoded = encodeJson(value)
        assert.strictEqual(
          writeJson(value),
          isNumber(encoded) ? `${encoded}` : JSON.stringify(encoded)
        )
        assert.deepStrictEqual(Result.getOrThrow(decodeJson(encoded)), value)
        assert.isTrue(Schema.is(scalar)(value))
      }
    })

    it("has a text that decodes to the value it was encoded from", () => {
      for (const json of valid) {
        const value = Result.getOrThrow(decodeJson(json))
        assert.deepStrictEqual(Result.getOrThrow(decodeText(encodeText(value))), value)
      }
    })

    it.prop(
      "decodes exactly the texts that its schema accepts as JSON, to the same value",
      { text: near(valid.map((json) => encodeText(Result.getOrThrow(decodeJson(json))))) },
      ({ text }) => {
        if (json !== "string") return
        assert.deepStrictEqual(
          Result.getSuccess(decodeText(text)),
          Result.getSuccess(decodeJson(text))
        )
      },
      { arbitrary: { runs: 200 } }
    )

    it("is documented with a description and an example that it accepts", () => {
      const { description, examples = [] } = jsonSchemaOf(scalar, context)
      assert.strictEqual(description === undefined, undescribed.includes(name))
      for (const example of examples as ReadonlyArray<unknown>) {
        assert.isTrue(Result.isSuccess(decodeJson(example)), JSON.stringify(example))
      }
    })
  })
}

it.prop(
  "a time is written as Date writes it, whatever was written before",
  { times: Arbitrary.array(integer(-62_167_219_200_000, 253_402_300_799_999), { minLength: 1 }) },
  ({ times }) => {
    const write = dateTimeWriter()
    const repeated = times.flatMap((time) => [time, time])
    assert.deepStrictEqual(
      repeated.map(write),
      repeated.map((time) => JSON.stringify(new Date(time)))
    )
  },
  { arbitrary: { runs: 500 } }
)
