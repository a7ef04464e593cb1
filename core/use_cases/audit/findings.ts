import type { AuditCheck } from "./checks.ts"

/** Something that does not hold: what, where, what is there and what should be. */
export interface AuditViolation {
  readonly check: AuditCheck
  /** Table and key, or record and member: `batch 7, account 261`. */
  readonly place: string
  readonly found: string
  readonly expected: string
}

/** How much was looked at by a check, and how often it did not hold. */
export interface AuditCount {
  readonly check: AuditCheck
  readonly checked: number
  readonly violations: number
}

/** What came of an audit. */
export interface AuditReport {
  readonly isSound: boolean
  readonly checks: ReadonlyArray<AuditCount>
  /** The first ones of each check. */
  readonly violations: ReadonlyArray<AuditViolation>
  /** What is no violation and should be known: what was left out, and why. */
  readonly notes: ReadonlyArray<string>
}

type Value = string | number | bigint | boolean | null | undefined

const told = (value: Value): string =>
  value === undefined || value === null ? "nothing" : String(value)

/** Gathers what an audit finds. However much is wrong, it keeps so many violations of each check and counts the others. */
export class Findings {
  readonly #counts = new Map<AuditCheck, { checked: number; violations: number }>()
  readonly #violations: Array<AuditViolation> = []
  readonly #notes: Array<string> = []
  readonly #perCheckMax: number

  constructor(perCheckMax = 100) {
    this.#perCheckMax = perCheckMax
  }

  /** So many things were looked at. */
  checked(check: AuditCheck, count = 1): void {
    this.#of(check).checked += count
  }

  violate(check: AuditCheck, place: string, found: Value, expected: Value): void {
    if (++this.#of(check).violations <= this.#perCheckMax) {
      this.#violations.push({ check, place, found: told(found), expected: told(expected) })
    }
  }

  /** Whether the two are the same value; a violation where they are not. */
  same(check: AuditCheck, place: string, found: Value, expected: Value): boolean {
    if (found === expected) return true
    this.violate(check, place, found, expected)
    return false
  }

  /** As above for members of the same names, the place of each below that of the whole. */
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
