import type { AuditCheck } from "./checks.ts"

/** A violation: the check, the place, what was found and what was expected. */
export interface AuditViolation {
  readonly check: AuditCheck
  /** Table and key, or record and member: `batch 7, account 261`. */
  readonly place: string
  readonly found: string
  readonly expected: string
}

/** Number of items that a check looked at, and of its violations. */
export interface AuditCount {
  readonly check: AuditCheck
  readonly checked: number
  readonly violations: number
}

/** The result of an audit. */
export interface AuditReport {
  readonly isSound: boolean
  readonly checks: ReadonlyArray<AuditCount>
  /** The first violations of each check. */
  readonly violations: ReadonlyArray<AuditViolation>
  /** Remarks that are no violations: what was skipped, and why. */
  readonly notes: ReadonlyArray<string>
}

type Value = string | number | bigint | boolean | null | undefined

const formatValue = (value: Value): string =>
  value === undefined || value === null ? "nothing" : String(value)

/**
 * Collects the findings of an audit. It stores a limited number of violations for each check and
 * counts the others.
 */
export class Findings {
  readonly #counts = new Map<AuditCheck, { checked: number; violations: number }>()
  readonly #violations: Array<AuditViolation> = []
  readonly #notes: Array<string> = []
  readonly #perCheckMax: number

  constructor(perCheckMax = 100) {
    this.#perCheckMax = perCheckMax
  }

  /** Counts items that a check looked at. */
  checked(check: AuditCheck, count = 1): void {
    this.#of(check).checked += count
  }

  violate(check: AuditCheck, place: string, found: Value, expected: Value): void {
    if (++this.#of(check).violations <= this.#perCheckMax) {
      this.#violations.push({
        check,
        place,
        found: formatValue(found),
        expected: formatValue(expected)
      })
    }
  }

  /** Returns whether the two values are equal; adds a violation if they differ. */
  same(check: AuditCheck, place: string, found: Value, expected: Value): boolean {
    if (found === expected) return true
    this.violate(check, place, found, expected)
    return false
  }

  /** Compares members of the same names; the place of each is below the place of the whole. */
  sameMembers<Members extends { readonly [name: string]: Value }>(
    check: AuditCheck,
    place: () => string,
    found: { readonly [name in keyof Members]: Value },
    expected: Members
  ): void {
    for (const name in expected) {
      if (found[name] !== expected[name]) {
        this.violate(check, `${place()}, ${name}`, found[name], expected[name])
      }
    }
  }

  note(text: string): void {
    this.#notes.push(text)
  }

  violationsOf(check: AuditCheck): number {
    return this.#counts.get(check)?.violations ?? 0
  }

  report(): AuditReport {
    const checks = [...this.#counts].map(([check, counts]) => ({ check, ...counts }))
    return {
      isSound: checks.every(({ violations }) => violations === 0),
      checks,
      violations: [...this.#violations],
      notes: [...this.#notes]
    }
  }

  #of(check: AuditCheck): { checked: number; violations: number } {
    let counts = this.#counts.get(check)
    if (counts === undefined) this.#counts.set(check, counts = { checked: 0, violations: 0 })
    return counts
  }
}
