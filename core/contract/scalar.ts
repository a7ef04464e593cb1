import { Result } from "effect"
import { type Network, transactionTypes } from "../domain/mod.ts"
import {
  ACCOUNT_INDEX_MAX,
  EncodingError,
  parseAccountIndex,
  parseDecimalNumber,
  parseEthereumAddress,
  parsePrefixedAddress,
  parsePublicKey,
  parseTransactionId
} from "../encoding/mod.ts"
import type { ScalarName, ScalarValues } from "./list.ts"
import type { JsonSchema } from "./wire_type.ts"

/** The text form of a value in a path or query. */
export interface Scalar<T> {
  readonly parse: (text: string, network: Network) => Result.Result<T, EncodingError>
  readonly jsonSchema: (network: Network) => JsonSchema
  /** Number of items, if the value is a list. */
  readonly count?: (text: string) => number
}

const uint32Max = 4294967295
/** Returns the scalar of an integer within bounds that a double represents exactly. */
export const integer = (minimum: number, maximum: number, example: number): Scalar<number> => ({
  parse: (text) => parseDecimalNumber(text, { minimum, maximum }),
  jsonSchema: () => ({ type: "integer", minimum, maximum, examples: [example] })
})

/** Returns the scalar of an enumeration. */
export const oneOf = <const T extends string>(values: ReadonlyArray<T>): Scalar<T> => ({
  parse: (text) => {
    const found = values.find((value) => value === text)
    return found === undefined
      ? Result.fail(new EncodingError(text, `one of ${values.join(", ")}`))
      : Result.succeed(found)
  },
  jsonSchema: () => ({ type: "string", enum: values })
})

/**
 * Returns the scalar of a list: the items between separators, without duplicates. Revisions may
 * allow another separator.
 */
const listOf = <T>(item: Scalar<T>, doc: string, example: string): Scalar<ReadonlyArray<T>> => ({
  parse: (text, network) => {
    const values = new Set<T>()
    for (const part of text.split(",")) {
      if (part === "") return Result.fail(new EncodingError(text, `${doc}, none of them empty`))
      const value = item.parse(part, network)
      if (Result.isFailure(value)) {
        return Result.fail(
          new EncodingError(
            text,
            `${doc}, each ${value.failure.rule}; found ${JSON.stringify(part)}`
          )
        )
      }
      values.add(value.success)
    }
    return Result.succeed([...values])
  },
  jsonSchema: () => ({ type: "string", examples: [example] }),
  count: (text) => {
    let count = 1
    for (let at = text.indexOf(","); at >= 0; at = text.indexOf(",", at + 1)) count++
    return count
  }
})

const text: Scalar<string> = {
  parse: Result.succeed,
  jsonSchema: () => ({ type: "string", minLength: 1 })
}

const pattern = (expression: string, example: string) => ({
  type: "string",
  pattern: expression,
  examples: [example]
})
const sampleAddress = "0xaa942cfcd25ad4d90a62358b0dd84f33b398262a"

/** The scalars of filters and path parameters. */
export const scalars: { readonly [S in ScalarName]: Scalar<ScalarValues[S]> } = {
  tokenId: integer(0, uint32Max, 0),
  tokenIds: listOf(integer(0, uint32Max, 0), "token identifiers separated by commas", "0,3,87"),
  tokenSymbols: listOf(text, "token symbols separated by commas", "ETH,DAI"),
  text,
  batchNum: integer(0, uint32Max, 5432),
  slotNum: integer(0, uint32Max, 784),
  accountIndex: {
    parse: (value, { prefix }) => parseAccountIndex(prefix, value),
    jsonSchema: ({ prefix }) => ({
      ...pattern(`^${prefix}:[^:]+:(0|[1-9][0-9]{0,14})$`, `${prefix}:DAI:4444`),
      description: `The number at the end is at most ${ACCOUNT_INDEX_MAX}`
    })
  },
  ethereumAddress: {
    parse: parseEthereumAddress,
    jsonSchema: () => pattern("^0x[a-fA-F0-9]{40}$", sampleAddress)
  },
  prefixedAddress: {
    parse: (value, { prefix }) => parsePrefixedAddress(prefix, value),
    jsonSchema: ({ prefix }) =>
      pattern(`^${prefix}:0x[a-fA-F0-9]{40}$`, `${prefix}:${sampleAddress}`)
  },
  publicKey: {
    parse: (value, { prefix }) => parsePublicKey(prefix, value),
    jsonSchema: ({ prefix }) =>
      pattern(
        `^${prefix}:[A-Za-z0-9_-]{44}$`,
        `${prefix}:rR7LXKal-av7I56Y0dEBCVmwc9zpoLY5ERhy5w7G-xwe`
      )
  },
  transactionId: {
    parse: parseTransactionId,
    jsonSchema: () =>
      pattern(
        "^0x0[0-2][a-fA-F0-9]{64}$",
        "0x022669acda59b827d20ef5354a3eebd1dffb3972b0a6bf89d18bfd2efa0ab9f41e"
      )
  },
  transactionType: oneOf(transactionTypes),
  boolean: {
    parse: (value) =>
      value === "true"
        ? Result.succeed(true)
        : value === "false"
        ? Result.succeed(false)
        : Result.fail(new EncodingError(value, "true or false")),
    jsonSchema: () => ({ type: "boolean" })
  }
}
