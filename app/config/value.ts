import { type Redacted, Result, Schema } from "effect"
import * as IpInterface from "effect/net/IpInterface"

/** The type of a setting: its schema, and its texts in error messages, help and documentation. */
export interface Value<A> {
  /** Placeholder of the value in the help; empty for a switch. */
  readonly placeholder: string
  /** Completes "expected …". */
  readonly rule: string
  /** Decodes a value of the file: a string, a number or a boolean. */
  readonly schema: Schema.Codec<A, unknown>
  /**
   * Parses the text of a flag or variable. Returns invalid text unchanged, for the schema to
   * refuse.
   */
  readonly fromText: (text: string) => unknown
  /** Shell completion: names of files or directories, or these words. */
  readonly completions?: "file" | "directory" | ReadonlyArray<string>
}

export interface Bounds {
  readonly minimum: number
  /** `Number.MAX_SAFE_INTEGER` by default. */
  readonly maximum?: number
}

const rangeText = (minimum: number, maximum: number): string =>
  maximum === Number.MAX_SAFE_INTEGER ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`

/** A whole number; `_` may separate thousands, as in TOML. */
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

/** A text that matches a pattern. */
export const text = ({ pattern, ...options }: TextOptions): Value<string> => ({
  ...options,
  schema: Schema.String.check(Schema.isPattern(pattern)),
  fromText: (text) => text
})

/** A path that is not empty. */
export const filePath = text({
  placeholder: "path",
  rule: "a path that is not empty",
  pattern: /\S/u,
  completions: "file"
})

/** Any text that is not empty. */
export const nonEmptyText = text({
  placeholder: "text",
  rule: "a text that is not empty",
  pattern: /\S/u
})

/** An address or a host name. */
export const hostAddress = text({
  placeholder: "address",
  rule: "an address or a name, such as 127.0.0.1",
  pattern: /^\S+$/u
})

/** An address on Ethereum. */
export const ethereumAddress = text({
  placeholder: "address",
  rule: "0x and 40 hexadecimal digits",
  pattern: /^0x[0-9a-fA-F]{40}$/u
})

/** An http or https URL that matches a pattern. */
export const webUrl = (
  { pattern, rule }: Pick<TextOptions, "pattern" | "rule">
): Value<string> => ({
  placeholder: "url",
  rule,
  schema: Schema.String.check(
    Schema.makeFilter((text) => pattern.test(text) && /^https?:/u.test(text) && URL.canParse(text))
  ),
  fromText: (text) => text
})

/** Addresses and networks, as one text separated by commas. */
export const networks: Value<string> = {
  placeholder: "networks",
  rule: "addresses or networks separated by commas, such as 10.0.0.0/8,::1",
  schema: Schema.String.check(Schema.makeFilter((text) => text.split(",").every(isNetwork))),
  fromText: (text) => text
}

const isNetwork = (text: string): boolean => Result.isSuccess(IpInterface.fromString(text.trim()))

/** A text that is never printed. */
export const secret = ({ pattern, placeholder, rule }: TextOptions): Value<Redacted.Redacted> => ({
  placeholder,
  rule,
  schema: Schema.RedactedFromValue(Schema.String.check(Schema.isPattern(pattern))),
  fromText: (text) => text
})

/** A port, or `off`. */
export const portOrOff: Value<number | "off"> = {
  ...integerOr("off", { minimum: 0, maximum: 65535 }),
  placeholder: "port",
  rule: "a port from 0 to 65535, or off",
  fromText: (text) => /^\d+$/u.test(text) ? Number(text) : text
}

/** One of these words. */
export const choice = <const A extends string>(words: ReadonlyArray<A>): Value<A> => ({
  placeholder: words.join("|"),
  rule: `one of ${words.join(", ")}`,
  schema: Schema.Literals(words),
  fromText: (text) => text,
  completions: words
})
