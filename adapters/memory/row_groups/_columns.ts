/** Integers that are not negative: words of 64 bits, the lowest ones first, as many as the largest needs. */
type BigintColumn = ReadonlyArray<BigUint64Array>

const bigintColumn = (values: ReadonlyArray<bigint>): BigintColumn => {
  const higher = values.map((value) => value >> 64n)
  const words = BigUint64Array.from(values)
  return higher.some((value) => value > 0n) ? [words, ...bigintColumn(higher)] : [words]
}

const bigintAt = (words: BigintColumn, index: number): bigint =>
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

/** The values of a member. A bigint is stored as its successor, null as 0. */
type Column =
  | { readonly kind: "integer"; readonly column: Uint32Array }
  | { readonly kind: "number"; readonly column: Float64Array }
  | { readonly kind: "bigint"; readonly column: BigintColumn }
  | { readonly kind: "boolean"; readonly column: Uint8Array }
  | { readonly kind: "hash"; readonly column: IdColumn }
  | { readonly kind: "other"; readonly column: ReadonlyArray<unknown> }

/** Flat objects with the same members, in columns. */
export interface ObjectColumns<A extends object> {
  /** The first object. All have its values of the members that are not in `columns`. */
  readonly first: A
  /** The members whose values differ. */
  readonly columns: ReadonlyArray<readonly [member: keyof A, Column]>
}

/** Returns the members of objects; none if there are no objects. */
export const membersOf = <A extends object>([first]: ReadonlyArray<A>): ReadonlyArray<keyof A> =>
  Object.keys(first ?? {}) as Array<keyof A>

/** Returns the columns of members of objects, by default of all. */
export const objectColumns = <A extends object>(
  objects: ReadonlyArray<A>,
  members = membersOf(objects)
): ObjectColumns<A> => ({
  first: { ...objects[0]! },
  columns: members.flatMap((member) => {
    const values = objects.map((object) => object[member])
    return values.every((value) => value === values[0]) ? [] : [[member, columnOf(values)] as const]
  })
})

/**
 * Returns the object at an index, with the values of the first object for members without a column.
 * It is a copy of `first`, so all have one hidden class in V8.
 */
export const objectAt = <A extends object>(
  { columns, first }: ObjectColumns<A>,
  index: number
): A => {
  const object = { ...first }
  for (const [member, column] of columns) object[member] = valueAt(column, index) as A[keyof A]
  return object
}

const columnOf = (values: ReadonlyArray<unknown>): Column => {
  if (values.every((value) => typeof value === "number" && value >>> 0 === value)) {
    return { kind: "integer", column: Uint32Array.from(values as ReadonlyArray<number>) }
  }
  if (values.every((value) => value === null || Number.isFinite(value))) {
    return { kind: "number", column: numberColumn(values as ReadonlyArray<number | null>) }
  }
  if (values.every((value) => value === null || (typeof value === "bigint" && value >= 0n))) {
    const successors = values.map((value) => value === null ? 0n : value as bigint + 1n)
    return { kind: "bigint", column: bigintColumn(successors) }
  }
  if (values.every((value) => typeof value === "boolean")) {
    return { kind: "boolean", column: Uint8Array.from(values, Number) }
  }
  if (values.every((value) => value === null || (typeof value === "string" && hash.test(value)))) {
    const ids = values.map((value) => value === null ? nullId : `0x00${String(value).slice(2)}`)
    return { kind: "hash", column: idColumn(ids) }
  }
  return { kind: "other", column: values }
}

const valueAt = (column: Column, index: number): unknown => {
  switch (column.kind) {
    case "number":
      return numberAt(column.column, index)
    case "bigint": {
      const successor = bigintAt(column.column, index)
      return successor === 0n ? null : successor - 1n
    }
    case "boolean":
      return column.column[index] === 1
    case "hash": {
      const id = idAt(column.column, index)
      return id === nullId ? null : `0x${id.slice(4)}`
    }
    case "integer":
    case "other":
      return column.column[index]
  }
}

const hash = /^0x[0-9a-f]{64}$/u
/** A hash is an id whose first byte is 0. */
const nullId = `0x01${"0".repeat(64)}`
