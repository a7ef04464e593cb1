import type { FiltersOf, ListName } from "../../../core/contract/mod.ts"
import { transactionTypes } from "../../../core/domain/mod.ts"
import { type PostingList, postingKey } from "../postings/mod.ts"

/** Encodings of filter values in keys, equal to PostgreSQL's `int8send`, `int2send` and `bytea`. */
const eightBytes = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}
const twoBytes = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}
const digitsOf = (hex: string): string => hex.startsWith("0x") ? hex.slice(2) : hex
const bytes = (hex: string): Uint8Array => Buffer.from(digitsOf(hex), "hex")

const encodings: { readonly [filter: string]: (value: never) => Uint8Array } = {
  accountIndex: eightBytes,
  tokenId: eightBytes,
  tokenIds: eightBytes,
  slotNum: eightBytes,
  address: bytes,
  publicKey: bytes,
  forgerAddr: bytes,
  bidderAddr: bytes,
  type: (type: typeof transactionTypes[number]) => twoBytes(transactionTypes.indexOf(type))
}

/** Returns bytes as a `bytea` parameter in text format. */
export const byteParameter = (value: Uint8Array): string =>
  `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`
export const hexParameter = (hex: string): string => `\\x${digitsOf(hex)}`
export const keysParameter = (keys: ReadonlyArray<Uint8Array>): string =>
  `{${keys.map((key) => `"\\${byteParameter(key)}"`).join(",")}}`

/** The posting lists of a combination of filters. */
export interface KeyLookup {
  /** Keys of disjoint lists. */
  readonly keys: ReadonlyArray<Uint8Array>
  /** Key of the parent list, if its unindexed tail has to be filtered too; otherwise null. */
  readonly parentKey: Uint8Array | null
}

/**
 * Returns the keys of the lists for some filters. The key begins with the filter that combines with
 * all the others; their values follow in the order of its `children`. A filter with several values
 * has a key for each.
 */
export const lookUpKeys = <N extends ListName>(
  list: PostingList,
  filters: FiltersOf<N>
): KeyLookup => {
  const values = filters as { readonly [filter: string]: unknown }
  const [leading, ...others] = Object.keys(list.facets).filter((filter) =>
    values[filter] !== undefined
  )
  if (leading === undefined) return { keys: [postingKey(list)], parentKey: null }
  const following = list.facets[leading]!.children.filter((filter) => others.includes(filter))
  const paths = following.reduce<ReadonlyArray<ReadonlyArray<readonly [string, Uint8Array]>>>(
    (paths, filter) =>
      paths.flatMap((path) =>
        valuesOf(filter, values[filter]).map((value) => [...path, [filter, value] as const])
      ),
    valuesOf(leading, values[leading]).map((value) => [[leading, value] as const])
  )
  return {
    keys: paths.map((path) => postingKey(list, ...path)),
    parentKey: following.length === 0
      ? null
      : postingKey(list, [leading, valuesOf(leading, values[leading])[0]!])
  }
}

const valuesOf = (filter: string, value: unknown): ReadonlyArray<Uint8Array> =>
  [...new Set(Array.isArray(value) ? value : [value])].map((each) =>
    encodings[filter]!(each as never)
  )
