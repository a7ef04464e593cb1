import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Account, Exit, Network, Token, TokenId } from "../../../core/domain/mod.ts"
import type { Keccak256 } from "../../../core/encoding/mod.ts"
import type { AuditCheck, BalanceBook, Findings, TreeHashes } from "../../../core/use_cases/mod.ts"
import type { RowQuery } from "../entities/mod.ts"

/** Options of `auditDatabase`. */
export interface DatabaseAuditOptions {
  readonly keccak256: Keccak256
  /**
   * Returns the indexes of the wrong proofs among proofs of exits, each with the root that it must
   * lead to. Null skips the check.
   */
  readonly findWrongProofs:
    | ((
      network: Network,
      proofs: ReadonlyArray<readonly [exit: Exit, exitRoot: bigint]>
    ) => Effect.Effect<ReadonlyArray<number>>)
    | null
  /** Hashes of the state tree, about a dozen for each account. Null skips the check of the root. */
  readonly tree: (TreeHashes & { readonly account: (account: Account) => bigint }) | null
  /**
   * Called repeatedly with the number of items checked so far, the share of the work that is done,
   * from 0 to 1, and the name of the current part.
   */
  readonly onProgress: (
    progress: { readonly units: number; readonly share: number; readonly at: string }
  ) => Effect.Effect<void>
}

export type AuditStep<A = void> = Effect.Effect<A, SqlError.SqlError>

/** Shared by all parts of an audit: one snapshot of the database, and the findings. */
export interface AuditSnapshot {
  readonly rows: <Row extends object>(
    statement: string,
    ...parameters: ReadonlyArray<string>
  ) => AuditStep<ReadonlyArray<Row>>
  /** Runs a query. */
  readonly select: <Row>(
    query: RowQuery<Row>,
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

/** Maximum number of items that one statement reads from a table by item id. */
export const itemsPerStatement = 20_000

/** Maximum number of whole rows that one statement reads, since an exit with its proof takes kilobytes. */
export const rowsPerPage = 4096

/** Maximum number of violations that one statement returns. */
const violationsMax = 200

/**
 * Reports each row of a statement, `place`, `found` and `expected`, as a violation of the check.
 */
export const reportViolations = (
  { findings, rows }: AuditSnapshot,
  check: AuditCheck,
  statement: string,
  ...parameters: ReadonlyArray<string>
): AuditStep =>
  Effect.map(
    rows<Violation>(`${statement} LIMIT ${violationsMax}`, ...parameters),
    (violations) => {
      for (const { expected, found, place } of violations) {
        findings.violate(check, place, found, expected)
      }
    }
  )

interface Violation {
  readonly place: string
  readonly found: string | null
  readonly expected: string | null
}

/** Counts all rows of a table as checked. */
export const countRows = (
  { findings, rows }: AuditSnapshot,
  check: AuditCheck,
  table: string
): AuditStep =>
  Effect.map(
    rows<{ readonly size: bigint }>(`SELECT count(*) AS size FROM ${table}`),
    ([row]) => findings.checked(check, Number(row!.size))
  )
