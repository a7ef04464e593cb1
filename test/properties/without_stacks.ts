import { afterAll, beforeAll } from "vitest"

/** Errors of this file carry no stack, which takes longer than to find them: refusals are made by the thousand, and a law that breaks tells its case. */
export function withoutStacks(): void {
  const limit = Error.stackTraceLimit
  beforeAll(() => {
    Error.stackTraceLimit = 0
  })
  afterAll(() => {
    Error.stackTraceLimit = limit
  })
}
