import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { scalarTypes } from "../../core/contract/shapes/mod.ts"
import { address, context, hash, id, keyText, signature } from "./_values.ts"

/** Valid values of a scalar type, and values just outside. */
const scalars: {
  readonly [name in keyof typeof scalarTypes]: readonly [
    takes: ReadonlyArray<unknown>,
    refuses: ReadonlyArray<unknown>
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
  count: [[0, Number.MAX_SAFE_INTEGER], [-1]],
  countBig: [[0, 18446744073709551615n], [-1, 18446744073709551616n]],
  bigInt: [["0", "123456789012345678901234567890"], ["", "-1", "1.5", "0x1", 1]],
  address: [[address(10)], [
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
  accountIndex: [["zk:ETH:256", "zk::0", "zk:a:b:1"], [
    "ETH:256",
    "hez:ETH:256",
    "zk:ETH:",
    "zk:256"
  ]],
  transactionId: [[id(2, 10)], [id(2, 10).slice(2), `${id(2, 10)}0`]],
  hash: [[hash(10)], [hash(10).slice(2), `${hash(10)}0`]],
  signature: [[signature], [`0x${signature}`, `${signature}0`, signature.slice(1)]],
  ethSignature: [[`0x${"6".repeat(130)}`], ["6".repeat(130), `0x${"6".repeat(131)}`]],
  text: [["", "\u0000"], [1, null]],
  url: [["", "anything"], [1, null]],
  dateTime: [["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.001Z"], [
    "1970-01-01",
    "1970-01-01T00:00:00",
    "1970-01-01T00:00:00+01:00"
  ]],
  usd: [[0, 0.5], [-0.5, "1"]],
  number: [[0, 0.5], [-0.5]],
  transactionType: [["ForceExit"], ["forceExit"]],
  poolTransactionType: [["TransferToBJJ"], ["ForceExit"]],
  poolState: [["invl"], ["INVL"]],
  layer: [["L1", "L2"], ["L3"]]
}
/** Types whose names need no description. */
const undescribed: ReadonlyArray<string> = [
  "count",
  "countBig",
  "text",
  "dateTime",
  "number",
  "layer"
]

describe("scalar types", () => {
  for (const [name, type] of Object.entries(scalarTypes)) {
    it(`${name} accepts its values, and nothing next to them`, () => {
      const [takes, refuses] = scalars[name as keyof typeof scalarTypes]
      const is = Schema.is(type.schema(context))
      assert.deepStrictEqual(takes.filter((value) => !is(value)), [])
      assert.deepStrictEqual(refuses.filter(is), [])
      assert.strictEqual(
        type.jsonSchema(context).description === undefined,
        undescribed.includes(name)
      )
    })
  }
})
