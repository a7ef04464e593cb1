import { Effect } from "effect"
import type { AuditCheck } from "./checks.ts"

/** A violation of a check: the stored value and the expected one. Reports contain it as JSON. */
export interface AuditViolation {
  readonly check: AuditCheck
  /** Location of the value, such as `batch 7, account 261`. */
  readonly place: string
  /** The stored value. */
  readonly found: string
  readonly expected: string
}

/** Number of items that a check has verified, and of its violations. */
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
  /** Parts that were skipped, and why. */
  readonly notes: ReadonlyArray<string>
}

type Value = string | number | bigint | boolean | null | undefined

const formatValue = (value: Value): string =>
  value === undefined || value === null ? "nothing" : String(value)

/**
 * Collects the findings of an audit. It stores the first `perCheckMax` violations of each check,
 * and counts all of them.
 *
 * @example
 * ```ts
 * import { Findings } from "rollup-node-api"
 *
 * const findings = new Findings()
 * findings.checked("balances", 2)
 * findings.same("balances", "account 256", 7n, 7n)
 * findings.same("balances", "account 257", 7n, 8n)
 * const { isSound, violations: [first] } = findings.report()
 * console.log(isSound, first?.place, first?.found, first?.expected) // => false account 257 7 8
 * ```
 */
export class Findings {
  readonly #counts = new Map<AuditCheck, { checked: number; violations: number }>()
  readonly #violations: Array<AuditViolation> = []
  readonly #notes: Array<string> = []
  readonly #perCheckMax: number

  constructor(perCheckMax = 100) {
    this.#perCheckMax = perCheckMax
  }

  /** Adds to the number of items that a check has verified. */
  checked(check: AuditCheck, count = 1): void {
    this.#of(check).checked += count
  }

  /** Adds a violation. */
  violate(check: AuditCheck, location: string, actual: Value, expected: Value): void {
    if (++this.#of(check).violations <= this.#perCheckMax) {
      this.#violations.push({
        check,
        place: location,
        found: formatValue(actual),
        expected: formatValue(expected)
      })
    }
  }

  /** Returns whether the two values are equal; adds a violation if they differ. */
  same(check: AuditCheck, location: string, actual: Value, expected: Value): boolean {
    if (actual === expected) return true
    this.violate(check, location, actual, expected)
    return false
  }

  /** Compares the members of two objects. The location of a member is `location` and its name. */
  sameMembers<Members extends { readonly [name: string]: Value }>(
    check: AuditCheck,
    location: () => string,
    actual: { readonly [name in keyof Members]?: Value },
    expected: Members
  ): void {
    for (const name in expected) {
      if (actual[name] !== expected[name]) {
        this.violate(check, `${location()}, ${name}`, actual[name], expected[name])
      }
    }
  }

  /** Adds a note to the report. */
  note(text: string): void {
    this.#notes.push(text)
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

/** Adds a violation if a part of an audit dies, since its store cannot read damaged rows. */
export const reportDefects = <E>(
  check: AuditCheck,
  location: string,
  part: Effect.Effect<void, E>,
  findings: Findings
): Effect.Effect<void, E> =>
  Effect.catchDefect(
    part,
    (defect) =>
      Effect.sync(() => findings.violate(check, location, `${defect}`, "rows that can be read"))
  )
