import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { later, revisionList } from "../../core/contract/mod.ts"
import { application, ask, jsonOf, problemOf } from "./_application.ts"

const withRevision = (revision: string) => ({ headers: { "api-revision": revision } })

layer(application())("revisions", (it) => {
  it.effect("the path chooses the revision, at the default mount the header too, and every answer repeats it", () =>
    Effect.gen(function*() {
      for (
        const [path, revision, header] of [
          ["/tokens", "later"],
          ["/x", "later"],
          ["/tokens", "later", "later"],
          ["/tokens", "earlier", "earlier"],
          ["/earlier/tokens", "earlier"],
          ["/earlier/tokens", "earlier", "earlier"],
          ["/earlier/nowhere", "earlier"],
          ["/earlier", "earlier"],
          ["/v1/tokens", "v1"],
          ["/v1/nowhere", "v1"]
        ] as const
      ) {
        const { headers } = yield* ask(path, header === undefined ? {} : withRevision(header))
        assert.strictEqual(headers["api-revision"], revision, path)
        if (path !== "/earlier") {
          assert.strictEqual(headers.vary, "Api-Revision, Accept-Encoding")
        }
      }
      const earlierTokens = jsonOf(yield* ask("/earlier/tokens"))
      assert.containsAllKeys(earlierTokens, ["tokens", "pagination"])
      assert.deepStrictEqual(jsonOf(yield* ask("/tokens", withRevision("earlier"))), earlierTokens)
    }))

  it.effect("a header that contradicts the path or names no revision is refused", () =>
    Effect.gen(function*() {
      const names = revisionList.map(({ name }) => name).join(", ")
      for (const value of ["Later", "v3", "later, earlier", ""]) {
        const answer = yield* ask("/tokens", withRevision(value))
        assert.strictEqual(answer.status, 400)
        assert.isTrue(problemOf(answer).message.endsWith(`expected one of ${names}`))
      }
      const answer = yield* ask("/earlier/tokens", withRevision("later"))
      assert.strictEqual(answer.headers["api-revision"], "earlier")
      assert.deepInclude(problemOf(answer).errors![0], {
        in: "header",
        parameter: "Api-Revision",
        value: "later"
      })
    }))

  it.effect("an invalid header hides no violation of path and query, which the revision of the mount checks", () =>
    Effect.gen(function*() {
      for (
        const [path, revision, type, faults] of [
          ["/tokens?limit=0&y=1", "v3", "unknown-revision", ["Api-Revision", "limit", "y"]],
          ["/earlier/slots?maxSlotNum=x", "later", "revision-conflict", [
            "Api-Revision",
            "maxSlotNum"
          ]],
          ["/tokens/x?y=1", "v3", "unknown-revision", ["Api-Revision", "id", "y"]],
          ["/tokens/999", "v3", "unknown-revision", ["Api-Revision"]],
          ["/nowhere?limit=0", "v3", "unknown-revision", ["Api-Revision"]]
        ] as const
      ) {
        const answer = yield* ask(path, withRevision(revision))
        const problem = problemOf(answer)
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(problem.type, `urn:rollup-node-api:problem:${type}`)
        assert.deepStrictEqual(problem.errors!.map(({ parameter }) => parameter), [...faults])
        for (const { message } of problem.errors!) assert.include(problem.message, message)
      }
    }))
})

describe("mounts", () => {
  it("a mount that no request can reach is a defect", () => {
    for (
      const mounts of [[], [{ path: "/x/", revision: later }], [{ path: "x", revision: later }], [{
        path: "/",
        revision: later
      }, { path: "/a", revision: later }]]
    ) {
      assert.throws(() => Effect.runSync(Effect.provide(ask("/"), application({ mounts }))))
    }
  })
})
