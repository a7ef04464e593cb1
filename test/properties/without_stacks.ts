import { afterAll, beforeAll } from "vitest"

/**
 * Turns off stack traces in this test file: the laws cause thousands of refusals, and a violation
 * names its case.
 */
export function withoutStacks(): void {
  const limit = Error.stackTraceLimit
  beforeAll(() => {
    Error.stackTraceLimit = 0
  })
  afterAll(() => {
    Error.stackTraceLimit = limit
  })
}
