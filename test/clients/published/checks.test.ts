import { assert, describe, it } from "@effect/vitest"
import { assertShows, Checks, refusalOf, rule } from "./_checks.ts"

const answer = { items: [{ id: 1, name: "a" }, { id: 2, name: null }], pendingItems: 0 }
const even = rule("an even number", (value) => Number(value) % 2 === 0)

describe("a check of the published clients", () => {
  it("accepts further fields, and refuses a missing field, another value and a broken rule", () => {
    assertShows(answer, { items: [{ id: 1 }, { id: even, name: null }] })
    for (
      const [expected, message] of [
        [{ count: 0 }, "/count is missing"],
        [{ pendingItems: 1 }, "/pendingItems: expected 1, got 0"],
        [{ pendingItems: "0" }, "/pendingItems: expected '0', got 0"],
        [{ items: [{ id: even }, {}] }, "/items/0/id: expected an even number, got 1"],
        [{ items: [{}] }, "/items: expected 1 items"],
        [{ items: [{}, { name: { first: 1 } }] }, "/items/1/name: expected an object, got null"]
      ] as const
    ) assert.throws(() => assertShows(answer, expected), message)
  })

  it("records a failure and continues", async () => {
    const checks = new Checks()
    await checks.run("getState", "fails", () => Promise.reject(new Error("no answer")))
    await checks.run("getState", "passes", () => undefined)
    assert.deepStrictEqual(checks.outcomes, [
      { call: "getState", fact: "fails", failure: "no answer" },
      { call: "getState", fact: "passes", failure: null }
    ])
  })

  it("of a refusal fails if the request succeeds, or gets no answer", async () => {
    const refused = { response: { status: 400, data: { code: 1 } } }
    assert.deepStrictEqual(await refusalOf(Promise.reject(refused)), { code: 1, status: 400 })
    for (const request of [Promise.resolve({ data: 1 }), Promise.reject(new Error("ENOTFOUND"))]) {
      assert.isString(await refusalOf(request).catch((error: Error) => error.message))
    }
  })
})
