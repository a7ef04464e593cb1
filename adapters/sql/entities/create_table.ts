import type { Shape } from "./shape.ts"

/** Returns the statement that creates a table of rows. */
export const createTable = <Row>(
  table: string,
  { columns, rules }: Shape<Row>,
  { also = [], storage = "" }: {
    /** Further columns and conditions. */
    readonly also?: ReadonlyArray<string>
    readonly storage?: string
  } = {}
): string => {
  const stored = columns.filter(({ expression }) => expression === undefined).map(
    ({ constraint, name, type: { check, isNullable, type } }) =>
      [
        name,
        type,
        ...isNullable || constraint.startsWith("PRIMARY KEY") ? [] : ["NOT NULL"],
        ...constraint === "" ? [] : [constraint],
        ...check === undefined ? [] : [`CHECK (${check.replaceAll("%", name)})`]
      ].join(" ")
  )
  return `CREATE TABLE ${table} (\n  ${[...stored, ...also, ...rules].join(",\n  ")}\n)${storage}`
}
