import type { LedgerStamp } from "../../../core/ports/mod.ts"

/*
 * The form of answers. An answer is one statement, so it reads one snapshot. Its first row is the
 * head, which identifies the snapshot and has the single values of the answer, as an array of
 * texts; it exists even if there are no items. The other rows have the columns of the items.
 */

/** Queries of an answer with the same columns. */
export interface AnswerRows {
  /** SQL expressions over each of the sources, with their types. */
  readonly columns: ReadonlyArray<{ readonly sql: string; readonly type: string }>
  readonly sources: ReadonlyArray<RowSource>
}

/** The rows of a FROM clause, in the order of `place`, an SQL expression from 0 to 2^62. */
export interface RowSource {
  readonly place: string
  readonly from: string
}

/**
 * Returns the SQL of an answer. `head` adds expressions to the head; `from` is joined to `ledger`
 * for them. The columns of several `rows` follow one another, and are NULL in the rows of others.
 */
export const answerStatement = (options: {
  /** Common table expressions. */
  readonly ctes?: ReadonlyArray<string>
  readonly head?: ReadonlyArray<string>
  readonly from?: string
  readonly rows: ReadonlyArray<AnswerRows>
  readonly order?: "ASC" | "DESC"
}): string => {
  const { from = "", ctes = [], head = [], order = "ASC", rows } = options
  const types = rows.map(({ columns }) => columns.map(({ type }) => `NULL::${type}`))
  const queries = rows.flatMap(({ columns, sources }, i) => {
    const values = types.flatMap((nulls, each) =>
      each === i ? columns.map(({ sql }) => sql) : nulls
    )
    return sources.map(({ from, place }) =>
      `UNION ALL\nSELECT ${[place, "NULL", ...values].join(", ")} FROM ${from}`
    )
  })
  const names = types.flat().map((_, i) => `c${i}`)
  return `${ctes.length === 0 ? "" : `WITH ${ctes.join(",\n")}\n`}SELECT ${
    ["head", ...names].join(", ")
  } FROM (
SELECT ${order === "ASC" ? -1 : lastPlace}::bigint, ARRAY[${
    [...stampColumns, ...head].map((column) => `(${column})::text`).join(", ")
  }]${types.flat().map((each) => `, ${each}`).join("")} FROM ledger ${from}
${queries.join("\n")}
) AS answer (${["place", "head", ...names].join(", ")}) ORDER BY place ${order}`
}

/** SQL for the number of the head if it is above the last block, otherwise NULL. */
const headAboveLastBlock =
  "CASE WHEN ledger.head_number > ledger.ethereum_block_num THEN ledger.head_number END"

const stampColumns = [
  "ledger.version",
  "ledger.token_version",
  "ledger.ethereum_block_num",
  "ledger.batch_num",
  headAboveLastBlock
]

/** The greatest `bigint`, which is above all item ids and places. */
export const lastPlace = "9223372036854775807"

/** The values of a row as the driver returns them. */
export type RowValues = ReadonlyArray<unknown>

/** Index of the first column of the first `AnswerRows` in the values of a row. */
export const firstColumn = 1

/** An answer, split into head and rows. */
export interface SqlAnswer {
  readonly stamp: LedgerStamp
  /** Version of the tokens that the rows refer to. */
  readonly tokenVersion: number
  /** The expressions that the statement adds to the head. */
  readonly head: ReadonlyArray<string | null>
  readonly rows: ReadonlyArray<RowValues>
}

/** Splits the rows of an `answerStatement`; throws if the database holds no ledger. */
export const readAnswer = ([first, ...rows]: ReadonlyArray<RowValues>): SqlAnswer => {
  if (first === undefined) {
    throw new Error("The database contains no ledger: expected one row in the table ledger")
  }
  const [version, tokenVersion, ethereumBlockNum, batchNum, headBlockNum, ...head] =
    first[0] as ReadonlyArray<string | null>
  return {
    stamp: Object.freeze({
      ethereumBlockNum: BigInt(ethereumBlockNum!),
      ...headBlockNum === null ? {} : { headBlockNum: BigInt(headBlockNum!) },
      batchNum: numberOrNull(batchNum!),
      version: Number(version)
    }),
    tokenVersion: Number(tokenVersion),
    head,
    rows
  }
}

/** Returns the number of a decimal text or an integer; null if it is null. */
export const numberOrNull = (value: string | bigint | null): number | null =>
  value === null ? null : Number(value)
