/** Integers that are not negative: words of 64 bits, the lowest ones first, as many as the largest needs. */
export type BigintColumn = ReadonlyArray<BigUint64Array>

export const bigintColumn = (values: ReadonlyArray<bigint>): BigintColumn => {
  const higher = values.map((value) => value >> 64n)
  const words = BigUint64Array.from(values)
  return higher.some((value) => value > 0n) ? [words, ...bigintColumn(higher)] : [words]
}

export const bigintAt = (words: BigintColumn, index: number): bigint =>
  words.length === 1
    ? words[0]![index]!
    : words.reduceRight((value, word) => value << 64n | word[index]!, 0n)

/** Returns a column of finite numbers; null is stored as NaN. */
export const numberColumn = (values: ReadonlyArray<number | null>): Float64Array =>
  Float64Array.from(values, (value) => value ?? NaN)

export const numberAt = (column: Float64Array, index: number): number | null => {
  const value = column[index]!
  return Number.isNaN(value) ? null : value
}

/** Texts of "0x" and 66 lower-case hexadecimal digits as numbers, and a map for all others. */
export interface IdColumn {
  /** The first two digits. */
  readonly kinds: Uint8Array
  /** Eight words for each id: the other 64 digits. */
  readonly words: Uint32Array
  readonly others: ReadonlyMap<number, string>
}

const regularId = /^0x[0-9a-f]{66}$/u
const kindEnd = 4
const wordsPerId = 8

export const idColumn = (ids: ReadonlyArray<string>): IdColumn => {
  const kinds = new Uint8Array(ids.length)
  const words = new Uint32Array(wordsPerId * ids.length)
  const others = new Map<number, string>()
  for (const [index, id] of ids.entries()) {
    if (!regularId.test(id)) {
      others.set(index, id)
      continue
    }
    kinds[index] = Number.parseInt(id.slice(2, kindEnd), 16)
    for (let i = 0; i < wordsPerId; i++) {
      const from = kindEnd + 8 * i
      words[wordsPerId * index + i] = Number.parseInt(id.slice(from, from + 8), 16)
    }
  }
  return { kinds, words, others }
}

export const idAt = ({ kinds, others, words }: IdColumn, index: number): string => {
  const other = others.size === 0 ? undefined : others.get(index)
  if (other !== undefined) return other
  let id = `0x${kinds[index]!.toString(16).padStart(2, "0")}`
  for (let i = 0; i < wordsPerId; i++) {
    id += words[wordsPerId * index + i]!.toString(16).padStart(8, "0")
  }
  return id
}

/** Returns the value of `hashOfId` for the id at an index. */
export const idHashAt = ({ others, words }: IdColumn, index: number): number => {
  const other = others.size === 0 ? undefined : others.get(index)
  return other === undefined ? words[wordsPerId * index + wordsPerId - 1]! : hashOfId(other)
}

/** Returns a number of 32 bits: the last eight digits, or 0 if they are none. */
export const hashOfId = (id: string): number => Number.parseInt(id.slice(-8), 16) >>> 0
