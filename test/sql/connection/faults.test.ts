import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Redacted, Result } from "effect"
import { Database, databaseLayer, sqlStores } from "../../../adapters/sql/mod.ts"
import { storeFailure } from "../../../adapters/sql/connection/failure.ts"
import { SqlError } from "effect/sql"
import { LedgerReader } from "../../../core/ports/mod.ts"
import { execute } from "../../postgres/_statements.ts"
import { chain, genesis, ownCluster } from "./_own_server.ts"
import { request, requestUntil, served } from "../_running_node.ts"

/** These tests break a server of their own. */
describe("a database that fails", () => {
  const { database, kill, restart, stop } = ownCluster()
  const opened = (url: string) =>
    Effect.provide(
      Effect.flatMap(LedgerReader, ({ snapshotId }) => snapshotId),
      sqlStores({ url: Redacted.make(url), genesis }),
      { local: true }
    )

  it.live("is retried at the start, and its password is not logged", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const messages: Array<string> = []
      const logger = Logger.layer([
        Logger.make(({ message }) => void messages.push(String(message)))
      ])
      yield* stop
      const starting = yield* Effect.forkChild(Effect.provide(opened(url), logger))
      while (messages.length < 2) yield* Effect.sleep(20)
      const { password, pathname, port } = new URL(url)
      assert.strictEqual(
        messages[0],
        `PostgreSQL at 127.0.0.1:${port}, database "${
          pathname.slice(1)
        }" cannot be used: connect ECONNREFUSED 127.0.0.1:${port}; trying again for up to 60 s`
      )
      yield* restart
      assert.deepStrictEqual(yield* Fiber.join(starting), {
        ethereumBlockNum: genesis.block.number,
        batchNum: null,
        version: 0
      })
      assert.isAbove(password.length, 8)
      for (const line of messages) assert.notInclude(line, password)
    })))

  it.live("is not retried if it refuses the login, or if the URL is invalid", () =>
    Effect.gen(function*() {
      const url = yield* database
      const wrong = new URL(url)
      wrong.password = "guessed"
      const message = (url: string) =>
        Effect.map(
          Effect.result(opened(url)),
          (result) => Result.isFailure(result) ? result.failure.message : "opened"
        )
      const place = `PostgreSQL at 127.0.0.1:${wrong.port}, database "${wrong.pathname.slice(1)}"`
      assert.strictEqual(
        yield* message(wrong.href),
        `${place} cannot be used: password authentication failed for user "postgres"; correct the URL or the privileges of its user`
      )
      assert.match(
        yield* message(url.replace(/\/test_\w+$/u, "/nowhere")),
        /database "nowhere" cannot be used: database "nowhere" does not exist; correct the URL/u
      )
      assert.strictEqual(
        yield* message("https://user:secret@127.0.0.1/x"),
        "The URL of the database is invalid: expected one such as postgresql://user:password@host:5432/database"
      )
      assert.strictEqual(
        yield* message(`${url}?sslmode=maybe`),
        "The URL of the database has sslmode=maybe, expected one of disable, allow, prefer, require, verify-ca, verify-full: correct it"
      )
      const { USER, USERNAME } = process.env
      delete process.env.USER
      delete process.env.USERNAME
      assert.match(
        yield* Effect.ensuring(
          message("postgresql://127.0.0.1:1/test"),
          Effect.sync(() =>
            Object.assign(process.env, JSON.parse(JSON.stringify({ USER, USERNAME })))
          )
        ),
        /^Neither the URL of the database nor the variable USER sets a user: expected a URL such as/u
      )
    }))

  it.live("is not retried if the URL requires TLS and the server has none", () =>
    Effect.gen(function*() {
      const url = yield* database
      const failure = yield* Effect.flip(opened(`${url}?sslmode=require`))
      assert.deepInclude(failure, { _tag: "DatabaseError", reason: "refused" })
      assert.match(
        failure.message,
        /cannot be used: The server does not support TLS; enable TLS .* on the server .*, or correct sslmode in the URL$/u
      )
    }))

  it.live("is retried until the wait ends, and not at all without one", () =>
    Effect.gen(function*() {
      // no process listens on this port
      const url = Redacted.make("postgresql://user@127.0.0.1:1/rollup")
      for (
        const [waitMs, expected, warnings] of [
          [
            0,
            /: connect ECONNREFUSED [\d.:]+; start the server, correct the URL, or wait longer$/u,
            0
          ],
          [600, /: connect ECONNREFUSED [\d.:]+ after 0\.6 s; start the server/u, 3]
        ] as const
      ) {
        const messages: Array<string> = []
        const logger = Logger.layer([
          Logger.make(({ message }) => void messages.push(String(message)))
        ])
        const failure = yield* Effect.flip(
          Effect.provide(Effect.scoped(Layer.build(databaseLayer({ url, waitMs }))), logger)
        )
        assert.strictEqual(failure.reason, "unreachable")
        assert.match(failure.message, expected)
        assert.strictEqual(messages.length, warnings, messages.join("\n"))
      }
    }))

  it("is retried unless its certificate is not trusted", () => {
    const failureWith = (code: string) =>
      storeFailure(
        new SqlError.SqlError({
          reason: new SqlError.ConnectionError({
            operation: "connect",
            message: "PgConnection: Failed to connect",
            cause: Object.assign(new Error(code), { code })
          })
        })
      )
    for (const code of ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"]) {
      assert.isTrue(failureWith(code).retry, code)
    }
    for (
      const code of [
        "DEPTH_ZERO_SELF_SIGNED_CERT",
        "SELF_SIGNED_CERT_IN_CHAIN",
        "CERT_HAS_EXPIRED",
        "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
        "ERR_TLS_CERT_ALTNAME_INVALID"
      ]
    ) assert.isFalse(failureWith(code).retry, code)
  })

  it.live("makes the service answer 503 with Retry-After while it is down; the same process continues when it is back", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const { ledger, port } = yield* served(url, { genesis })
      for (const block of chain.slice(0, 3)) yield* ledger.applyBlock(block)
      const before = yield* request(port, "/state")
      assert.deepInclude(before, {
        status: 200,
        version: yield* Effect.map(
          requestUntil(port, "/state", ({ version }) => version > 0),
          ({ version }) => version
        )
      })
      yield* kill
      for (const path of ["/state", "/accounts", "/transactions-history?limit=3", "/tokens/1"]) {
        const { retryAfter, status } = yield* request(port, path)
        assert.deepStrictEqual([path, status, retryAfter], [path, 503, "1"])
      }
      const refused = yield* Effect.flip(ledger.applyBlock(chain[3]!))
      assert.deepInclude(refused, { _tag: "StoreFailure", retry: true })
      yield* restart
      const after = yield* requestUntil(port, "/state", ({ status }) => status === 200)
      assert.deepStrictEqual(after, before)
      // by now every connection is new, or is replaced without an error
      const answers = yield* Effect.all(
        Array.from({ length: 60 }, () => request(port, "/accounts")),
        { concurrency: 30 }
      )
      assert.deepStrictEqual(answers.filter(({ status }) => status !== 200), [])
      yield* ledger.applyBlock(chain[3]!)
      assert.isAbove((yield* request(port, "/state")).version, before.version)
    })))

  it.live("makes the service answer 503 with Retry-After while it refuses the login, and continue afterwards", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const setPassword = (password: string, verb = "ALTER") =>
        Effect.promise(() =>
          execute(url, `${verb} ROLE rotated LOGIN SUPERUSER PASSWORD '${password}'`)
        )
      yield* setPassword("first", "CREATE")
      const own = new URL(url)
      own.username = "rotated"
      own.password = "first"
      const { ledger, port } = yield* served(own.href, { genesis })
      yield* ledger.applyBlock(chain[0]!)
      yield* setPassword("second")
      yield* endSessions(url)
      const refused = yield* request(port, "/accounts")
      assert.deepStrictEqual([refused.status, refused.retryAfter], [503, "1"])
      const failure = yield* Effect.flip(ledger.applyBlock(chain[1]!))
      assert.deepInclude(failure, {
        retry: true,
        message: `The database failed: password authentication failed for user "rotated"`
      })
      yield* setPassword("first")
      yield* requestUntil(port, "/accounts", ({ status }) => status === 200)
      yield* ledger.applyBlock(chain[1]!)
    })))

  it.live("that closes all idle sessions is not noticed by any reader", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const { port } = yield* served(url, { genesis })
      const ask = Effect.map(
        Effect.all(Array.from({ length: 60 }, () => request(port, "/tokens")), { concurrency: 60 }),
        (all) => new Set(all.map(({ status }) => status))
      )
      assert.deepStrictEqual(yield* ask, new Set([200]))
      for (let round = 0; round < 5; round++) {
        // cached answers need no session; the connection that listens for changes reconnects
        while ((yield* endSessions(url)) === 0) yield* Effect.sleep(10)
        assert.deepStrictEqual(yield* ask, new Set([200]))
      }
    })))

  it.live("that takes too long for a statement is cancelled, and the caller may retry", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const layer = databaseLayer({
        url: Redacted.make(url),
        statementTimeoutMs: 200,
        maxConnections: 4
      })
      const { reads, writes } = Context.get(yield* Layer.build(layer), Database)
      for (const sql of [reads, writes]) {
        const failure = storeFailure(yield* Effect.flip(sql.unsafe("SELECT pg_sleep(60)")))
        assert.deepInclude(failure, {
          _tag: "StoreFailure",
          retry: true,
          message: "The database failed: canceling statement due to statement timeout"
        })
        assert.deepStrictEqual(yield* sql.unsafe("SELECT 1 AS n"), [{ n: 1 }])
      }
    })))

  it.live("whose connections are all in use makes readers wait for a bounded time, then answers 503", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const { port } = yield* served(url, {
        genesis,
        maxConnections: 4,
        queueWaitMs: 100,
        statementTimeoutMs: 500
      })
      const locked = yield* Layer.build(
        Layer.fresh(databaseLayer({ url: Redacted.make(url), idleTransactionMs: 60_000 }))
      )
      const { writes } = Context.get(locked, Database)
      const statuses = yield* writes.withTransaction(Effect.andThen(
        writes.unsafe("LOCK TABLE ledger IN ACCESS EXCLUSIVE MODE"),
        Effect.all(Array.from({ length: 40 }, () => request(port, "/state")), {
          concurrency: "unbounded"
        })
      ))
      assert.deepStrictEqual([
        ...new Set(statuses.map(({ retryAfter, status }) => `${status} ${retryAfter}`))
      ], ["503 1"])
      assert.strictEqual(
        (yield* requestUntil(port, "/state", ({ status }) => status === 200)).status,
        200
      )
    })))

  it.live("that reads a list from a sender to another receiver refuses the next one with 503, and no other read", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const { port } = yield* served(url, { genesis, pairReadsMax: 1 })
      const address = (digit: number) => `zk:0x${String(digit).repeat(40)}`
      const path = (sender: number, rest = "") =>
        `/v1/transactions-history?fromZkEthereumAddress=${address(sender)}&toZkEthereumAddress=${
          address(9)
        }${rest}`
      assert.strictEqual((yield* request(port, path(1))).status, 200)
      const locked = yield* Layer.build(Layer.fresh(databaseLayer({ url: Redacted.make(url) })))
      const { writes } = Context.get(locked, Database)
      const first = yield* writes.withTransaction(Effect.gen(function*() {
        yield* writes.unsafe("LOCK TABLE posting IN ACCESS EXCLUSIVE MODE")
        const first = yield* Effect.forkChild(request(port, path(2)), { startImmediately: true })
        // the first list waits for the lock
        yield* Effect.repeat(
          writes.unsafe("SELECT 1 FROM pg_locks WHERE NOT granted"),
          { until: (rows) => rows.length > 0 }
        )
        for (const sender of [3, 4, 5]) {
          const { body, retryAfter, status } = yield* request(port, path(sender))
          assert.strictEqual(`${status} ${retryAfter}`, "503 1")
          assert.include(
            body,
            "The server reads at most 1 of the lists from a sender to another receiver at a time: try again in 1 s, or name a batch"
          )
        }
        assert.strictEqual((yield* request(port, "/tokens")).status, 200)
        return first
      }))
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      assert.strictEqual((yield* request(port, path(6))).status, 200)
    })))

  it.live("bounds the wait of transactions for a connection, and no connection is lost to a timeout", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const { writes } = Context.get(
        yield* Layer.build(
          databaseLayer({ url: Redacted.make(url), maxConnections: 4, queueWaitMs: 100 })
        ),
        Database
      )
      for (let round = 0; round < 3; round++) {
        const exits = yield* Effect.all(
          Array.from(
            { length: 8 },
            () => Effect.result(writes.withTransaction(writes.unsafe("SELECT pg_sleep(0.5)")))
          ),
          { concurrency: "unbounded" }
        )
        const failures = exits.filter(Result.isFailure).map(({ failure }) => storeFailure(failure))
        assert.strictEqual(failures.length, 7)
        for (const failure of failures) {
          assert.deepInclude(failure, {
            retry: true,
            message:
              "The database failed: The connection was in use for 100 ms: try again, or allow more connections"
          })
        }
      }
    })))
})

/** Returns how many sessions were ended. */
const endSessions = (url: string): Effect.Effect<number> =>
  Effect.map(
    Effect.promise(() =>
      execute(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
      )
    ),
    (ended) => ended.length
  )
