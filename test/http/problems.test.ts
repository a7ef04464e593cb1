import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { problemType } from "../../adapters/http/mod.ts"
import { NotRegistered, StoreFailure } from "../../core/ports/mod.ts"
import { application, applicationOver, ask, problemOf } from "./_application.ts"

layer(application())("refusals", (it) => {
  it.effect("all violations are listed at once, each with its place and its parameter", () =>
    Effect.gen(function*() {
      const violations: { readonly [url: string]: ReadonlyArray<string> } = {
        "/exits?limit=0&limt=5&order=asc&accountIndex=zk:ETH:256&tokenId=01&tokenId=2&BJJ=": [
          "query limit",
          "query limt",
          "query order",
          "query tokenId",
          "query tokenId",
          "query BJJ",
          "query tokenId",
          "query BJJ"
        ],
        // a part that cannot be decoded hides no other violation
        "/tokens?limit=0&x=%ff&order=z&x=%ff": ["query limit", "query x=%ff", "query order"],
        "/tokens/x?%ff=1&y=2": ["path id", "query %ff=1", "query y"],
        "/exits/x/zk:ETH?y=1": ["path batchNum", "path accountIndex", "query y"]
      }
      for (const [url, expected] of Object.entries(violations)) {
        const answer = yield* ask(url)
        const { errors = [], message } = problemOf(answer)
        assert.strictEqual(answer.status, 400)
        assert.match(message, /^\d+ violations: /u)
        assert.deepStrictEqual(errors.map((each) => `${each.in} ${each.parameter}`), expected)
        for (const error of errors) {
          assert.containsAllKeys(error, ["in", "value", "rule", "message"])
        }
      }
    }))

  it.effect("every unregistered value is listed, with the filter as the client names it", () =>
    Effect.gen(function*() {
      const unregistered: ReadonlyArray<readonly [string, string, ReadonlyArray<object>]> = [
        [
          "/accounts?tokenIds=998,1,999",
          "Token 998 is not registered; Token 999 is not registered",
          [
            { in: "query", parameter: "tokenIds", value: "998", rule: "a registered token" },
            { in: "query", parameter: "tokenIds", value: "999", rule: "a registered token" }
          ]
        ],
        ["/transactions-history?accountIndex=zk:ETH:9999", "Account 9999 is not registered", [
          { in: "query", parameter: "accountIndex", rule: "a registered account" }
        ]]
      ]
      for (const [url, message, errors] of unregistered) {
        const problem = problemOf(yield* ask(url))
        assert.isTrue(problem.message.endsWith(message), problem.message)
        assert.lengthOf(problem.errors!, errors.length)
        for (const [i, error] of errors.entries()) assert.deepInclude(problem.errors![i], error)
      }
    }))

  it.effect("the instance of a problem is a URI for any request", () =>
    Effect.gen(function*() {
      for (
        const [target, instance] of [
          ['/a b\u0000\u00e9<"\ud800', "/a%20b%00%C3%A9%3C%22%EF%BF%BD"],
          ["/a?b=%", "/a?b=%25"],
          ["/a?b=%z1%4", "/a?b=%25z1%254"],
          ["/a#b#c[d]", "/a%23b%23c%5Bd%5D"],
          ["//x:y/a", "/%2Fx:y/a"],
          ["http://x:99999/a", "http%3A//x%3A99999/a"],
          ["[::1]:80", "%5B%3A%3A1%5D%3A80"],
          [`/${"x".repeat(498)}%41`, `/${"x".repeat(498)}%25`]
        ] as const
      ) assert.strictEqual(problemOf(yield* ask(target)).instance, instance)
    }))

  it.effect("every answer names the snapshot, refusals included", () =>
    Effect.gen(function*() {
      const names = ["ledger-ethereum-block", "ledger-batch", "ledger-version"]
      const snapshotOf = (url: string, method = "GET") =>
        Effect.map(ask(url, { method }), ({ headers }) => names.map((name) => headers[name]))
      const [block, batch, version] = yield* snapshotOf("/tokens")
      assert.deepStrictEqual([block, batch], ["107", "3"])
      assert.match(version!, /^\d+$/u)
      for (
        const [path, method] of [
          ["/tokens?x", "GET"],
          ["/x", "GET"],
          ["/tokens", "PUT"],
          ["/tokens", "OPTIONS"],
          ["/docs", "GET"],
          ["/", "HEAD"],
          [`/${"x".repeat(9000)}`, "GET"]
        ] as const
      ) assert.deepStrictEqual(yield* snapshotOf(path, method), [block, batch, version], path)
    }))
})

describe("failures of the server", () => {
  const logged: Array<unknown> = []
  const silent = Logger.layer([Logger.make(({ message }) => void logged.push(message))])
  const failing = (failure: Effect.Effect<never, StoreFailure>) =>
    ask("/state").pipe(Effect.provide(applicationOver({ state: failure })), Effect.provide(silent))

  it.effect("a store failure that may pass is 503 with Retry-After", () =>
    Effect.gen(function*() {
      const answer = yield* failing(
        Effect.fail(new StoreFailure({ message: "pool exhausted at 10.0.0.3", retry: true }))
      )
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(answer.headers["retry-after"], "1")
      assert.notInclude(String(answer.body), "10.0.0.3")
    }))

  it.effect("any other failure and every defect is 500, reveals nothing and is logged", () =>
    Effect.gen(function*() {
      const failures: ReadonlyArray<Effect.Effect<never, StoreFailure>> = [
        Effect.fail(new StoreFailure({ message: "secret", retry: false })),
        Effect.die(new Error("secret")),
        Effect.sync(() => {
          throw new Error("secret")
        })
      ]
      for (const failure of failures) {
        logged.length = 0
        const answer = yield* failing(failure)
        assert.strictEqual(answer.status, 500)
        assert.notInclude(String(answer.body), "secret")
        assert.strictEqual(logged.length, 1)
        assert.strictEqual(problemOf(answer).type, problemType("internal"))
      }
    }))

  it.effect("before the first batch no batch is named, and block numbers keep their digits", () =>
    Effect.gen(function*() {
      const { headers } = yield* ask("/config").pipe(Effect.provide(applicationOver({})))
      assert.notProperty(headers, "ledger-batch")
      assert.strictEqual(headers["ledger-ethereum-block"], "18446744073709551615")
    }))

  it.effect("a missing item is reported with the snapshot that was read, though the ledger has changed since", () =>
    Effect.gen(function*() {
      const snapshotId = { ethereumBlockNum: 9n, batchNum: 2, version: 3 }
      const things = [{ filter: "tokenId", kind: "token", value: 5 }] as const
      const advancedLedger = applicationOver({
        find: () => Effect.succeed({ item: null, snapshotId }),
        list: () => Effect.fail(new NotRegistered({ things, snapshotId })),
        snapshotId: Effect.die("read a second time")
      })
      for (const url of ["/tokens/5", "/transactions-history?tokenId=5"]) {
        const { headers, status } = yield* ask(url).pipe(Effect.provide(advancedLedger))
        assert.strictEqual(status, 404)
        assert.deepInclude(headers, {
          "ledger-ethereum-block": "9",
          "ledger-batch": "2",
          "ledger-version": "3"
        })
      }
    }))

  it.effect("the documentation is served while the ledger cannot be read", () =>
    Effect.gen(function*() {
      const snapshotId = Effect.fail(new StoreFailure({ message: "down", retry: true }))
      const answer = yield* ask("/docs").pipe(Effect.provide(applicationOver({ snapshotId })))
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["api-revision"], "later")
    }))
})
