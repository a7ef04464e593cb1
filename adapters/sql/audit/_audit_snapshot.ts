import type { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Token, TokenId } from "../../../core/domain/mod.ts"
import type { BalanceBook, Findings } from "../../../core/use_cases/mod.ts"

export type AuditStep<A = void> = Effect.Effect<A, SqlError.SqlError>

/** Shared by all parts of an audit: one snapshot of the database, and the findings. */
export interface AuditSnapshot {
  readonly rows: <Row extends object>(
    statement: string,
    ...parameters: ReadonlyArray<string>
  ) => AuditStep<ReadonlyArray<Row>>
  readonly findings: Findings
  /**
   * Reports progress: the number of items just checked, and the share of the part that is done,
   * from 0 to 1.
   */
  readonly advance: (count: number, share: number) => Effect.Effect<void>
  /** Current balances; the pass over the batches undoes them back to genesis. */
  readonly book: BalanceBook
  readonly tokens: Map<TokenId, Token>
}

/** Violations read from one statement at most. */
export const violationsMax = 200

/** A violation: its place, the value found, and the value expected. */
export interface Violation {
  readonly place: string
  readonly found: string | null
  readonly expected: string | null
}

/** Items read by one statement, for tables read by item id. */
export const itemsPerStatement = 20_000
