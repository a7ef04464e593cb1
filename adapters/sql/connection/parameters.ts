/*
 * Rows as parameters of a statement: each column is one parameter, an array in the text form of
 * PostgreSQL, and the statement reads them with `unnest`. In JavaScript, joining strings is several
 * times as fast as writing the binary form, and an array that is empty or has only NULLs needs no
 * type.
 */

/** The values of a column, taken from rows. */
export interface Column<Row> {
  /** Element type of the array parameter. */
  readonly type: string
  /** Cast from the element to the column, if their types differ. */
  readonly cast?: string
  /** Returns the array parameter. */
  readonly arrayOf: (rows: ReadonlyArray<Row>) => string
}

/** Returns a column whose values `write` turns into the text of an array; null becomes NULL. */
export const parameterColumn = <Row, Value>(
  { cast, parameter }: { readonly parameter: string; readonly cast?: string },
  get: (row: Row) => Value | null,
  write: (value: Value) => string | number | bigint
): Column<Row> => ({
  type: parameter,
  ...cast === undefined ? {} : { cast },
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

/** Returns a text as an element of an array. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`

/** Returns an array parameter. */
export const bigintArray = (values: ReadonlyArray<number | bigint>): string =>
  `{${values.join(",")}}`
/** Returns an array of bytes from hexadecimal digits, with or without the prefix `0x`. */
export const bytesArray = (values: ReadonlyArray<string>): string =>
  `{${values.map((hex) => `\\\\x${hex.charCodeAt(1) === 120 ? hex.slice(2) : hex}`).join(",")}}`

/** The columns of a table, by name. */
export type Columns<Row> = { readonly [name: string]: Column<Row> }

/** Returns a table expression `name` of rows, whose parameters begin with the number `first`. */
export const rowsOf = <Row>(name: string, columns: Columns<Row>, first = 1): string => {
  const parameters = Object.values(columns).map(({ type }, i) => `$${first + i}::${type}[]`)
  return `unnest(${parameters.join(", ")}) AS ${name} (${Object.keys(columns).join(", ")})`
}

/** Returns one array parameter for each column. */
export const parametersOf = <Row>(columns: Columns<Row>, rows: ReadonlyArray<Row>): Array<string> =>
  Object.values(columns).map(({ arrayOf }) => arrayOf(rows))

/** A statement whose parameters, from the number `first` on, are rows. */
export interface RowStatement<Row> {
  readonly text: string
  readonly parameters: (rows: ReadonlyArray<Row>) => Array<string>
}

/** Inserts rows into a table, in their order. */
export const insertInto = <Row>(
  table: string,
  columns: Columns<Row>,
  { ending = "", first = 1 } = {}
): RowStatement<Row> => ({
  text: `INSERT INTO ${table} (${Object.keys(columns).join(", ")})\nSELECT ${
    Object.entries(columns).map(([name, { cast = "" }]) => `r.${name}${cast}`).join(", ")
  } FROM ${rowsOf("r", columns, first)} ${ending}`,
  parameters: (rows) => parametersOf(columns, rows)
})

/** Updates rows of a table by the column `key`, whose values must be distinct. */
export const updateOf = <Row>(
  table: string,
  key: string,
  columns: Columns<Row>,
  first = 1
): RowStatement<Row> => ({
  text: `UPDATE ${table} SET ${
    Object.entries(columns).filter(([name]) => name !== key).map(([name, { cast = "" }]) =>
      `${name} = r.${name}${cast}`
    ).join(", ")
  }\nFROM ${rowsOf("r", columns, first)} WHERE ${table}.${key} = r.${key}`,
  parameters: (rows) => parametersOf(columns, rows)
})
