import type { SnapshotId } from "../../../core/ports/mod.ts"

/*
 * The form of answers. An answer is one statement, so it reads one snapshot. Each of its rows has the
 * id of the snapshot, then the columns of the items, then the head: further single values of the
 * answer, then its place in the order. The first row has the snapshot id and the head, and exists even
 * if there are no items; these are NULL in the rows of the items. The rows are sorted here: those of
 * a page come nearly always in order, which takes a microsecond to check, and 12 in PostgreSQL.
 */

/** A statement, and how its rows are read. */
export interface AnswerStatement {
  readonly text: string
  /** Index of the first column of the head. */
  readonly headAt: number
  /**
   * Order of the rows; undefined if there is one row, which is also that of the only item, whose
   * first column is NULL if there is none.
   */
  readonly order: "ASC" | "DESC" | undefined
}

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

/** SQL for the number of the head if it is above the last block, otherwise NULL. */
const headAboveLastBlock =
  "CASE WHEN ledger.head_number > ledger.ethereum_block_num THEN ledger.head_number END"

const snapshotColumns = [
  "ledger.version",
  "ledger.token_version",
  "ledger.ethereum_block_num",
  "ledger.batch_num",
  headAboveLastBlock
]

/** Index of the first column of the first `AnswerRows` in the values of a row. */
export const firstColumn = snapshotColumns.length

/** The greatest `bigint`, which is above all item ids and places. */
export const lastPlace = "9223372036854775807"

/**
 * Returns the statement of an answer. `head` has the expressions of the head; `from` is joined to
 * `ledger` for them. The columns of several `rows` follow one another, and are NULL in the rows of
 * others.
 */
export const answerStatement = (options: {
  /** Common table expressions. */
  readonly ctes?: ReadonlyArray<string>
  readonly head?: ReadonlyArray<string>
  readonly from?: string
  readonly rows: ReadonlyArray<AnswerRows>
  readonly order?: "ASC" | "DESC"
}): AnswerStatement => {
  const { from = "", ctes = [], head = [], order = "ASC", rows } = options
  const noItem = rows.map(({ columns }) => columns.map(({ type }) => `NULL::${type}`))
  const noSnapshotId = snapshotColumns.map(() => "NULL")
  const noHead = head.map(() => "NULL")
  const queries = rows.flatMap(({ columns, sources }, i) => {
    const values = noItem.flatMap((nulls, k) => k === i ? columns.map(({ sql }) => sql) : nulls)
    return sources.map(({ from, place }) =>
      `UNION ALL\nSELECT ${[...noSnapshotId, ...values, ...noHead, place].join(", ")} FROM ${from}`
    )
  })
  const firstPlace = `${order === "ASC" ? -1 : lastPlace}::bigint`
  const first = [...snapshotColumns, ...noItem.flat(), ...head, firstPlace]
  return {
    text: `${ctes.length === 0 ? "" : `WITH ${ctes.join(",\n")}\n`}SELECT ${first.join(", ")}
FROM ledger ${from}
${queries.join("\n")}`,
    headAt: firstColumn + noItem.flat().length,
    order
  }
}

/**
 * Returns the statement of an answer with the first row of the sources, or none. It has one row,
 * which needs no sort.
 */
export const itemStatement = (
  columns: AnswerRows["columns"],
  ...sources: ReadonlyArray<string>
): AnswerStatement => {
  const names = columns.map((_, i) => `c${i}`)
  const queries = sources.map((from) =>
    `SELECT ${columns.map(({ sql }) => sql).join(", ")} FROM ${from}`
  )
  return {
    text: `SELECT ${[...snapshotColumns, ...names.map((name) => `item.${name}`)].join(", ")}
FROM ledger LEFT JOIN LATERAL (${queries.join(" UNION ALL ")} LIMIT 1) AS item (${
      names.join(", ")
    }) ON true`,
    headAt: firstColumn + columns.length,
    order: undefined
  }
}

/** The values of a row as the driver returns them. */
export type RowValues = ReadonlyArray<unknown>

/** An answer, split into head and rows. */
export interface SqlAnswer {
  readonly snapshotId: SnapshotId
  /** Version of the tokens that the rows refer to. */
  readonly tokenVersion: number
  /** The values of the expressions that the statement adds to the head. */
  readonly head: RowValues
  readonly rows: ReadonlyArray<RowValues>
}

/** Splits the rows of a statement; throws if the database holds no ledger. */
export const readAnswer = (
  { headAt, order }: AnswerStatement,
  unsorted: ReadonlyArray<RowValues>
): SqlAnswer => {
  const [first, ...rows] = order === undefined ? unsorted : sorted(unsorted, order)
  if (first === undefined) {
    throw new Error("The database contains no ledger: expected one row in the table ledger")
  }
  const [version, tokenVersion, ethereumBlockNum, batchNum, headBlockNum] = first
  return {
    snapshotId: Object.freeze({
      ethereumBlockNum: BigInt(ethereumBlockNum as string),
      ...headBlockNum === null ? {} : { headBlockNum: BigInt(headBlockNum as string) },
      batchNum: numberOrNull(batchNum),
      version: Number(version)
    }),
    tokenVersion: Number(tokenVersion),
    head: first.slice(headAt, order === undefined ? undefined : -1),
    rows: order !== undefined ? rows : first[firstColumn] === null ? [] : [first]
  }
}

/** Returns the rows in the order of their places. */
const sorted = (
  rows: ReadonlyArray<RowValues>,
  order: "ASC" | "DESC"
): ReadonlyArray<RowValues> => {
  const sign = order === "ASC" ? 1 : -1
  return rows.toSorted((a, b) => {
    const [x, y] = [a.at(-1) as bigint, b.at(-1) as bigint]
    return x < y ? -sign : x > y ? sign : 0
  })
}

/** Returns an integer as the driver returns it as a number; null if it is null. */
export const numberOrNull = (value: unknown): number | null => value === null ? null : Number(value)
