import { assert } from "@effect/vitest"
import { readFileSync } from "node:fs"

/** What every case of a vector file says about itself. */
export interface VectorCase {
  readonly negative: boolean
  readonly why?: string
  readonly policy?: boolean
}

/** The identifier prefixes that vectors are run with: the one they are written with and another. */
export const PREFIXES: ReadonlyArray<string> = ["hez", "zk"]

/** The text with the prefix it is written with replaced; a text without it stays as it is. */
export function withPrefix(prefix: string, text: string): string {
  return text.startsWith("hez:") ? `${prefix}:${text.slice(4)}` : text
}

/** Runs `verify` on every case of a file; fails when the cases are not as many as the file and the caller expect, or when one fails. */
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
