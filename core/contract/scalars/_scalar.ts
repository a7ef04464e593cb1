import { Effect, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { values } from "../../domain/mod.ts"
import { EncodingError, parseDecimal, parseDecimalNumber } from "../../encoding/mod.ts"
import type { WireContext } from "../wire_context.ts"
import type { JsonSchema, WireType } from "../wire_type.ts"

/**
 * A single value of the contract: its values in memory, its text in paths, queries and bodies, and
 * its JSON in answers. Everything that reads, writes or documents the value derives from it.
 */
export interface Scalar<T> extends WireType<T> {
  /** The values in memory; the annotation `expected` states their rule. */
  readonly domain: Schema.Codec<T>
  /**
   * Returns the schema that decodes a text of this deployment to a value in memory, and encodes it
   * back. The message of a refused text states the rule alone: "a decimal integer from 0 to 256".
   * The annotations have the description and an example.
   */
  readonly text: (context: WireContext) => Schema.Codec<T, string>
  /**
   * Returns the decoder that `text` consists of, without the cost of the schema: it returns the same
   * value, or the rule that the text breaks.
   */
  readonly decode: (
    context: WireContext,
    spelling?: Spelling
  ) => (text: string) => Result.Result<T, Pick<EncodingError, "rule">>
  /** JSON type of the value in bodies and answers. */
  readonly json: "string" | "number" | "boolean"
  /** The scalar of the items, if the value is a list. */
  readonly item?: Scalar<unknown>
  /** Returns the number of items in a text, if the value is a list. */
  readonly count?: (text: string) => number
}

/**
 * The texts that a decoder accepts. A canonical number has no leading zeros, and a canonical boolean
 * is `true` or `false`. A lenient number may have leading zeros, and a lenient boolean is one of
 * those of `strconv.ParseBool` of Go. In both a number has no sign.
 */
export type Spelling = "canonical" | "lenient"

/** The value in memory of a scalar. */
export type ValueOf<S> = S extends Scalar<infer T> ? T : never

interface Documentation<T> {
  readonly description?: string
  /** A value in memory; each deployment documents it as it spells it. */
  readonly example?: T
}

interface ScalarOptions<T> extends Documentation<T> {
  readonly json?: Scalar<T>["json"]
  readonly domain: Schema.Codec<T>
  /** The spelling is canonical by default. */
  readonly parse: (
    context: WireContext,
    spelling?: Spelling
  ) => (text: string) => Result.Result<T, EncodingError>
  /** Returns the function that writes a value as text; `String` by default. */
  readonly format?: (context: WireContext) => (value: T) => string
  /** Whether JSON has to escape characters of its texts. */
  readonly isEscaped?: boolean
  /** Writes the JSON of a value faster than `format` and an escape of each text. */
  readonly write?: (context: WireContext) => (value: T) => string
  /** The bounds of its JSON, as JSON Schema states them. */
  readonly bounds?: (context: WireContext) => JsonSchema
}

const asText = () => String as (value: unknown) => string

/** Returns the scalar whose texts `parse` reads and `format` writes. */
export const scalar = <T>({
  bounds = () => ({}),
  description,
  domain,
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
}: ScalarOptions<T>): Scalar<T> => {
  const annotated = domain.annotate({
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] })
  })
  const text = (context: WireContext): Schema.Codec<T, string> => {
    const [read, write] = [parse(context), format(context)]
    return Schema.String.pipe(Schema.decodeTo(
      annotated,
      SchemaTransformation.transformEffect({
        decode: (text: string) =>
          Result.match(read(text), {
            onFailure: ({ rule }) => Effect.fail(new SchemaIssue.InvalidValue({ message: rule })),
            onSuccess: (value) => Effect.succeed(value)
          }),
        encode: (value: T) => Effect.succeed(write(value))
      })
    ))
  }
  return {
    domain: annotated,
    text,
    decode: parse,
    json,
    write,
    schema: json === "string" ? text : () => jsonNumbers(annotated),
    valueIn: () => (value) => value,
    jsonSchema: (context) => ({
      ...bounds(context),
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { examples: [exampleIn(context)(example)] })
    }),
    shapes: []
  }

  function exampleIn(context: WireContext) {
    return json === "string" ? format(context) : (value: T) => jsonNumber(value)
  }
}

/** Returns the number of a bigint that a double represents exactly, and other values unchanged. */
const jsonNumber = (value: unknown): unknown =>
  typeof value === "bigint" && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value

/** Returns the schema of a value as JSON: integers above 2^53 are bigint, all others numbers. */
const jsonNumbers = <T>(domain: Schema.Codec<T>): Schema.Codec<T, unknown> =>
  domain.ast._tag !== "BigInt" ? domain : (Schema.Union([Schema.Int, Schema.BigInt]).pipe(
    Schema.decodeTo(
      domain as unknown as Schema.Codec<bigint>,
      SchemaTransformation.transform({
        decode: BigInt,
        encode: (value) => jsonNumber(value) as number | bigint
      })
    )
  ) as unknown as Schema.Codec<T, unknown>)

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
    bounds: () => ({ type: "integer", minimum, maximum }),
    ...documentation
  })
}

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
    // a bigint in the schema is written with all its digits
    bounds: () => ({ type: "integer", minimum: Number(minimum), maximum }),
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
    bounds: () => ({
      type: "string",
      pattern: `^(0|[1-9][0-9]{0,${String(maximum).length - 1}})$`
    }),
    ...documentation
  })
}

/** Returns the scalar of a non-negative number, which need not be an integer. */
export const quantity = (documentation: Documentation<number> = {}): Scalar<number> =>
  scalar({
    json: "number",
    domain: values.quantity,
    parse: () => parseNumber,
    bounds: () => ({ type: "number", minimum: 0 }),
    ...documentation
  })

const parseNumber = (text: string): Result.Result<number, EncodingError> => {
  const value = /^(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/u.test(text) ? Number(text) : NaN
  return Number.isFinite(value)
    ? Result.succeed(value)
    : Result.fail(new EncodingError(text, "a number from 0 on"))
}

/** Returns the scalar of one of several texts. */
export const oneOf = <const T extends string>(
  options: ReadonlyArray<T>,
  documentation: Documentation<T> = {}
): Scalar<T> =>
  scalar({
    domain: values.oneOf(options),
    parse: () => (text) => {
      const option = options.find((value) => value === text)
      return option === undefined
        ? Result.fail(new EncodingError(text, `one of ${options.join(", ")}`))
        : Result.succeed(option)
    },
    bounds: () => ({ type: "string", enum: options }),
    ...documentation
  })

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
    parse: () => (text) =>
      expression.test(text)
        ? Result.succeed(text.toLowerCase())
        : Result.fail(new EncodingError(text, rule)),
    bounds: () => ({ type: "string", pattern }),
    ...documentation
  })
}

/**
 * Returns the scalar of a list: the items between commas, without duplicates.
 *
 * @param rule describes the texts, for error messages
 */
export const listOf = <T>(
  item: Scalar<T>,
  rule: string,
  example: ReadonlyArray<T>
): Scalar<ReadonlyArray<T>> => ({
  ...scalar({
    domain: values.listOf(item.domain),
    parse: (context, spelling) => {
      const decode = item.decode(context, spelling)
      return (text) => {
        const items = new Set<T>()
        for (const part of text.split(",")) {
          if (part === "") {
            return Result.fail(new EncodingError(text, `${rule}, none of them empty`))
          }
          const value = decode(part)
          if (Result.isFailure(value)) {
            const found = JSON.stringify(part)
            return Result.fail(
              new EncodingError(text, `${rule}, each ${value.failure.rule}; found ${found}`)
            )
          }
          items.add(value.success)
        }
        return Result.succeed([...items])
      }
    },
    format: (context) => {
      const encode = Schema.encodeSync(item.text(context))
      return (items) => items.map((value) => encode(value)).join(",")
    },
    isEscaped: true,
    bounds: () => ({ type: "string" }),
    example
  }),
  item: item as Scalar<unknown>,
  count: (text) => {
    let count = 1
    for (let at = text.indexOf(","); at >= 0; at = text.indexOf(",", at + 1)) count++
    return count
  }
})
