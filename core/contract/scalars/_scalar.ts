import { Effect, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { values } from "../../domain/mod.ts"
import { EncodingError, parseDecimal, parseDecimalNumber } from "../../encoding/mod.ts"
import type { WireContext } from "../wire_context.ts"
import { type Scalar, type Spelling, type WireForm } from "./wire_form.ts"

interface Documentation<T> {
  readonly description?: string
  /** A value in memory; each deployment documents it as it spells it. */
  readonly example?: T
  /** The value if a request has none. */
  readonly default?: T
}

interface ScalarOptions<T> extends Documentation<T> {
  readonly json?: WireForm<T>["json"]
  readonly domain: Schema.Codec<T>
  /** The spelling is canonical by default. */
  readonly parse: (
    context: WireContext,
    spelling?: Spelling
  ) => (text: string) => Result.Result<T, EncodingError>
  /** Returns the function that writes a value as text; `String` by default. */
  readonly format?: WireForm<T>["format"]
  /** Whether JSON has to escape characters of its texts. */
  readonly isEscaped?: boolean
  /** Writes the JSON of a value faster than `format` and an escape of each text. */
  readonly write?: WireForm<T>["write"]
  /** Returns the schema of its JSON: the values in memory by default, if they are JSON. */
  readonly encoded?: (context: WireContext) => Schema.Codec<unknown>
}

const asText = () => String as (value: unknown) => string

/** Returns the scalar whose texts `parse` reads and `format` writes. */
export const scalar = <T>({
  default: defaultValue,
  description,
  domain,
  encoded,
  example,
  format = asText,
  isEscaped = false,
  json = "string",
  parse,
  write = (context) => {
    const textOf = format(context)
    if (json !== "string") return textOf
    return isEscaped ? (value) => JSON.stringify(textOf(value)) : (value) => `"${textOf(value)}"`
  }
}: ScalarOptions<T>, more: Pick<WireForm<T>, "item" | "count"> = {}): Scalar<T> => {
  const codec: WireForm<T>["codec"] = (context, instead = description) => {
    const [read, textOf] = [parse(context), format(context)]
    const documented = <S>(schema: Schema.Codec<S>, toJson: (value: T) => unknown) =>
      schema.annotate({
        ...(instead === undefined ? {} : { description: instead }),
        ...(example === undefined ? {} : { examples: [toJson(example) as S] }),
        ...(defaultValue === undefined ? {} : { default: toJson(defaultValue) as S })
      })
    if (encoded === undefined) return documented(domain, (value) => value)
    const toJson = json === "string" ? textOf : jsonNumber
    return documented(encoded(context), toJson).pipe(Schema.decodeTo(
      domain,
      SchemaTransformation.transformEffect({
        decode: (value: unknown) =>
          Result.match(read(String(value)), {
            onFailure: ({ rule }) => Effect.fail(new SchemaIssue.InvalidValue({ message: rule })),
            onSuccess: (value) => Effect.succeed(value)
          }),
        encode: (value: T) => Effect.succeed(toJson(value))
      })
    ))
  }
  const form: WireForm<T> = { json, decode: parse, format, write, codec, ...more }
  return domain.annotate({
    jsonForm: form,
    ...description === undefined ? {} : { description }
  })
}

/** Returns a parser with one rule; `read` returns undefined if a text breaks it. */
export function parser<T>(rule: string, read: (text: string) => T | undefined) {
  return (text: string): Result.Result<T, EncodingError> => {
    const value = read(text)
    return value === undefined
      ? Result.fail(new EncodingError(text, rule))
      : Result.succeed(value)
  }
}

/** Returns the number of a bigint that a double represents exactly, and other values unchanged. */
const jsonNumber = (value: unknown): unknown =>
  typeof value === "bigint" && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value

/** Returns the schema of the texts that a pattern matches. */
export const matching = (pattern: string, annotations: { readonly format?: string } = {}) =>
  Schema.String.annotate(annotations).check(Schema.isPattern(new RegExp(pattern, "u")))

/** Returns the parser of a decimal integer within bounds, by the spelling of the text. */
const decimalParser = <T, Bounds extends object>(
  parse: (
    text: string,
    options: Bounds & { readonly allowsLeadingZeros: boolean }
  ) => Result.Result<T, EncodingError>,
  bounds: Bounds
): ScalarOptions<T>["parse"] =>
(_, spelling) => {
  const options = { ...bounds, allowsLeadingZeros: spelling === "lenient" }
  return (text) => parse(text, options)
}

/** Returns the scalar of an integer within bounds that a double represents exactly. */
export const integer = (
  domain: Schema.Codec<number>,
  documentation: Documentation<number> = {}
): Scalar<number> => {
  const { maximum, minimum } = values.boundsOf(domain)
  return scalar({
    json: "number",
    domain,
    parse: decimalParser(parseDecimalNumber, { minimum, maximum }),
    ...documentation
  })
}

/** Returns the schema of JSON integers within bounds: above 2^53 they are bigint. */
const wideInteger = (minimum: bigint, maximum: bigint): Schema.Codec<unknown> =>
  Schema.Any.check(Schema.makeFilter(
    (value: unknown) =>
      (typeof value === "bigint" || Number.isSafeInteger(value)) &&
      BigInt(value as number | bigint) >= minimum && BigInt(value as number | bigint) <= maximum,
    // a document writes the bigint with all its digits
    { toJsonSchema: () => ({ type: "integer", minimum: Number(minimum), maximum }) }
  ))

/**
 * Returns the scalar of an integer that may exceed 2^53: JSON has all its digits. A reader needs
 * more than a double.
 */
export const bigInteger = (
  domain: Schema.Codec<bigint>,
  documentation: Documentation<bigint> = {}
): Scalar<bigint> => {
  const { maximum, minimum } = values.boundsOf(domain)
  return scalar({
    json: "number",
    domain,
    parse: decimalParser(parseDecimal, { minimum, maximum }),
    encoded: () => wideInteger(minimum, maximum),
    ...documentation
  })
}

/** Returns the scalar of an integer whose JSON is a string of decimal digits. */
export const decimalText = (
  domain: Schema.Codec<bigint>,
  documentation: Documentation<bigint> = {}
): Scalar<bigint> => {
  const { maximum, minimum } = values.boundsOf(domain)
  return scalar({
    domain,
    parse: decimalParser(parseDecimal, { minimum, maximum }),
    encoded: () => matching(`^(0|[1-9][0-9]{0,${String(maximum).length - 1}})$`),
    ...documentation
  })
}

/** Returns the scalar of a non-negative number, which need not be an integer. */
export const quantity = (documentation: Documentation<number> = {}): Scalar<number> =>
  scalar({
    json: "number",
    domain: values.quantity,
    parse: () =>
      parser("a number from 0 on", (text) => {
        const value = /^(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/u.test(text) ? Number(text) : NaN
        return Number.isFinite(value) ? value : undefined
      }),
    ...documentation
  })

/** Returns the scalar of one of several texts. */
export const oneOf = <const T extends string>(
  options: ReadonlyArray<T>,
  documentation: Documentation<T> = {}
): Scalar<T> =>
  scalar({
    domain: values.oneOf(options),
    parse: () =>
      parser(`one of ${options.join(", ")}`, (text) => options.find((value) => value === text)),
    encoded: () =>
      Schema.Any.check(Schema.makeFilter(
        (text) => options.includes(text),
        { toJsonSchema: () => ({ type: "string", enum: options }) }
      )),
    ...documentation
  })

interface BooleanTexts {
  readonly values: ReadonlyMap<string, boolean>
  /** Describes the texts, for error messages. */
  readonly rule: string
}

const lenient = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const)
])

/** The texts of a boolean by spelling. The lenient ones are those of `strconv.ParseBool` of Go. */
export const booleanTexts: { readonly [S in Spelling]: BooleanTexts } = {
  canonical: { values: new Map([["true", true], ["false", false]]), rule: "true or false" },
  lenient: { values: lenient, rule: `one of ${[...lenient.keys()].join(", ")}` }
}

/** Returns the scalar of hexadecimal digits of either case: the same bytes are the same value. */
export const hexadecimal = (
  domain: Schema.Codec<string>,
  documentation: Documentation<string> = {}
): Scalar<string> => {
  const { digits, prefix } = values.digitsOf(domain)
  const pattern = `^${prefix}[a-fA-F0-9]{${digits}}$`
  const expression = new RegExp(pattern, "u")
  const rule = `${prefix === "" ? "" : `${prefix} and `}${digits} hexadecimal digits`
  return scalar({
    domain,
    parse: () => parser(rule, (text) => expression.test(text) ? text.toLowerCase() : undefined),
    encoded: () => matching(pattern),
    ...documentation
  })
}

const dayMs = 86_400_000
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"))

/**
 * Returns a function that writes RFC 3339 in UTC with milliseconds, like `Date.toISOString`. It
 * caches the date of the last day.
 */
export const dateTimeFormat = (): (timeMs: number) => string => {
  let lastDay = NaN
  let date = ""
  return (timeMs) => {
    const day = Math.floor(timeMs / dayMs)
    if (day !== lastDay) {
      date = new Date(timeMs).toISOString().slice(0, -13)
      lastDay = day
    }
    const inDay = timeMs - day * dayMs
    const seconds = Math.floor(inDay / 1000)
    const ms = inDay - seconds * 1000
    return `${date}${twoDigits[Math.floor(seconds / 3600)]}:${
      twoDigits[Math.floor(seconds / 60) % 60]
    }:${twoDigits[seconds % 60]}.${ms === 0 ? "000" : String(ms).padStart(3, "0")}Z`
  }
}

/** Returns the function that writes the JSON of a time. It caches the last one: pages repeat times. */
export const dateTimeWriter = (): (timeMs: number) => string => {
  const format = dateTimeFormat()
  let last = NaN
  let json = ""
  return (timeMs) => {
    if (timeMs !== last) json = JSON.stringify(format(last = timeMs))
    return json
  }
}

/** Reads RFC 3339 in UTC as milliseconds since 1970; digits after the third are dropped. */
export const parseDateTime = parser(
  "a time from 1970 on in RFC 3339 and UTC, such as 2021-03-05T14:41:59Z",
  (text) => {
    const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/u.test(text) ? Date.parse(text) : NaN
    // Date.parse takes 30 February for 2 March
    return ms >= 0 && new Date(ms).toISOString().slice(0, 19) === text.slice(0, 19)
      ? ms
      : undefined
  }
)
