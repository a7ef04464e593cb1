import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Logger, Schema } from "effect"
import { problems, problemType, type ProblemName } from "../../adapters/http/mod.ts"
import { NotRegistered, StoreFailure } from "../../core/ports/mod.ts"
import { application, applicationOver, ask, problemOf } from "./_application.ts"

const members = ["message", "type", "title", "status", "detail", "instance"]

layer(application())("refusals", (it) => {
  it.effect("all violations are listed at once, each with its rule and the nearest name", () =>
    Effect.gen(function*() {
      const answer = yield* ask(
        "/exits?limit=0&limt=5&order=asc&accountIndex=zk:ETH:256&tokenId=01&tokenId=2&BJJ="
      )
      const { errors, status, message } = problemOf(answer)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(status, 400)
      assert.match(message, /^\d+ violations: /u)
      assert.deepStrictEqual(errors!.map(({ parameter }) => parameter), [
        "limit",
        "limt",
        "order",
        "tokenId",
        "tokenId",
        "BJJ",
        "tokenId",
        "BJJ"
      ])
      assert.strictEqual(errors!.find(({ parameter }) => parameter === "limt")!.nearest, "limit")
      for (const error of errors!) assert.containsAllKeys(error, ["in", "value", "rule", "message"])
    }))

  it.effect("a query part that cannot be decoded hides no other violation", () =>
    Effect.gen(function*() {
      const { errors } = problemOf(yield* ask("/tokens?limit=0&x=%ff&order=z&x=%ff"))
      assert.deepStrictEqual(errors!.map(({ parameter }) => parameter), ["limit", "x=%ff", "order"])
      const single = problemOf(yield* ask("/tokens/x?%ff=1&y=2"))
      assert.deepStrictEqual(single.errors!.map(({ parameter }) => parameter), ["id", "%ff=1", "y"])
    }))

  it.effect("a parameter whose value cannot be decoded counts as present", () =>
    Effect.gen(function*() {
      const { errors } = problemOf(yield* ask("/earlier/bids?slotNum=%ff"))
      assert.deepStrictEqual(errors!.map(({ parameter }) => parameter), ["slotNum=%ff"])
    }))

  it.effect("every unregistered value is listed, in one message", () =>
    Effect.gen(function*() {
      const { errors, message } = problemOf(yield* ask("/accounts?tokenIds=998,1,999"))
      assert.deepStrictEqual(errors!.map(({ parameter, value }) => [parameter, value]), [[
        "tokenIds",
        "998"
      ], ["tokenIds", "999"]])
      assert.match(message, /Token 998 is not registered; Token 999 is not registered$/u)
    }))

  it.effect("violations of path and query are reported together", () =>
    Effect.gen(function*() {
      const { errors } = problemOf(yield* ask("/exits/x/zk:ETH?y=1"))
      assert.deepStrictEqual(errors!.map((error) => [error.in, error.parameter]), [
        ["path", "batchNum"],
        ["path", "accountIndex"],
        ["query", "y"]
      ])
    }))

  it.effect("every refusal is one object with the members of RFC 9457 and a message", () =>
    Effect.gen(function*() {
      const refused: ReadonlyArray<readonly [string, number, ProblemName, string?]> = [
        ["/tokens?limit=0", 400, "invalid-input"],
        ["/tokens/999", 404, "not-found"],
        ["/accounts?tokenIds=999", 404, "not-registered"],
        ["/nowhere", 404, "unknown-path"],
        ["/tokens", 405, "method-not-allowed", "PUT"],
        [`/${"x".repeat(8192)}`, 414, "url-too-long"]
      ]
      for (const [path, status, name, method = "GET"] of refused) {
        const answer = yield* ask(path, { method })
        const problem = problemOf(answer)
        assert.strictEqual(answer.status, status)
        assert.strictEqual(answer.headers["content-type"], "application/json")
        assert.containsAllKeys(problem, members)
        assert.strictEqual(problem.status, status)
        assert.strictEqual(problem.type, problemType(name))
        assert.strictEqual(problem.title, problems[name].title)
        assert.isTrue(path.startsWith(problem.instance))
        assert.notMatch(problem.message, /\.$/u)
      }
    }))

  it.effect("a refusal of an unregistered value names the filter as the client does", () =>
    Effect.gen(function*() {
      const { errors, message } = problemOf(
        yield* ask("/transactions-history?accountIndex=zk:ETH:9999")
      )
      assert.strictEqual(message, "Account 9999 is not registered")
      assert.deepInclude(errors![0], {
        in: "query",
        parameter: "accountIndex",
        rule: "a registered account"
      })
    }))

  it.effect("the instance of a problem is a URI for any request", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        problemOf(yield* ask('/a b\u0000\u00e9<"\ud800')).instance,
        "/a%20b%00%C3%A9%3C%22%EF%BF%BD"
      )
      for (
        const [target, instance] of [
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
      const { headers } = yield* ask("/tokens")
      assert.strictEqual(headers["ledger-ethereum-block"], "107")
      assert.strictEqual(headers["ledger-batch"], "3")
      assert.match(headers["ledger-version"]!, /^\d+$/u)
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
      ) {
        const other = yield* ask(path, { method })
        for (const name of ["ledger-ethereum-block", "ledger-batch", "ledger-version"]) {
          assert.strictEqual(other.headers[name], headers[name], path)
        }
      }
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

describe("the table of problems", () => {
  it("contains only statuses that the design allows", () => {
    const statuses = Schema.Literals([400, 404, 405, 408, 413, 414, 415, 429, 431, 500, 503])
    for (const { status } of Object.values(problems)) Schema.decodeUnknownSync(statuses)(status)
  })
})
