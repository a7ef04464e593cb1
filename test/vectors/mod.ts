import { assert } from "@effect/vitest"
import { readFileSync } from "node:fs"

/** The common members of every case of a vector file. */
export interface VectorCase {
  readonly negative: boolean
  readonly why?: string
  readonly policy?: boolean
}

/** The identifier prefixes that vectors are tested with: the one in the file and another one. */
export const PREFIXES: ReadonlyArray<string> = ["hez", "zk"]

/** Returns the text with the prefix of the file replaced; a text without it does not change. */
export function withPrefix(prefix: string, text: string): string {
  return text.startsWith("hez:") ? `${prefix}:${text.slice(4)}` : text
}

/**
 * Runs `verify` on every case of a file; fails if a case fails, or if their number differs from
 * that in the file or `count`.
 */
export function verifyCases<Case>(name: string, count: number, verify: (vector: Case) => void): void {
  const file = JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), "utf8")) as VectorFile<Case>
  let verified = 0
  for (const vector of file.cases) {
    try {
      verify(vector)
    } catch (cause) {
      throw new Error(`Case ${verified} of ${name}: ${JSON.stringify(vector)}`, { cause })
    }
    verified++
  }
  assert.strictEqual(verified, file.count)
  assert.strictEqual(verified, count)
}

interface VectorFile<Case> {
  readonly count: number
  readonly cases: ReadonlyArray<Case>
}
