import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { earlier, later, revisionList } from "../../core/contract/mod.ts"
import { application, ask, jsonOf, problemOf } from "./_application.ts"

const withRevision = (revision: string) => ({ headers: { "api-revision": revision } })

layer(application())("revisions", (it) => {
  it.effect("the path chooses the revision, and every answer repeats it", () =>
    Effect.gen(function*() {
      for (
        const [path, revision] of [
          ["/tokens", "later"],
          ["/earlier/tokens", "earlier"],
          ["/earlier/nowhere", "earlier"],
          ["/earlier", "earlier"],
          ["/v1/tokens", "v1"],
          ["/v1/nowhere", "v1"],
          ["/x", "later"]
        ] as const
      ) {
        assert.strictEqual((yield* ask(path)).headers["api-revision"], revision)
      }
      assert.containsAllKeys(jsonOf(yield* ask("/earlier/tokens")), ["tokens", "pagination"])
      assert.containsAllKeys(jsonOf(yield* ask("/tokens")), ["tokens", "pendingItems"])
    }))

  it.effect("at the default mount the header chooses the revision too", () =>
    Effect.gen(function*() {
      const answer = yield* ask("/tokens", withRevision("earlier"))
      assert.strictEqual(answer.headers["api-revision"], "earlier")
      assert.deepStrictEqual(jsonOf(answer), jsonOf(yield* ask("/earlier/tokens")))
      assert.strictEqual(
        (yield* ask("/tokens", withRevision("later"))).headers["api-revision"],
        "later"
      )
      assert.strictEqual(answer.headers.vary, "Api-Revision, Accept-Encoding")
    }))

  it.effect("a header may repeat the revision of the path, but not contradict it", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* ask("/earlier/tokens", withRevision("earlier"))).status, 200)
      const answer = yield* ask("/earlier/tokens", withRevision("later"))
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(answer.headers["api-revision"], "earlier")
      assert.strictEqual(problemOf(answer).type, "urn:rollup-node-api:problem:revision-conflict")
      assert.deepInclude(problemOf(answer).errors![0], {
        in: "header",
        parameter: "Api-Revision",
        value: "later"
      })
    }))

  it.effect("an unknown revision is refused with the known ones", () =>
    Effect.gen(function*() {
      for (
        const [path, value] of [["/tokens", "Later"], ["/earlier/tokens", "v3"], [
          "/tokens",
          "later, earlier"
        ], ["/tokens", ""]] as const
      ) {
        const answer = yield* ask(path, withRevision(value))
        assert.strictEqual(answer.status, 400)
        const names = revisionList.map(({ name }) => name).join(", ")
        assert.isTrue(problemOf(answer).message.endsWith(`expected one of ${names}`))
      }
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

  it.effect("a parameter of the other revision is explained", () =>
    Effect.gen(function*() {
      const [wrong, right] = [
        problemOf(yield* ask("/slots?maxSlothNum=3")),
        problemOf(yield* ask("/earlier/slots?maxSlotNum=3"))
      ]
      assert.match(
        wrong.message,
        /it belongs to revision "earlier"; in revision "later" its name is maxSlotNum/u
      )
      assert.strictEqual(wrong.errors![0]!.nearest, "maxSlotNum")
      assert.match(
        right.message,
        /it belongs to revision "later"; in revision "earlier" its name is maxSlothNum/u
      )
      assert.match(
        problemOf(yield* ask("/earlier/exits?onlyPendingWithdraws=true")).message,
        /only revision "later" supports it/u
      )
    }))
})

describe("mounts", () => {
  layer(
    application({
      mounts: [{ path: "/v2", revision: later }, { path: "/v2/old", revision: earlier }]
    })
  )((it) => {
    it.effect("revisions are served at their mounts, the longer path first", () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* ask("/v2/tokens")).headers["api-revision"], "later")
        assert.strictEqual((yield* ask("/v2/old/tokens")).headers["api-revision"], "earlier")
        assert.strictEqual((yield* ask("/v2/old/docs")).status, 200)
        assert.match(
          JSON.stringify(jsonOf(yield* ask("/v2/old/openapi.json"))),
          /"url":"\/v2\/old"/u
        )
        assert.strictEqual((yield* ask("/tokens")).status, 404)
        assert.match(
          problemOf(yield* ask("/v2/old/tokenz")).message,
          /did you mean \/v2\/old\/tokens\?/u
        )
      }))
  })

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
