/* The position at which a body becomes invalid, to the character, and the message. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  bodies,
  bodyReader,
  type BodyReader,
  bodyWriter,
  wireContext
} from "../../core/contract/mod.ts"

const context = wireContext({ prefix: "zk", name: "", chainId: 1, rollupAddress: "" }, keccak256)
const read = bodyReader(bodies.authorization, context)
const faultsOf = (text: string, reader: BodyReader<unknown> = read) => {
  const result = reader(text)
  return Result.isFailure(result) ? result.failure : []
}
/**
 * Returns what was expected at which character, and the actual text; undefined if the text is JSON.
 */
const stopOf = (text: string, reader: BodyReader<unknown> = read) =>
  /^The body is not the expected JSON: (.*) at character (\d+), found (.*)$/su.exec(
    faultsOf(text, reader)[0]?.message ?? ""
  )?.slice(1)

describe("a text that is not JSON", () => {
  it("is refused with the first invalid character, and what was expected there", () => {
    const [object, name, colon, value] = [
      "an object: {",
      "the name of a member, in double quotes",
      "a colon after the name",
      "a value"
    ]
    const string = "a string that ends, without control characters and with known escapes"
    const stories: ReadonlyArray<
      readonly [text: string, expected: string, position: number, found: string]
    > = [
      ["", object, 0, "the end"],
      ["  ", object, 2, "the end"],
      ["\ufeff{}", "no byte order mark", 0, '"\ufeff{}"'],
      ["x\ufeff", object, 0, '"x\ufeff"'],
      ["null", object, 0, '"null"'],
      ["/**/{}", object, 0, '"/**/{}"'],
      ["[{}]", object, 0, '"[{}]"'],
      ["{} x", "nothing after the object", 3, '"x"'],
      ["{}\u00a0", "nothing after the object", 2, '"\u00a0"'],
      ["{}{}", "nothing after the object", 2, '"{}"'],
      ["{,}", name, 1, '",}"'],
      ["{a:1}", name, 1, '"a:1}"'],
      ["{'a':1}", name, 1, "\"'a':1}\""],
      ['{"a":1,}', name, 7, '"}"'],
      ['{"a":1,,"b":2}', name, 7, '",\\"b\\":2}"'],
      ['{"a"}', colon, 4, '"}"'],
      ['{"a" 1}', colon, 5, '"1}"'],
      ['{"a":}', value, 5, '"}"'],
      ['{"a":tru}', value, 5, '"tru}"'],
      ['{"a":', value, 5, "the end"],
      ['{"a":"x}', string, 5, '"\\"x}"'],
      ['{"a":"\\x"}', string, 5, '"\\"\\\\x\\"}"'],
      ['{"a":"\0"}', string, 5, '"\\"\\u0000\\"}"'],
      ['{"a":"\\u12g4"}', string, 5, '"\\"\\\\u12g4\\"}"'],
      ['{"a":[1;2]}', "a comma or ]", 7, '";2]}"'],
      ['{"a":1;"b":2}', "a comma or }", 6, '";\\"b\\":2}"'],
      ['{"a":[1,]}', value, 8, '"]}"'],
      ['{"a":[1', "a comma or ]", 7, "the end"],
      ['{"a":1', "a comma or }", 6, "the end"],
      ['{"a":{"b"}}', colon, 9, '"}}"'],
      ['{"a":01}', "a comma or }", 6, '"1}"'],
      [`{"a":1 ${"y".repeat(30)}`, "a comma or }", 7, JSON.stringify("y".repeat(20))]
    ]
    for (const [text, expected, position, found] of stories) {
      assert.deepStrictEqual(stopOf(text), [expected, String(position), found], text)
    }
    assert.deepInclude(faultsOf("{,}")[0], {
      in: "body",
      parameter: "",
      value: "{,}",
      rule: "JSON: the name of a member, in double quotes at character 1"
    })
    assert.notProperty(faultsOf("{,}")[0], "limit")
  })

  it("may contain blanks between tokens, and any content in strings", () => {
    const known = bodies.authorization.examples.authorization!
    const loose =
      ` {\n"zkEthereumAddress"\t:\r "${known.zkEthereumAddress}" ,  "bjj":"${known.bjj}", "signature" :"${known.signature}" } `
    assert.deepStrictEqual(read(loose), read(JSON.stringify(known)))
    assert.isTrue(Result.isSuccess(read(loose)))
    const nested =
      `{ "a": [ 1 , -0.5e+3 ,"\\u00e9\\n\\"" , { } , [ ] , {"b" : null , "c": [ true, false ]} ] }`
    assert.deepStrictEqual(faultsOf(nested).map(({ parameter }) => parameter), [
      "/a",
      "/zkEthereumAddress",
      "/bjj",
      "/signature"
    ])
  })

  it("is not one nested by a level more than the limit, which has its own message", () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`
    const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
    for (const deep of [nested, objects]) {
      assert.isUndefined(stopOf(deep(32)))
      assert.deepStrictEqual(stopOf(deep(33))?.slice(0, 1), ["at most 32 levels of nesting"])
      const [fault] = faultsOf(deep(33))
      assert.strictEqual(fault!.limit, "jsonDepthMax")
      const shallow = bodyReader(bodies.authorization, context, { jsonDepthMax: 2 })
      assert.isUndefined(stopOf(deep(2), shallow))
      assert.deepStrictEqual(stopOf(deep(3), shallow)?.slice(0, 1), ["at most 2 levels of nesting"])
    }
  })
})

describe("a member of a body", () => {
  const messageOf = (text: string) => faultsOf(text)[0]!.message

  it("is reported with a part of its value, and what was found instead", () => {
    const kinds = {
      "1": "a JSON number",
      "true": "a boolean",
      "null": "null",
      "{}": "an object",
      "[]": "an array"
    }
    for (const [text, kind] of Object.entries(kinds)) {
      assert.strictEqual(
        messageOf(`{"bjj":${text}}`),
        `Property bjj has the invalid value "${text}": expected a JSON string, found ${kind}`
      )
    }
    const [fits, longer] = ["x".repeat(200), "x".repeat(201)]
    assert.include(messageOf(`{"bjj":"${fits}"}`), `the invalid value "${fits}": expected`)
    assert.include(messageOf(`{"bjj":"${longer}"}`), `the invalid value "${fits}…": expected`)
    const transaction = bodyReader(bodies.transaction, context)
    assert.include(
      faultsOf('{"requestFee":"1"}', transaction)[0]!.message,
      "expected a JSON number or null, found a JSON string"
    )
    assert.include(
      faultsOf('{"fee":null}', transaction)[0]!.message,
      "expected a JSON number, found null"
    )
  })

  it("that is unknown is reported with a hint, the nearest name, or all names", () => {
    const long = "y".repeat(150)
    const unsupported = "this revision does not support it"
    const set = "the node sets this property: leave it out"
    const rows: ReadonlyArray<readonly [keyof typeof bodies, name: string, hint: string, string?]> =
      [
        ["authorization", "bj", "did you mean bjj?", "bjj"],
        ["authorization", "timestamp", set],
        ["authorization", long, "the known ones are zkEthereumAddress, bjj, signature"],
        // a hint says more than the nearest name
        ["transaction", "token", set],
        ["transaction", "maxNumBatch", unsupported]
      ]
    for (const [body, name, hint, nearest] of rows) {
      const reader: BodyReader<unknown> = bodyReader<unknown>(bodies[body], context)
      const [{ message, ...fault } = { message: "" }] = faultsOf(`{"${name}":1}`, reader)
      assert.include(message, `Unknown property "${name.slice(0, 100)}": ${hint}`)
      if (nearest === undefined) assert.notProperty(fault, "nearest")
      else assert.propertyVal(fault, "nearest", nearest)
    }
  })

  it("that occurs twice is reported once, with a part of its name", () => {
    assert.deepStrictEqual(
      faultsOf('{"bjj":1,"\\u0062jj":2,"bjj":3}').filter(({ rule }) => rule === "given once").map((
        { message, value }
      ) => [message, value]),
      [['Property "bjj" occurs more than once: send it once', "3"]]
    )
    const long = "y".repeat(150)
    assert.include(
      faultsOf(`{"${long}":1,"${long}":2}`).map(({ message }) => message),
      `Property "${"y".repeat(100)}" occurs more than once: send it once`
    )
  })

  it("is written as it is read", () => {
    const posted = Result.getOrThrow(
      read(JSON.stringify(bodies.authorization.examples.authorization))
    )
    assert.deepStrictEqual(
      JSON.parse(bodyWriter(bodies.authorization, context)(posted)),
      bodies.authorization.examples.authorization
    )
  })
})
