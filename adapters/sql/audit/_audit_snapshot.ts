import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AuditCheck, Findings } from "../../../core/use_cases/mod.ts"
import { type RowQuery, selectRows } from "../entities/mod.ts"

export type AuditStep<A = void> = Effect.Effect<A, SqlError.SqlError>

/** Shared by all parts of an audit. */
export interface AuditSnapshot {
  /** Reads one snapshot of the database. */
  readonly sql: SqlClient.SqlClient
  readonly findings: Findings
}

/** A statement of a check. Each of its rows, `place`, `found` and `expected`, is a violation. */
export interface AuditStatement {
  readonly check: AuditCheck
  /** The FROM clause of the rows that it checks; absent if another statement counts them. */
  readonly counted?: string
  readonly text: string
}

/** Maximum number of violations that one statement returns. */
const violationsMax = 200

/** Runs a statement, and reports its rows as violations. */
export const runStatement = (
  { findings, sql }: AuditSnapshot,
  { check, counted, text }: AuditStatement
): AuditStep =>
  Effect.gen(function*() {
    const violations = yield* sql.unsafe<Violation>(`${text} LIMIT ${violationsMax}`)
    for (const { expected, found, place } of violations) {
      findings.violate(check, place, found, expected)
    }
    if (counted === undefined) return
    const [row] = yield* sql.unsafe<{ readonly size: bigint }>(
      `SELECT count(*) AS size FROM ${counted}`
    )
    findings.checked(check, Number(row!.size))
  })

/**
 * Calls `each` with all rows of a query, which returns pages. Its parameters are `first`, then what
 * `next` returns for the last row of a page.
 */
export const eachRow = Effect.fnUntraced(function*<Row>(
  { sql }: AuditSnapshot,
  query: RowQuery<Row>,
  { first, next }: {
    readonly first: ReadonlyArray<string>
    readonly next: (last: Row) => ReadonlyArray<string>
  },
  each: (row: Row) => void
): Effect.fn.Return<void, SqlError.SqlError> {
  for (let parameters = first;;) {
    const page = yield* selectRows(sql, query, parameters)
    page.forEach(each)
    const last = page.at(-1)
    if (last === undefined) return
    parameters = next(last)
  }
})

interface Violation {
  readonly place: string
  readonly found: string | null
  readonly expected: string | null
}
