import {
  bigintAt,
  type BigintColumn,
  bigintColumn,
  idAt,
  type IdColumn,
  idColumn,
  numberAt,
  numberColumn
} from "./_columns.ts"

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
