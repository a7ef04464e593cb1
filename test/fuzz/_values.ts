import type { Random } from "../memory/_random.ts"
import type { JsonSchema, Parameter } from "./_document.ts"

/*
 * Returns texts for parameters: allowed values, values at their bounds, values of other parameters,
 * and invalid ones.
 */

export interface Values {
  /** Returns an allowed value, from the ledger if it has one. */
  readonly allowed: (parameter: Parameter) => string
  /**
   * Whether an allowed value follows all rules, also those described in words: it is part of the
   * document, or of an answer.
   */
  readonly isKnown: (parameter: Parameter, text: string) => boolean
  /** Returns a value of any other kind; the schema may still allow it. */
  readonly other: (parameter: Parameter) => string
}

/** @param ledger texts and numbers from answers of the server */
export const makeValues = (random: Random, ledger: ReadonlyArray<string>): Values => {
  const cache = new Map<string, ReadonlyArray<string>>()
  const heldFor = ({ allows, schema }: Parameter): ReadonlyArray<string> => {
    const key = JSON.stringify(schema)
    const known = cache.get(key) ??
      ledger.filter((text) =>
        allows(text) && (schema.maximum === undefined || Number(text) < 5000 || random.chance(0.1))
      )
    cache.set(key, known)
    return known
  }
  const made = (schema: JsonSchema): string => {
    const {
      default: usual,
      enum: words,
      examples = [],
      items,
      maximum,
      minimum = 0,
      pattern,
      type
    } = schema
    if (items !== undefined) {
      return random.chance(0.3) && examples.length > 0
        ? String(random.of(examples))
        : Array.from({ length: 1 + random.below(3) }, () => made(items)).join(",")
    }
    if (words !== undefined) return random.of(words)
    if (type === "boolean") return random.of(["true", "false"])
    if (type === "integer") {
      return String(
        random.of([
          minimum,
          minimum + 1,
          maximum ?? minimum + 9,
          (maximum ?? minimum + 9) - 1,
          minimum + random.below(60),
          ...usual === undefined ? [] : [usual],
          ...examples
        ])
      )
    }
    if (pattern !== undefined) {
      return random.chance(0.3) && examples.length > 0
        ? String(random.of(examples))
        : textLike(pattern, random)
    }
    return random.chance(0.5) && examples.length > 0
      ? String(random.of(examples))
      : random.of(["0", "1", "ETH", "a", "ü", "0,1", "Token"])
  }
  const allowed = (parameter: Parameter): string => {
    const known = heldFor(parameter)
    const { maximum } = parameter.schema
    // the largest pages take most of the time of a run
    if (parameter.name === "limit" && maximum !== undefined && random.chance(0.97)) {
      return String(1 + random.below(12))
    }
    for (;;) {
      const text = known.length > 0 && random.chance(0.7)
        ? random.of(known)
        : made(parameter.schema)
      if (parameter.allows(text)) return text
    }
  }
  const isKnown = (parameter: Parameter, text: string): boolean =>
    parameter.schema.pattern === undefined || parameter.schema.examples?.includes(text) === true ||
    heldFor(parameter).includes(text)
  const other = (parameter: Parameter): string => {
    const { maximum, minimum } = parameter.schema
    switch (random.below(5)) {
      case 0:
        return ledger.length > 0 ? random.of(ledger) : ""
      case 1:
        return String(
          random.of([
            (maximum ?? 0) + 1,
            (minimum ?? 0) - 1,
            2 ** 32,
            2 ** 48,
            "18446744073709551616",
            "9".repeat(400)
          ])
        )
      case 2:
        return damaged(allowed(parameter), random)
      default:
        return random.of(odd)
    }
  }
  return { allowed, isKnown, other }
}

const odd = [
  "",
  " ",
  "0x10",
  "1e3",
  "1.0",
  "+1",
  "-0",
  "-1",
  "01",
  "1 ",
  " 1",
  "１２",
  "NaN",
  "Infinity",
  "null",
  "undefined",
  "true",
  "TRUE",
  "[]",
  "{}",
  '"1"',
  "a,b",
  ",",
  "1,",
  ",1",
  "1,,2",
  "1;2",
  "__proto__",
  "constructor",
  "toString",
  "\u0000",
  "1\u0000",
  "\ud83d\udca9",
  "\ufeff1",
  "e\u0301",
  "\r\nX: y",
  "../..",
  "%",
  "%31",
  "asc",
  "DESC ",
  "zk:",
  "zk::1",
  "zk:ETH:",
  "zk:ETH:01",
  "zk:A:B:1",
  "hez:ETH:256",
  "zk:ETH:281474976710656",
  "zk:0x0",
  "0x",
  `0x${"g".repeat(40)}`,
  `0x${"0".repeat(64)}`,
  "' OR 1=1 --",
  "<script>",
  "x".repeat(3000),
  "1,".repeat(2050)
]

const damaged = (text: string, random: Random): string => {
  const at = random.below(text.length + 1)
  switch (random.below(4)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + random.of(["0", "x", ":", " ", "é", "\u0000"]) + text.slice(at)
    case 2:
      return text.slice(0, at) + text.slice(at + 1)
    default:
      return text + text
  }
}

/**
 * Returns a text that matches a regular expression, with the syntax that our documents use:
 * classes, groups, alternatives and counts.
 */
const textLike = (pattern: string, random: Random): string => {
  let at = 0
  const source = pattern.replace(/^\^|\$$/gu, "")
  const alternatives = (): string => {
    const options = [sequence()]
    while (source[at] === "|") {
      at++
      options.push(sequence())
    }
    return random.of(options)
  }
  const sequence = (): string => {
    let text = ""
    while (at < source.length && source[at] !== ")" && source[at] !== "|") {
      const start = at
      let piece = atom()
      const count = /^\{(\d+)(?:,(\d+))?\}|^[+*?]/u.exec(source.slice(at))
      if (count !== null) {
        const after = at + count[0].length
        const [least, most] = count[1] === undefined
          ? [count[0] === "+" ? 1 : 0, count[0] === "?" ? 1 : 6]
          : [Number(count[1]), Number(count[2] ?? count[1])]
        piece = ""
        for (let times = least + random.below(most - least + 1); times > 0; times--) {
          at = start
          piece += atom()
        }
        at = after
      }
      text += piece
    }
    return text
  }
  const atom = (): string => {
    const rest = source.slice(at)
    const group = /^\((?:\?:)?/u.exec(rest)
    if (group !== null) {
      at += group[0].length
      const text = alternatives()
      at++
      return text
    }
    const [token] = /^(?:\[(?:\\.|[^\]])+\]|\\.|.)/u.exec(rest)!
    at += token.length
    const matches = matching.get(token) ??
      candidates.filter((character) => new RegExp(`^${token}$`, "u").test(character))
    matching.set(token, matches)
    return random.of(matches)
  }
  return alternatives()
}

const matching = new Map<string, ReadonlyArray<string>>()
const candidates = [...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)), "é", "漢"]
