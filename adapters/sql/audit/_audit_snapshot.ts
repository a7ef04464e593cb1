import type { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Token, TokenId } from "../../../core/domain/mod.ts"
import type { BalanceBook, Findings } from "../../../core/use_cases/mod.ts"

export type Asking<A = void> = Effect.Effect<A, SqlError.SqlError>

/** What the parts of an audit share: one snapshot of the database, and where they write down what they find. */
export interface AuditSnapshot {
  readonly rows: <Row extends object>(
    statement: string,
    ...parameters: ReadonlyArray<string>
  ) => Asking<ReadonlyArray<Row>>
  readonly findings: Findings
  /** So many more things were looked at, and the part is so far, from 0 to 1. */
  readonly advance: (count: number, share: number) => Effect.Effect<void>
  /** As the accounts are today; the pass over the batches takes them back to the beginning. */
  readonly book: BalanceBook
  readonly tokens: Map<TokenId, Token>
}

/** So much of what a statement finds wrong is read. */
export const wrongMax = 200

/** A row of what is wrong: where, what is there, and what should be. */
export interface Wrong {
  readonly place: string
  readonly found: string | null
  readonly expected: string | null
}

/** Items to a statement, where a table is read by its item ids. */
export const itemsAtOnce = 20_000
