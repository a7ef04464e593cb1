import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { RowValues } from "../connection/mod.ts"
import { selectList, type Shape } from "./shape.ts"

/** A statement that selects rows, with their decoder. */
export interface RowQuery<Row> {
  readonly statement: string
  readonly read: (values: RowValues) => Row
}

/** Returns the query of the rows `r` of a FROM clause. */
export const queryOf = <Row>({ read, select }: Shape<Row>, from: string): RowQuery<Row> => ({
  statement: `SELECT ${selectList(select("r"))} FROM ${from}`,
  read: (values) => read(values, 0)
})

/** Runs a query. */
export const selectRows = <Row>(
  sql: SqlClient.SqlClient,
  { read, statement }: RowQuery<Row>,
  parameters: ReadonlyArray<unknown> = []
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  Effect.map(sql.unsafe(statement, parameters).values, (rows) => rows.map(read))
