/*
 * Rows arrive as lines: a row of columns in PostgreSQL's text form, then the one free text that the row may have, as in
 * `(7,00ff,,t)https://example.org`. Numbers, digits of bytes, `t` and `f` contain neither comma nor parenthesis, NULL is nothing
 * between two commas, and a list is joined by semicolons. Node reads a line in some two thirds of the time that it needs for as many
 * columns one by one, since bytes arrive as the digits that are shown.
 *
 * A double keeps its value in the text form that PostgreSQL gives it since version 12, the shortest that names it.
 */

/** SQL for a line of these columns. */
export const lineOf = (columns: ReadonlyArray<string>, freeText?: string): string =>
  `ROW(${columns.join(", ")})::text${freeText === undefined ? "" : ` || coalesce(${freeText}, '')`}`

/** SQL for the digits of bytes. */
export const digits = (column: string): string => `encode(${column}, 'hex')`
/** SQL for the members of an array. */
export const members = (column: string): string => `array_to_string(${column}, ';')`

/** The columns of a line, as texts. */
export const fieldsOf = (line: string): ReadonlyArray<string> =>
  line.slice(1, line.indexOf(")")).split(",")
/** What follows the columns, as it is stored. */
export const freeTextOf = (line: string): string => line.slice(line.indexOf(")") + 1)

export const intOrNull = (field: string): number | null => field === "" ? null : Number(field)
export const bigOrNull = (field: string): bigint | null => field === "" ? null : BigInt(field)
export const hexOrNull = (field: string): string | null => field === "" ? null : field
export const prefixed = (field: string): string => `0x${field}`
export const prefixedOrNull = (field: string): string | null => field === "" ? null : `0x${field}`
export const flag = (field: string): boolean => field === "t"
/** An empty list is written as an empty text, in quotes. */
export const membersOf = <Member>(
  field: string,
  read: (member: string) => Member
): ReadonlyArray<Member> => Object.freeze(field === '""' ? [] : field.split(";").map(read))
