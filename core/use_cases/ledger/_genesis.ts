import { Result, Schema } from "effect"
import { GenesisFeed } from "../../domain/mod.ts"
import { type BlockViolation, boundaryDecoder, violation } from "../violation/mod.ts"

const encode = Schema.encodeSync(Schema.toCodecJson(GenesisFeed))
const read = boundaryDecoder(GenesisFeed)

/**
 * Returns a copy of the genesis record, or a violation if it does not have the shape that the feed
 * defines.
 */
export const readGenesis = (given: GenesisFeed): Result.Result<GenesisFeed, BlockViolation> =>
  read(given, "/genesis")

/** Checks that the genesis record of a feed equals the one that the ledger was opened with. */
export const checkGenesis = (
  opened: GenesisFeed,
  given: GenesisFeed
): BlockViolation | undefined => {
  const genesis = readGenesis(given)
  return Result.isFailure(genesis)
    ? genesis.failure
    : difference(encode(opened), encode(genesis.success), "/genesis")
}

function difference(
  opened: Schema.Json | undefined,
  given: Schema.Json | undefined,
  place: string
): BlockViolation | undefined {
  if (isTree(opened) && isTree(given)) {
    for (const key of new Set([...Object.keys(opened), ...Object.keys(given)])) {
      const found = difference(opened[key], given[key], `${place}/${key}`)
      if (found !== undefined) return found
    }
    return undefined
  }
  return opened === given
    ? undefined
    : violation(
      "genesis",
      textOf(given),
      `${textOf(opened)}, with which this ledger was opened`,
      place
    )
}

const textOf = (json: Schema.Json | undefined): string =>
  json === undefined ? "nothing" : typeof json === "string" ? json : JSON.stringify(json)

/** Returns whether the value is an object or an array: both are read by key. */
const isTree = (json: Schema.Json | undefined): json is { readonly [key: string]: Schema.Json } =>
  typeof json === "object" && json !== null
