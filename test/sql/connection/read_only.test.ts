import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { sessionLifetimeMs } from "../../../adapters/sql/connection/_session_pool.ts"
import { Database, databaseLayer } from "../../../adapters/sql/mod.ts"
import { authorizationOf } from "../../laws/pool/_pool_rows.ts"
import { execute, urlOfDatabase } from "../../postgres/_statements.ts"
import { ann, blocks, signed, transactionText } from "../../submission/_wallets.ts"
import { genesis } from "../../use_cases/_network.ts"
import { served } from "../_running_node.ts"
import { ownCluster } from "./_own_server.ts"

const [first, second, third] = blocks as [
  (typeof blocks)[number],
  (typeof blocks)[number],
  (typeof blocks)[number]
]

/**
 * The database of these tests answers reads, and no write succeeds. Each test has its own, and most
 * wait: they run at the same time.
 */
describe.concurrent("a database that cannot write", () => {
  const { database } = ownCluster()

  /**
   * Makes sessions that begin from now on read-only, and ends the others; or makes new sessions
   * writable again, and ends none.
   */
  const setReadOnly = (url: string, isReadOnly: boolean) =>
    Effect.promise(() => {
      const name = new URL(url).pathname.slice(1)
      return execute(
        urlOfDatabase(url, "postgres"),
        isReadOnly
          ? `ALTER DATABASE ${name} SET default_transaction_read_only = on`
          : `ALTER DATABASE ${name} RESET default_transaction_read_only`,
        isReadOnly
          ? `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
          : "SELECT"
      )
    })
  /** Lets each new row of some tables fail with a condition of PostgreSQL. */
  const refuseRows = (url: string, condition: string, tables: ReadonlyArray<string>) =>
    Effect.promise(() =>
      execute(
        url,
        `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$BEGIN RAISE EXCEPTION USING ERRCODE = '${condition}'; END$$`,
        ...tables.map((table) =>
          `CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON ${table} EXECUTE FUNCTION refuse()`
        )
      )
    )
  const post = (port: number, nonce: bigint) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/transactions-pool`, {
        method: "POST",
        headers: { "content-type": "application/json", connection: "close" },
        body: transactionText(signed(ann, { nonce }))
      })
      await response.text()
      return `${response.status} ${response.headers.get("retry-after")}`
    })

  it.live("does not keep its connections: the first write of each kind succeeds when it can write again", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const { ledger, port, reader, store } = yield* served(url, { genesis })
      const readSessions = Effect.promise(async () =>
        (await execute(
          url,
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rollup-node reads'"
        )).map(({ pid }) => pid)
      )
      yield* ledger.applyBlock(first)
      // as many writes at once as there are connections for writes
      const authorizeAll = Effect.forEach(
        Array.from({ length: 7 }, (_, i) => authorizationOf(i)),
        (authorization) => Effect.result(store.addAuthorization(authorization)),
        { concurrency: "unbounded" }
      )
      yield* setReadOnly(url, true)
      assert.isTrue((yield* authorizeAll).every(Result.isFailure))
      assert.deepInclude(yield* Effect.flip(ledger.applyBlock(second)), {
        _tag: "StoreFailure",
        retry: true,
        message:
          "The database failed: cannot execute SELECT FOR KEY SHARE in a read-only transaction"
      })
      yield* reader.snapshotId
      const readers = yield* readSessions
      assert.isNotEmpty(readers)
      yield* setReadOnly(url, false)
      assert.isTrue((yield* authorizeAll).every(Result.isSuccess))
      yield* ledger.applyBlock(second)
      yield* ledger.applyBlock(third)
      assert.strictEqual(yield* post(port, 0n), "200 null")
      // connections for reads may have been opened to a standby as well
      yield* Effect.repeat(Effect.andThen(reader.snapshotId, readSessions), {
        until: (sessions) => !sessions.some((session) => readers.includes(session))
      })
    })))

  it.live("answers posts with 503 and Retry-After, and reads as before", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const { ledger, port } = yield* served(url, { genesis })
      for (const block of blocks) yield* ledger.applyBlock(block)
      yield* setReadOnly(url, true)
      assert.strictEqual(yield* post(port, 0n), "503 1")
      const read = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/accounts`))
      assert.strictEqual(read.status, 200)
      yield* setReadOnly(url, false)
      assert.strictEqual(yield* post(port, 0n), "200 null")
      yield* refuseRows(url, "disk_full", ["pool_transaction"])
      assert.strictEqual(yield* post(port, 1n), "503 1")
    })))

  // no time passes in this test, so an attempt after a pause would never begin
  it.effect("fails a write without a pause", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const { ledger, store } = yield* served(url, { genesis })
      const mark = { batchNum: 1, ethereumBlockHash: "0x1" }
      const failures = Effect.all([
        Effect.flip(store.addAuthorization(authorizationOf(1))),
        Effect.flip(store.reconcile({ from: null, to: mark, changes: [] }, 1000)),
        Effect.flip(ledger.applyBlock(first))
      ])
      const mayPass = { _tag: "StoreFailure", retry: true } as const
      const tables = ["pool_authorization", "pool_write", "block"]
      for (const condition of ["disk_full", "read_only_sql_transaction"]) {
        yield* refuseRows(url, condition, tables)
        for (const failure of yield* failures) assert.deepInclude(failure, mayPass)
      }
    })))

  it.effect("keeps no connection beyond its lifetime, so none stays with a server that is no longer the primary", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* database
      const { reads, writes } = Context.get(
        yield* Layer.build(databaseLayer({ url: Redacted.make(url), maxConnections: 4 })),
        Database
      )
      const sessions = Effect.forEach(
        [reads, writes],
        (sql) =>
          Effect.map(
            sql.unsafe<{ readonly pid: number }>("SELECT pg_backend_pid() AS pid"),
            ([row]) => row!.pid
          )
      )
      const before = yield* sessions
      // less than the time after which an idle connection is closed
      const stepMs = 20_000
      for (let ms = stepMs; ms < sessionLifetimeMs; ms += stepMs) {
        yield* TestClock.adjust(stepMs)
        assert.deepStrictEqual(yield* sessions, before)
      }
      yield* TestClock.adjust(stepMs)
      for (const [i, pid] of (yield* sessions).entries()) assert.notStrictEqual(pid, before[i])
    })))
})
