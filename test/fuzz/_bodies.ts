import type { Random } from "../memory/_random.ts"
import type { Operation, Parameter } from "./_document.ts"
import type { Values } from "./_values.ts"

/** A body of a post, and whether the document certainly refuses it. */
export interface Posted {
  readonly bytes: Buffer
  readonly contentType: string | undefined
  readonly isBroken: boolean
}

/** @param genuine validly signed bodies, as texts, by operation */
export const makeBodies = (
  random: Random,
  values: Values,
  genuine: { readonly [operation: string]: ReadonlyArray<string> }
) => {
  const json = "application/json"
  /** Returns an object by its schema, mostly with valid members. */
  const made = ({ body }: Operation): object => {
    const draft: { [name: string]: unknown } = {}
    const { examples, properties } = body!
    const example = random.of(examples) as { readonly [name: string]: unknown }
    for (const [name, schema] of Object.entries(properties)) {
      if (random.chance(0.05)) continue
      const parameter: Parameter = { name, in: "query", schema, allows: () => true }
      const types = [schema.type].flat()
      if (random.chance(0.5) && name in example) draft[name] = example[name]
      else if (types.includes("null") && random.chance(0.3)) draft[name] = null
      else if (random.chance(0.2)) draft[name] = random.of(anything)
      else {draft[name] = types.includes("integer") && random.chance(0.9)
          ? random.of([schema.minimum ?? 0, schema.maximum ?? 9, 1])
          : values.allowed({ ...parameter, schema: { ...schema, type: "string" } })}
    }
    if (random.chance(0.05)) {
      draft[random.of(["x", "__proto__", "", "constructor"])] = random.of(anything)
    }
    return draft
  }
  const textOf = (operation: Operation): string => {
    const signed = genuine[operation.id] ?? []
    return signed.length > 0 && random.chance(0.6)
      ? random.of(signed)
      : JSON.stringify(made(operation))
  }
  return (operation: Operation): Posted => {
    const text = textOf(operation)
    const bytes = Buffer.from(text)
    const posted = (
      bodyText: string | Buffer,
      isBroken: boolean,
      contentType: string | undefined = json
    ): Posted => ({ bytes: Buffer.from(bodyText as string), contentType, isBroken })
    switch (random.below(14)) {
      case 0:
        return posted(bytes.subarray(0, random.below(bytes.length)), true)
      case 1:
        return posted(
          random.of([
            "",
            " ",
            "null",
            "[]",
            '"x"',
            "1",
            "true",
            "{",
            "}",
            "[".repeat(3000),
            `{"x":${"[".repeat(40)}${"]".repeat(40)}}`,
            "\ufeff{}",
            "{}{}",
            "NaN",
            "{'a':1}"
          ]),
          true
        )
      case 2:
        return posted(
          text,
          true,
          random.of([
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/json; charset=latin1",
            "application/jsonp",
            "multipart/form-data; boundary=b",
            "*/*",
            "",
            "x".repeat(300)
          ])
        )
      case 3:
        return { bytes, contentType: undefined, isBroken: true }
      case 4:
        return posted(Buffer.from(text, "utf16le"), true)
      case 5:
        return posted(
          Buffer.concat([
            bytes.subarray(0, 5),
            Buffer.from([random.of([0, 0x80, 0xff, 0xc0])]),
            bytes.subarray(5)
          ]),
          true
        )
      case 6:
        return posted(text.padEnd(65_537 + random.below(200)), true)
      case 7:
        return posted(
          text.padEnd(random.of([1000, 65_536])),
          false,
          random.of([json, "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'])
        )
      case 8:
        return posted(`${text.slice(0, -1)},${text.slice(1)}`, true)
      case 9:
        return posted(text.replace(/"[^"]*"(?=[,}])/u, () => random.of(anythingText)), false)
      case 10:
        return posted(
          Buffer.from(Array.from({ length: random.below(80) }, () => random.below(256))),
          true
        )
      default:
        return posted(text, false)
    }
  }
}

const anything: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  2 ** 53,
  "",
  "0",
  "-1",
  "x",
  "\u0000",
  "\ud800",
  [],
  {},
  [null],
  { a: { a: [1] } },
  "9".repeat(200)
]
const anythingText = [
  "null",
  "1e999",
  "-0",
  "18446744073709551616",
  '"\\ud800"',
  '"\u0000"',
  "{}",
  "[]",
  '"zk:ETH:999999"',
  `"zk:0x${"0".repeat(40)}"`,
  '"Transfer"',
  `"${"9".repeat(100)}"`
]
