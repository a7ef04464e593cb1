/*
 * Replaces vitest for tests that `_runner.ts` runs: collects their declarations. Assertions are
 * those of vitest.
 */
export { assert, assertType, chai, expect, expectTypeOf, vi } from "vitest"

/** The argument of a test or a hook. */
export interface Context {
  readonly task: Task
  readonly signal: AbortSignal
  readonly onTestFinished: (what: () => unknown) => void
}
export type Body = (context: Context) => unknown

export interface Task {
  readonly type: "test"
  readonly name: string
  readonly mode: "run" | "skip" | "fails"
  readonly body: Body
}

export interface Suite {
  readonly type: "suite"
  readonly name: string
  readonly tasks: Array<Task | Suite>
  readonly hooks: { readonly [hook in Hook]: Array<Body> }
}
export type Hook = "beforeAll" | "afterAll" | "beforeEach" | "afterEach"

const emptySuite = (name: string): Suite => ({
  type: "suite",
  name,
  tasks: [],
  hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] }
})
let current = emptySuite("")

/** Returns the tests that `load` declares. */
export async function collected(name: string, load: () => Promise<unknown>): Promise<Suite> {
  const suite = current = emptySuite(name)
  await load()
  return suite
}

const bodyOf = (second: unknown, third: unknown) =>
  (typeof second === "function" ? second : third) as Body

const declare = (mode: Task["mode"]) => (name: string, second: unknown, third?: unknown): void => {
  current.tasks.push({ type: "test", name, mode, body: bodyOf(second, third) })
}

export const it = Object.assign(declare("run"), {
  skip: declare("skip"),
  fails: declare("fails"),
  skipIf: (condition: unknown) => declare(condition ? "skip" : "run"),
  each: (cases: ReadonlyArray<unknown>) => (name: string, second: unknown, third?: unknown) => {
    for (const [at, one] of cases.entries()) {
      declare("run")(
        `${name} ${at}`,
        () =>
          (bodyOf(second, third) as (...values: Array<unknown>) => unknown)(
            ...Array.isArray(one) ? one : [one]
          )
      )
    }
  },
  runIf: (condition: unknown) => declare(condition ? "run" : "skip"),
  for: <Case>(cases: ReadonlyArray<Case>) => (name: string, second: unknown, third?: unknown) => {
    const body = bodyOf(second, third) as unknown as (one: Case, context: Context) => unknown
    for (const [at, one] of cases.entries()) {
      declare("run")(`${name} ${at}`, (context: Context) => body(one, context))
    }
  }
})
export { it as test }

const declareSuite = (name: string, second: unknown, third?: unknown): void => {
  const outer = current
  outer.tasks.push(current = emptySuite(name))
  try {
    bodyOf(second, third)(undefined as never)
  } finally {
    current = outer
  }
}
export const describe = Object.assign(declareSuite, {
  each: (cases: ReadonlyArray<unknown>) =>
  (
    name: string,
    body: (...values: Array<unknown>) => void
  ) => {
    for (const [at, one] of cases.entries()) {
      declareSuite(`${name} ${at}`, () => body(...Array.isArray(one) ? one : [one]))
    }
  }
})
export { describe as suite }

const hook = (which: Hook) => (body: Body): void => void current.hooks[which].push(body)
export const [beforeAll, afterAll, beforeEach, afterEach] = [
  hook("beforeAll"),
  hook("afterAll"),
  hook("beforeEach"),
  hook("afterEach")
]

/** Values of the test environment, needed only by tests with databases, which do not run here. */
export const inject = (name: string): never => {
  throw new Error(`${name} is not provided here: leave out the test that needs it`)
}

export const TestRunner = { getCurrentSuite: (): Suite => current }
