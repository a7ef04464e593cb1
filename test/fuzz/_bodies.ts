import type { Random } from "../memory/_random.ts"
import type { Operation, Parameter } from "./_document.ts"
import type { Values } from "./_values.ts"

/** A body of a post. */
export interface Posted {
  readonly bytes: Buffer
  readonly contentType: string | undefined
  /** Whether the document certainly refuses it. */
  readonly isBroken: boolean
  /** Whether it is a signed body in another notation. */
  readonly isHarmless?: boolean
}

/**
 * Returns hostile bodies of every kind, from signed ones to noise; the same source of numbers gives
 * the same sequence.
 *
 * @param genuine validly signed bodies, as texts, by operation
 */
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
    switch (random.below(20)) {
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
      case 11:
      case 12:
      case 13: {
        const signed = genuine[operation.id] ?? []
        return signed.length === 0
          ? posted(text, false)
          : { ...posted(rewritten(random.of(signed), random), false), isHarmless: true }
      }
      case 14:
      case 15:
      case 16:
      case 17:
        return posted(mutated(text, textOf(operation), random), false)
      default:
        return posted(text, false)
    }
  }
}

type Members = Array<[name: string, value: string]>
/**
 * Splits a flat object into names and values. Signed bodies contain no comma, colon or brace in a
 * string except the colons of identifiers.
 */
const membersOf = (text: string): Members =>
  text.slice(1, -1).split(",").map((member) => [
    member.slice(0, member.indexOf(":")),
    member.slice(member.indexOf(":") + 1)
  ])
const textOfMembers = (members: Members, blank = ""): string =>
  `{${blank}${
    members.map(([name, value]) => `${name}${blank}:${blank}${value}`).join(`${blank},${blank}`)
  }${blank}}`

/** Returns the same object in another notation. */
const rewritten = (text: string, random: Random): string => {
  const escaped = (word: string) =>
    word.replaceAll(
      /\w/gu,
      (c) => random.chance(0.1) ? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}` : c
    )
  const changes: ReadonlyArray<(members: Members) => Members> = [
    (members) =>
      members.map((member) => [random.next(), member] as const).sort(([a], [b]) => a - b)
        .map(([, member]) => member),
    (members) => members.filter(([, value]) => value !== "null"),
    (members) =>
      members.map(([name, value]) => [
        name,
        // any symbol for the exit, an escaped one for an account
        value.replace(/^"zk:([A-Z]+):(\d+)"$/u, (_, symbol: string, index: string) =>
          index === "1"
            ? `"zk:${random.of(["EXIT", "ETH", "ü", "\\u0041", " "])}:1"`
            : `"zk:${escaped(symbol)}:${index}"`)
      ]),
    (members) =>
      members.map(([name, value]) => [
        name,
        /"(?:signature|id)"/u.test(name)
          ? value.replace(/[a-f]/gu, (digit) => digit.toUpperCase())
          : value
      ]),
    (members) => members.map(([name, value]) => [/\\/u.test(name) ? name : escaped(name), value]),
    (members) =>
      members.map(([name, value]) => [
        name,
        name.endsWith('EthereumAddress"')
          ? value.replace(/0x.*$/u, (address) => address.toLowerCase())
          : value
      ])
  ]
  let members = membersOf(text)
  for (let left = random.below(4); left > 0; left--) members = random.of(changes)(members)
  return textOfMembers(members, random.of(["", "", " ", "\n\t", " \r\n "]))
}

/** Changes, exchanges, removes, repeats or adds members. */
const mutated = (text: string, other: string, random: Random): string => {
  const [members, others] = [membersOf(text), membersOf(other)]
  for (let left = random.below(3); left >= 0; left--) {
    const member = members[random.below(members.length)] ?? ['"id"', "1"]
    switch (random.below(6)) {
      case 0:
        member[1] = random.of(anythingText)
        break
      case 1:
        member[1] = others.find(([name]) => name === member[0])?.[1] ?? random.of(anythingText)
        break
      case 2:
        members.splice(random.below(members.length), 1)
        break
      case 3:
        members.push([member[0], random.chance(0.5) ? member[1] : random.of(anythingText)])
        break
      case 4:
        members.push([random.of(others)[0], random.of(anythingText)])
        break
      default:
        member[1] = flipped(member[1], random)
    }
  }
  return textOfMembers(members)
}

/** Replaces one character of a value by another of its kind. */
const flipped = (value: string, random: Random): string => {
  const at = random.below(value.length)
  const character = value[at] ?? ""
  const like = /[0-9]/u.test(character)
    ? "0123456789"
    : /[a-f]/u.test(character)
    ? "0123456789abcdef"
    : character
  return value.slice(0, at) + (like[random.below(like.length)] ?? "") + value.slice(at + 1)
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
  "0",
  "1",
  "255",
  "256",
  "257",
  "1099511627776",
  "1.84467440737096e+19",
  "9007199254740993",
  '"0"',
  '"1"',
  '"01"',
  '"34359738369"',
  '"zk:ETH:0"',
  '"zk:ETH:1"',
  '"zk:ETH:256"',
  '"zk:ETH:258"',
  '"hez:ETH:256"',
  `"zk:0x${"f".repeat(40)}"`,
  `"${"f".repeat(128)}"`,
  `"0x${"f".repeat(128)}1b"`,
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
