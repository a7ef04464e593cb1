import { type Column as Parameter, type Columns, parameterColumn } from "../connection/mod.ts"
import { boolean, type ColumnType, nullable } from "./column_types.ts"

/*
 * How the rows of a table are stored. A declaration is keyed by the fields of the row, and each
 * field names its column once: the statements that create the table and insert rows, the select
 * list and the decoder derive from it. A forgotten field, another type or a wrong null is a compile
 * error.
 */

/** A field in one column; `constraint` follows the type in `CREATE TABLE`. */
export type Column<Value> = readonly [
  name: string,
  type: ColumnType<Value>,
  constraint?: string
]

/** The type of a column whose values `ColumnOf.get` returns. */
interface AnyType extends Omit<ColumnType<never>, "read" | "write"> {
  readonly write: (value: never) => string | number | bigint
}

/** A column of a value, with the function that takes its content from the value. */
interface ColumnOf<in Value> {
  readonly name: string
  readonly type: AnyType
  readonly constraint: string
  /** The SQL expression of a column that is computed and not stored. */
  readonly expression?: string
  readonly get: (value: Value) => unknown
}

/** How a value is stored: its columns and its decoder. */
export interface Stored<in out Value> {
  readonly columns: ReadonlyArray<ColumnOf<Value>>
  /** Conditions of a table with these columns. */
  readonly rules: ReadonlyArray<string>
  /** Decodes the columns, in their order, that begin at index `at` of the values of a row. */
  readonly read: (values: ReadonlyArray<unknown>, at: number) => Value
}

/** A field that is absent if its column is NULL. */
export interface Optional<in out Value> {
  readonly optional: Column<Value | null> | Stored<Value | null>
}

type Declared<Value> = Column<Value> | Stored<Value>
/** The declaration of each field of a row. */
export type Fields<Row> = {
  readonly [Field in keyof Row]-?: Record<never, never> extends Pick<Row, Field>
    ? Optional<NonNullable<Row[Field]>>
    : Declared<Row[Field]>
}

/** An SQL expression with its type. */
export interface Selected {
  readonly sql: string
  readonly type: string
}

/** The columns of a row. */
export interface Shape<in out Row> extends Stored<Row> {
  readonly fields: Fields<Row>
  /** The parameters that insert rows. */
  readonly parameters: Columns<Row>
  /** Returns the select list over the row `alias`, whose values `read` decodes. */
  readonly select: (alias: string) => ReadonlyArray<Selected>
  /** Returns the parameters of some fields, each in one column. */
  readonly parametersOf: (...fields: ReadonlyArray<keyof Row & string>) => Columns<Row>
}

const storedOf = <Value>(declared: Declared<Value>): Stored<Value> => {
  if (!isColumn(declared)) return declared
  const [name, type, constraint = ""] = declared
  const { read } = type
  return {
    columns: [{ name, type, constraint, get: (value) => value }],
    rules: [],
    read: (values, at) => read(values[at])
  }
}
const isColumn = <Value>(declared: Declared<Value>): declared is Column<Value> =>
  Array.isArray(declared)

/** Declares the columns of a row. */
export const shape = <Row extends object>(fields: Fields<Row>): Shape<Row> => {
  const columns: Array<ColumnOf<Row>> = []
  const rules: Array<string> = []
  const readers: Array<FieldReader> = []
  const parametersByField = new Map<string, Columns<Row>>()
  for (const [key, field] of Object.entries(fields) as Iterable<FieldOf<Row>>) {
    const isOptional = "optional" in field
    const stored = storedOf((isOptional ? field.optional : field) as Declared<Row[keyof Row]>)
    readers.push({ key, offset: columns.length, read: stored.read, isOptional })
    const own = stored.columns.map((column): ColumnOf<Row> => ({
      ...column,
      get: (row) => {
        const value = row[key]
        return value === undefined ? null : column.get(value)
      }
    }))
    columns.push(...own)
    rules.push(...stored.rules)
    parametersByField.set(key, parametersOf(own))
  }
  return {
    fields,
    columns,
    rules,
    read: objectReader<Row>(readers),
    parameters: parametersOf(columns),
    parametersOf: (...fields) =>
      Object.assign({}, ...fields.map((field) => parametersByField.get(field))),
    select: (alias) =>
      columns.map(({ expression, name, type: { selected, type } }) => {
        const sql = expression?.replaceAll("%", alias) ?? `${alias}.${name}`
        return selected === undefined
          ? { sql, type }
          : { sql: selected.sql.replace("%", sql), type: selected.type }
      })
  }
}

/** The row of some declarations of fields. */
export type RowOf<Declarations> = {
  readonly [Field in keyof Declarations]: Declarations[Field] extends Stored<infer Value> ? Value
    : Declarations[Field] extends
      readonly [string, ColumnType<infer Value>, ...ReadonlyArray<string>] ? Value
    : never
}

/** Declares the columns of a row that no other type describes: its type is that of the columns. */
export const inferredShape = <
  // oxlint-disable-next-line typescript/no-explicit-any -- both are invariant
  const Declarations extends { readonly [field: string]: Column<any> | Stored<any> }
>(
  declarations: Declarations
): Shape<RowOf<Declarations>> => {
  const fields: { readonly [field: string]: unknown } = declarations
  return shape(fields as Fields<RowOf<Declarations>>)
}

/** The row of a shape. */
export type ShapeRow<Of> = Of extends Shape<infer Row> ? Row : never

/** Declares the columns of some fields of a row, to read only these. */
export const pick = <Row, const Field extends keyof Row>(
  { fields }: Shape<Row>,
  ...names: ReadonlyArray<Field>
): Shape<Pick<Row, Field>> => {
  const all: { readonly [field: PropertyKey]: unknown } = fields
  return shape(
    Object.fromEntries(names.map((name) => [name, all[name]])) as Fields<Pick<Row, Field>>
  )
}

type FieldOf<Row> = readonly [
  name: keyof Row & string,
  field: Declared<Row[keyof Row]> | Optional<Row[keyof Row]>
]

const parametersOf = <Row>(columns: ReadonlyArray<ColumnOf<Row>>): Columns<Row> =>
  Object.fromEntries(
    columns.filter(({ expression }) => expression === undefined).map(
      ({ get, name, type }): [string, Parameter<Row>] => [
        name,
        parameterColumn(type, get as (row: Row) => never, type.write)
      ]
    )
  )

interface FieldReader {
  readonly key: string
  readonly offset: number
  readonly read: (values: ReadonlyArray<unknown>, at: number) => unknown
  readonly isOptional: boolean
}

/**
 * Returns a decoder of frozen objects. It copies a template that has all keys: V8 turns an object
 * that grows by computed keys into a dictionary, whose properties are much slower to read.
 */
const objectReader = <Row>(
  readers: ReadonlyArray<FieldReader>
): Stored<Row>["read"] => {
  const required = readers.filter(({ isOptional }) => !isOptional)
  const optional = readers.filter(({ isOptional }) => isOptional)
  const template = Object.fromEntries(required.map(({ key }) => [key, null]))
  return (values, at) => {
    const row: { [key: string]: unknown } = { ...template }
    for (let i = 0; i < required.length; i++) {
      const { key, offset, read } = required[i]!
      row[key] = read(values, at + offset)
    }
    for (const { key, offset, read } of optional) {
      const value = read(values, at + offset)
      if (value !== null) row[key] = value
    }
    return Object.freeze(row) as Row
  }
}

/**
 * Stores an object or null. It is null if and only if the column `presence` is NULL, and then so
 * are the columns of all fields that are not nullable.
 */
export const part = <Row extends object>(
  presence: string,
  whole: Shape<Row>
): Stored<Row | null> => {
  const at = whole.columns.findIndex(({ name }) => name === presence)
  const required = whole.columns.filter(({ type }) => !type.isNullable).map(({ name }) => name)
  return {
    columns: whole.columns.map(({ get, type, ...column }) => ({
      ...column,
      type: { ...type, isNullable: true },
      get: (value) => value === null ? null : get(value)
    })),
    rules: required.length < 2
      ? whole.rules
      : [...whole.rules, `CHECK (num_nulls(${required.join(", ")}) IN (0, ${required.length}))`],
    read: (values, offset) => values[offset + at] === null ? null : whole.read(values, offset)
  }
}

/** Stores an object or null; the column `flag` says which, since all its fields may be null. */
export const flagged = <Row extends object>(
  flag: string,
  whole: Shape<Row>
): Stored<Row | null> => {
  const names = whole.columns.map(({ name }) => name)
  return {
    columns: [
      { name: flag, type: boolean, constraint: "", get: (value) => value !== null },
      ...whole.columns.map(({ get, ...column }): ColumnOf<Row | null> => ({
        ...column,
        get: (value) => value === null ? null : get(value)
      }))
    ],
    rules: [...whole.rules, `CHECK (${flag} OR num_nonnulls(${names.join(", ")}) = 0)`],
    read: (values, at) => boolean.read(values[at]) ? whole.read(values, at + 1) : null
  }
}

/** Leaves a field out if its column is NULL. */
export const optional = <Value>(name: string, type: ColumnType<Value>): Optional<Value> => ({
  optional: [name, nullable(type)]
})
/** The same for an object. */
export const optionalPart = <Row extends object>(
  presence: string,
  whole: Shape<Row>
): Optional<Row> => ({ optional: part(presence, whole) })

/** A field that is computed by each query and not stored; `%` stands for the row. */
export const computed = <Value>(expression: string, type: ColumnType<Value>): Stored<Value> => ({
  columns: [{ name: "", type, constraint: "", expression, get: () => null }],
  rules: [],
  read: (values, at) => type.read(values[at])
})

/** Reads a value from the row `alias`, in a query of several rows. */
export const from = <Value>(alias: string, { columns, read }: Stored<Value>): Stored<Value> => ({
  columns: columns.map(({ expression, ...column }) => ({
    ...column,
    expression: expression?.replaceAll("%", alias) ?? `${alias}.${column.name}`
  })),
  rules: [],
  read
})

/** Stores a list of pairs as two lists. */
export const pairs = <First, Second>(
  [firstName, first]: Column<ReadonlyArray<First>>,
  [secondName, second]: Column<ReadonlyArray<Second>>
): Stored<ReadonlyArray<readonly [First, Second]>> => ({
  columns: [
    { name: firstName, type: first, constraint: "", get: (value) => value.map(([each]) => each) },
    {
      name: secondName,
      type: second,
      constraint: "",
      get: (value) => value.map(([, each]) => each)
    }
  ],
  rules: [`CHECK (cardinality(${firstName}) = cardinality(${secondName}))`],
  read: (values, at) => {
    const seconds = second.read(values[at + 1])
    return Object.freeze(
      first.read(values[at]).map((each, i) => Object.freeze([each, seconds[i]!] as const))
    )
  }
})

/** Returns the SQL of a select list. */
export const selectList = (columns: ReadonlyArray<Selected>): string =>
  columns.map(({ sql }) => sql).join(", ")
