import type { LedgerStamp } from "../../../core/ports/mod.ts"

/*
 * The form of answers. An answer is one statement, so it reads one snapshot. It returns lines,
 * sorted by place: first the head, which identifies the snapshot and has the single values of the
 * answer, then the rows. The head exists even if there are no rows.
 *
 * A line is a row of columns in the text form of PostgreSQL, followed by its only free text, as in
 * `(7,00ff,,t)https://example.org`. Numbers, hexadecimal digits, `t` and `f` contain neither commas
 * nor parentheses, NULL is empty, and the members of an array are separated by semicolons. The
 * driver decodes one line faster than as many columns. Since PostgreSQL 12 the text form of a
 * double is the shortest that identifies its value.
 */

/**
 * Returns the SQL of an answer. `head` adds columns to the head; `from` is joined to `ledger` for
 * them.
 */
export const answerStatement = (options: {
  /** Common table expressions. */
  readonly ctes?: ReadonlyArray<string>
  readonly head?: ReadonlyArray<string>
  readonly headText?: string
  readonly from?: string
  /** Queries of place and line; places are from 0 to 2^62. */
  readonly rows: ReadonlyArray<string>
  readonly order?: "ASC" | "DESC"
}): string => {
  const { from = "", ctes = [], head = [], order = "ASC", rows } = options
  const columns = [
    "ledger.version",
    "ledger.token_version",
    "ledger.ethereum_block_num",
    "ledger.batch_num",
    headAboveLastBlock,
    ...head
  ]
  return `${ctes.length === 0 ? "" : `WITH ${ctes.join(",\n")}\n`}SELECT line FROM (
SELECT ${order === "ASC" ? -1 : lastPlace}::bigint AS place, ${
    lineSql(columns, options.headText)
  } AS line FROM ledger ${from}
${rows.map((row) => `UNION ALL\n${row}`).join("\n")}
) AS answer ORDER BY place ${order}`
}

/** SQL for the number of the head if it is above the last block, otherwise NULL. */
const headAboveLastBlock =
  "CASE WHEN ledger.head_number > ledger.ethereum_block_num THEN ledger.head_number END"

/** The greatest `bigint`, which is above all item ids and places. */
export const lastPlace = "9223372036854775807"

/** An answer, split into head and rows. */
export interface SqlAnswer {
  readonly stamp: LedgerStamp
  /** Version of the tokens that the rows refer to. */
  readonly tokenVersion: number
  /** The columns that the statement adds to the head. */
  readonly head: ReadonlyArray<string>
  readonly headText: string
  readonly lines: ReadonlyArray<string>
}

/** Splits the rows of an `answerStatement`; throws if the database holds no ledger. */
export const readAnswer = (rows: ReadonlyArray<ReadonlyArray<unknown>>): SqlAnswer => {
  const [first, ...lines] = rows.map(([line]) => line as string)
  if (first === undefined) {
    throw new Error("The database contains no ledger: expected one row in the table ledger")
  }
  const [version, tokenVersion, ethereumBlockNum, batchNum, headBlockNum, ...head] = fieldsOf(first)
  return {
    stamp: Object.freeze({
      ethereumBlockNum: BigInt(ethereumBlockNum!),
      ...headBlockNum === "" ? {} : { headBlockNum: BigInt(headBlockNum!) },
      batchNum: intOrNull(batchNum!),
      version: Number(version)
    }),
    tokenVersion: Number(tokenVersion),
    head,
    headText: freeTextOf(first),
    lines
  }
}

/** Returns SQL for a line of columns and a free text. */
export const lineSql = (columns: ReadonlyArray<string>, freeText?: string): string =>
  `ROW(${columns.join(", ")})::text${freeText === undefined ? "" : ` || coalesce(${freeText}, '')`}`

/** Returns SQL for the hexadecimal digits of a `bytea`. */
export const hexSql = (column: string): string => `encode(${column}, 'hex')`
/** Returns SQL for the members of an array, separated by semicolons. */
export const membersSql = (column: string): string => `array_to_string(${column}, ';')`

/** Returns the columns of a line. */
export const fieldsOf = (line: string): ReadonlyArray<string> =>
  line.slice(1, line.indexOf(")")).split(",")
/** Returns the free text of a line, in stored form. */
export const freeTextOf = (line: string): string => line.slice(line.indexOf(")") + 1)

export const intOrNull = (field: string): number | null => field === "" ? null : Number(field)
export const bigOrNull = (field: string): bigint | null => field === "" ? null : BigInt(field)
export const hexOrNull = (field: string): string | null => field === "" ? null : field
export const prefixedHex = (field: string): string => `0x${field}`
export const prefixedHexOrNull = (field: string): string | null =>
  field === "" ? null : `0x${field}`
export const booleanOf = (field: string): boolean => field === "t"
/** Returns the members of an array column; PostgreSQL writes an empty text as two quotes. */
export const membersOf = <Member>(
  field: string,
  read: (member: string) => Member
): ReadonlyArray<Member> => Object.freeze(field === '""' ? [] : field.split(";").map(read))

/**
 * Returns a text in the form in which it is stored. PostgreSQL accepts neither NUL nor half of a
 * surrogate pair, so these become `\u` and four hexadecimal digits, and a backslash becomes two.
 */
export const storedText = (text: string): string =>
  text.replace(
    /[\\\0]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    (unit) => unit === "\\" ? "\\\\" : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Returns the text of a stored form. */
export const readText = (stored: string): string =>
  stored.includes("\\") ?
    stored.replace(
      /\\(?:\\|u([0-9a-f]{4}))/g,
      (_, digits?: string) =>
        digits === undefined ? "\\" : String.fromCharCode(parseInt(digits, 16))
    ) :
    stored
