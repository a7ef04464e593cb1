/*
 * How rows reach a statement: one parameter for each column, an array in PostgreSQL's text form, and `unnest` in the statement. The
 * text form is made by joining strings, which in JavaScript is several times as fast as writing the binary form value by value, and
 * an array of nothing but NULLs or of nothing at all needs no type.
 */

/** How a column of a table is filled from rows of one kind. */
export interface Column<Row> {
  /** What the parameter is an array of. */
  readonly type: string
  /** What the column is made of an element, where that is not the element itself. */
  readonly cast?: string
  readonly arrayOf: (rows: ReadonlyArray<Row>) => string
}

const column = <Row, Value>(
  type: string,
  get: (row: Row) => Value | null,
  write: (value: Value) => string | number | bigint
): Column<Row> => ({
  type,
  arrayOf: (rows) => {
    let text = "{"
    for (let i = 0; i < rows.length; i++) {
      const value = get(rows[i]!)
      text += value === null
        ? (i === 0 ? "NULL" : ",NULL")
        : i === 0
        ? write(value)
        : `,${write(value)}`
    }
    return text + "}"
  }
})

const asIs = <Value>(value: Value): Value => value
const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`
const arrayLiteral = (values: ReadonlyArray<number | bigint>): string => `{${values.join(",")}}`

export const bigints = <Row>(get: (row: Row) => number | bigint | null): Column<Row> =>
  column("bigint", get, asIs)
export const smallints = <Row>(get: (row: Row) => number | null): Column<Row> =>
  column("smallint", get, asIs)
export const numerics = <Row>(get: (row: Row) => bigint | null): Column<Row> =>
  column("numeric", get, asIs)
export const doubles = <Row>(get: (row: Row) => number | null): Column<Row> =>
  column("float8", get, asIs)
export const booleans = <Row>(get: (row: Row) => boolean | null): Column<Row> =>
  column("boolean", get, (value) => value ? "t" : "f")
export const texts = <Row>(get: (row: Row) => string | null): Column<Row> =>
  column("text", get, quoted)
/** Hexadecimal digits, with or without `0x` before them. */
export const hexBytes = <Row>(get: (row: Row) => string | null): Column<Row> =>
  column("bytea", get, (hex) => `\\\\x${hex.charCodeAt(1) === 120 ? hex.slice(2) : hex}`)
/** Several integers to a row: an array of arrays would have to be a rectangle. */
export const arrays = <Row>(
  element: "bigint" | "numeric",
  get: (row: Row) => ReadonlyArray<number | bigint>
): Column<Row> => ({
  ...column("text", get, (values) => `"${arrayLiteral(values)}"`),
  cast: `::${element}[]`
})

/** A list of values as a parameter. */
export const bigintArray: (values: ReadonlyArray<number | bigint>) => string = arrayLiteral
export const bytesArray: (hex: ReadonlyArray<string>) => string = hexBytes<string>(asIs).arrayOf

export type Columns<Row> = { readonly [name: string]: Column<Row> }

/** Rows of one kind as a table expression `name`, with its parameters from `$1` on. */
export const rowsOf = <Row>(name: string, columns: Columns<Row>): string => {
  const parameters = Object.values(columns).map(({ type }, i) => `$${i + 1}::${type}[]`)
  return `unnest(${parameters.join(", ")}) AS ${name} (${Object.keys(columns).join(", ")})`
}

export const parametersOf = <Row>(columns: Columns<Row>, rows: ReadonlyArray<Row>): Array<string> =>
  Object.values(columns).map(({ arrayOf }) => arrayOf(rows))

/** A statement that takes rows. */
export interface RowStatement<Row> {
  readonly text: string
  readonly parameters: (rows: ReadonlyArray<Row>) => Array<string>
}

/** Appends rows to a table, in their order. */
export const insertInto = <Row>(
  table: string,
  columns: Columns<Row>,
  ending = ""
): RowStatement<Row> => ({
  text: `INSERT INTO ${table} (${Object.keys(columns).join(", ")})\nSELECT ${
    Object.entries(columns).map(([name, { cast = "" }]) => `r.${name}${cast}`).join(", ")
  } FROM ${rowsOf("r", columns)} ${ending}`,
  parameters: (rows) => parametersOf(columns, rows)
})

/** Sets columns of the rows that `key` names; a key comes once. */
export const updateOf = <Row>(
  table: string,
  key: string,
  columns: Columns<Row>
): RowStatement<Row> => ({
  text: `UPDATE ${table} SET ${
    Object.entries(columns).filter(([name]) => name !== key).map(([name, { cast = "" }]) =>
      `${name} = r.${name}${cast}`
    ).join(", ")
  }\nFROM ${rowsOf("r", columns)} WHERE ${table}.${key} = r.${key}`,
  parameters: (rows) => parametersOf(columns, rows)
})
