import type { LedgerStamp } from "../../../core/ports/mod.ts"
import { fieldsOf, freeTextOf, intOrNull, lineOf } from "./row_text.ts"

/*
 * An answer is one statement, and so one snapshot. It returns lines in the order of their places:
 * first the head, which names the snapshot and holds what else there is one of, then the rows.
 * There is always a head, also where there is no row.
 */

/**
 * Returns the SQL of an answer. `head` adds columns to those that name the snapshot; `from` is
 * joined to `ledger` for them.
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
    ...head
  ]
  return `${ctes.length === 0 ? "" : `WITH ${ctes.join(",\n")}\n`}SELECT line FROM (
SELECT ${order === "ASC" ? -1 : lastPlace}::bigint AS place, ${
    lineOf(columns, options.headText)
  } AS line FROM ledger ${from}
${rows.map((row) => `UNION ALL\n${row}`).join("\n")}
) AS answer ORDER BY place ${order}`
}

/** Above all item ids and places. */
export const lastPlace = "9223372036854775807"

/** The answer of the database, split into head and rows. */
export interface SqlAnswer {
  readonly stamp: LedgerStamp
  /** Which version of the tokens the rows go with. */
  readonly tokenVersion: number
  /** The columns of the head that the statement adds. */
  readonly head: ReadonlyArray<string>
  readonly headText: string
  readonly lines: ReadonlyArray<string>
}

export const readAnswer = (rows: ReadonlyArray<ReadonlyArray<unknown>>): SqlAnswer => {
  const [first, ...lines] = rows.map(([line]) => line as string)
  if (first === undefined) {
    throw new Error("The database holds no ledger: expected one row in the table ledger")
  }
  const [version, tokenVersion, ethereumBlockNum, batchNum, ...head] = fieldsOf(first)
  return {
    stamp: Object.freeze({
      ethereumBlockNum: BigInt(ethereumBlockNum!),
      batchNum: intOrNull(batchNum!),
      version: Number(version)
    }),
    tokenVersion: Number(tokenVersion),
    head,
    headText: freeTextOf(first),
    lines
  }
}
