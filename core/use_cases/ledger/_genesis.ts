import { Result, Schema } from "effect"
import { GenesisFeed } from "../../domain/mod.ts"
import { type BlockViolation, boundaryDecoder, makeViolation } from "../violation/mod.ts"

const encode = Schema.encodeSync(Schema.toCodecJson(GenesisFeed))
const read = boundaryDecoder(GenesisFeed)

/**
 * Returns a copy of the genesis record, or a violation if it does not have the shape that the feed
 * defines.
 */
export const readGenesis = (input: GenesisFeed): Result.Result<GenesisFeed, BlockViolation> =>
  read(input, "/genesis")

/** Checks that the genesis record of a feed equals the one that the ledger was opened with. */
export const checkGenesis = (
  opened: GenesisFeed,
  input: GenesisFeed
): BlockViolation | undefined => {
  const genesis = readGenesis(input)
  return Result.isFailure(genesis)
    ? genesis.failure
    : difference(encode(opened), encode(genesis.success), "/genesis")
}

function difference(
  expected: Schema.Json | undefined,
  actual: Schema.Json | undefined,
  pointer: string
): BlockViolation | undefined {
  if (isTree(expected) && isTree(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const inner = difference(expected[key], actual[key], `${pointer}/${key}`)
      if (inner !== undefined) return inner
    }
    return undefined
  }
  return expected === actual
    ? undefined
    : makeViolation(
      "genesis",
      textOf(actual),
      `${textOf(expected)}, with which this ledger was opened`,
      pointer
    )
}

const textOf = (json: Schema.Json | undefined): string =>
  json === undefined ? "nothing" : typeof json === "string" ? json : JSON.stringify(json)

/** Returns whether the value is an object or an array: both are read by key. */
const isTree = (json: Schema.Json | undefined): json is { readonly [key: string]: Schema.Json } =>
  typeof json === "object" && json !== null
