import { Effect } from "effect"
import type { AuditCheck } from "../../../core/use_cases/mod.ts"
import { type Asking, type AuditSnapshot, type Wrong, wrongMax } from "./_audit_snapshot.ts"

/** Notes what a statement finds wrong. */
export const auditBy = (
  { findings, rows }: AuditSnapshot,
  check: AuditCheck,
  statement: string,
  ...parameters: ReadonlyArray<string>
): Asking =>
  Effect.map(rows<Wrong>(`${statement} LIMIT ${wrongMax}`, ...parameters), (wrong) => {
    for (const { expected, found, place } of wrong) findings.violate(check, place, found, expected)
  })

/** Notes how many rows were looked at. */
export const countRows = (
  { findings, rows }: AuditSnapshot,
  check: AuditCheck,
  table: string
): Asking =>
  Effect.map(
    rows<{ readonly size: bigint }>(`SELECT count(*) AS size FROM ${table}`),
    ([row]) => findings.checked(check, Number(row!.size))
  )
