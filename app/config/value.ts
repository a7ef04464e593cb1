import { type Redacted, Result, Schema } from "effect"
import * as IpInterface from "effect/net/IpInterface"

/** What a setting may be: from this its schema, its text in a refusal, in the help and in the documentation come. */
export interface Value<A> {
  /** Stands for the value in the help; empty for what is on or off. */
  readonly placeholder: string
  /** Completes "expected …". */
  readonly rule: string
  /** From what a file can hold, a text, a number or true and false. */
  readonly schema: Schema.Codec<A, unknown>
  /** What a flag or a variable means by its text; the text itself where it means nothing, for the schema to refuse. */
  readonly fromText: (text: string) => unknown
  /** What a shell offers to complete it: names of files or directories, or these words. */
  readonly completions?: "file" | "directory" | ReadonlyArray<string>
}

export interface Bounds {
  readonly minimum: number
  /** No bound but that of exact integers where absent. */
  readonly maximum?: number
}

/** A whole number; thousands may be set off by `_`, as in TOML. */
export const integer = ({ maximum = Number.MAX_SAFE_INTEGER, minimum }: Bounds): Value<number> => ({
  placeholder: "n",
  rule: `a whole number${rangeText(minimum, maximum)}`,
  schema: Schema.Int.check(Schema.isBetween({ minimum, maximum })),
  fromText: (text) => /^[+-]?\d+(?:_\d+)*$/u.test(text) ? Number(text.replaceAll("_", "")) : text
})

/** A whole number, or a word that stands for one. */
export const integerOr = <Word extends string>(
  word: Word,
  bounds: Bounds
): Value<number | Word> => {
  const { fromText, rule, schema } = integer(bounds)
  return {
    placeholder: "n",
    rule: `${rule}, or ${word}`,
    schema: Schema.Union([schema, Schema.Literal(word)]),
    fromText
  }
}

/** A number that may have decimals. */
export const number = ({ maximum = Number.MAX_SAFE_INTEGER, minimum }: Bounds): Value<number> => ({
  placeholder: "number",
  rule: `a number${rangeText(minimum, maximum)}`,
  schema: Schema.Finite.check(Schema.isBetween({ minimum, maximum })),
  fromText: (text) =>
    /^[+-]?\d+(?:_\d+)*(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(text)
      ? Number(text.replaceAll("_", ""))
      : text
})

/** On or off. */
export const yesNo: Value<boolean> = {
  placeholder: "",
  rule: "true or false",
  schema: Schema.Boolean,
  fromText: (text) => text === "true" ? true : text === "false" ? false : text
}

export interface TextOptions {
  readonly placeholder: string
  readonly rule: string
  readonly pattern: RegExp
  readonly completions?: "file" | "directory"
}

export const text = ({ pattern, ...options }: TextOptions): Value<string> => ({
  ...options,
  schema: Schema.String.check(Schema.isPattern(pattern)),
  fromText: (text) => text
})

/** Addresses and networks, separated by commas and kept as one text. */
export const networks: Value<string> = {
  placeholder: "networks",
  rule: "addresses or networks separated by commas, such as 10.0.0.0/8,::1",
  schema: Schema.String.check(Schema.makeFilter((text) => text.split(",").every(isNetwork))),
  fromText: (text) => text
}

const isNetwork = (text: string): boolean => Result.isSuccess(IpInterface.fromString(text.trim()))

/** A text that no output may show. */
export const secret = ({ pattern, placeholder, rule }: TextOptions): Value<Redacted.Redacted> => ({
  placeholder,
  rule,
  schema: Schema.RedactedFromValue(Schema.String.check(Schema.isPattern(pattern))),
  fromText: (text) => text
})

/** A port, or none. */
export const portOrOff: Value<number | "off"> = {
  placeholder: "port",
  rule: "a port from 0 to 65535, or off",
  schema: Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 })),
    Schema.Literal("off")
  ]),
  fromText: (text) => /^\d+$/u.test(text) ? Number(text) : text
}

/** One of some words. */
export const choice = <const A extends string>(words: ReadonlyArray<A>): Value<A> => ({
  placeholder: words.join("|"),
  rule: `one of ${words.join(", ")}`,
  schema: Schema.Literals(words),
  fromText: (text) => text,
  completions: words
})

const rangeText = (minimum: number, maximum: number): string =>
  maximum === Number.MAX_SAFE_INTEGER ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`
