import { Effect } from "effect"
import type { AuditCheck } from "../../../core/use_cases/mod.ts"
import {
  type AuditStep,
  type AuditSnapshot,
  type Violation,
  violationsMax
} from "./_audit_snapshot.ts"

/** Reports each row of a statement as a violation of the check. */
export const reportViolations = (
  { findings, rows }: AuditSnapshot,
  check: AuditCheck,
  statement: string,
  ...parameters: ReadonlyArray<string>
): AuditStep =>
  Effect.map(rows<Violation>(`${statement} LIMIT ${violationsMax}`, ...parameters), (wrong) => {
    for (const { expected, found, place } of wrong) findings.violate(check, place, found, expected)
  })

/** Reports the rows of a table as checked. */
export const countRows = (
  { findings, rows }: AuditSnapshot,
  check: AuditCheck,
  table: string
): AuditStep =>
  Effect.map(
    rows<{ readonly size: bigint }>(`SELECT count(*) AS size FROM ${table}`),
    ([row]) => findings.checked(check, Number(row!.size))
  )
