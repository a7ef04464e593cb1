import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Redacted, Result, Scope } from "effect"
import { type LeaseOptions, leaseLayer, WriterLease } from "../../../adapters/sql/writes/lease.ts"
import { Database, databaseLayer } from "../../../adapters/sql/connection/database.ts"
import { migrate } from "../../../adapters/sql/schema/migrate.ts"
import { WriteSession } from "../../../core/ports/mod.ts"
import { execute } from "../../postgres/_statements.ts"
import { type FreshDatabase, freshDatabase } from "../../postgres/mod.ts"

describe("the writer's lease", () => {
  let database: FreshDatabase
  beforeAll(async () => {
    database = await freshDatabase()
    await Effect.runPromise(
      Effect.provide(migrate(), databaseLayer({ url: Redacted.make(database.url) }))
    )
    await execute(database.url, "CREATE TABLE note (text text NOT NULL)")
  })
  afterAll(() => database.remove())

  /** Opens a lease as one process does; closing its scope is an orderly end. */
  const opened = (options: LeaseOptions) =>
    Effect.gen(function*() {
      const scope = yield* Scope.fork(yield* Effect.scope)
      const url = Redacted.make(database.url)
      const context = yield* Layer.buildWithScope(
        Layer.provideMerge(leaseLayer(options), databaseLayer({ url, maxConnections: 4 })).pipe(
          Layer.fresh
        ),
        scope
      )
      const [{ write }, { writes }] = [
        Context.get(context, WriterLease),
        Context.get(context, Database)
      ]
      const noted = (text: string) => writes.unsafe("INSERT INTO note VALUES ($1)", [text])
      return {
        note: (text: string, before: Effect.Effect<void> = Effect.void) =>
          Effect.result(write(() => Effect.andThen(before, noted(text)))),
        noteIn: (session: WriteSession, text: string) =>
          Effect.result(Effect.provideService(write(() => noted(text)), WriteSession, session)),
        end: Scope.close(scope, Exit.void)
      }
    })
  const notes = Effect.map(
    Effect.promise(() => execute(database.url, "SELECT text FROM note ORDER BY text")),
    (rows) => rows.map(({ text }) => text)
  )
  const clean = Effect.promise(() =>
    execute(database.url, "UPDATE writer SET holder = NULL", "DELETE FROM note")
  )
  const outcomeOf = <A, E extends { readonly message: string }>(
    result: Result.Result<A, E>
  ): string => Result.isFailure(result) ? result.failure.message : "written"

  it.live("keeps a second writer out with a message, until the first one ends", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* clean
      const [one, two] = [yield* opened({ holder: "Ann" }), yield* opened({ holder: "Bob" })]
      assert.strictEqual(outcomeOf(yield* one.note("a")), "written")
      assert.match(
        outcomeOf(yield* two.note("b")),
        /^The ledger is written by Ann \([0-9a-f]{8}\) since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, and only one process can write: stop that process, or try again after it has stopped$/u
      )
      assert.strictEqual(outcomeOf(yield* one.note("c")), "written")
      yield* one.end
      assert.strictEqual(outcomeOf(yield* two.note("d")), "written")
      assert.deepStrictEqual(yield* notes, ["a", "c", "d"])
    })))

  it.live("is acquired by one of many concurrent processes", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* clean
      const processes = yield* Effect.all(Array.from({ length: 5 }, () => opened({})))
      const written = yield* Effect.all(processes.map(({ note }, i) => note(String(i))), {
        concurrency: "unbounded"
      })
      assert.strictEqual(written.filter(Result.isSuccess).length, 1)
      assert.strictEqual((yield* notes).length, 1)
    })))

  it.live("stays with a live writer, and passes within its term from one without heartbeats", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* clean
      const lively = yield* opened({ holder: "Ann", termMs: 3000, heartbeatMs: 100 })
      assert.strictEqual(outcomeOf(yield* lively.note("a")), "written")
      yield* Effect.sleep(4000)
      // without heartbeats: after its first write it counts as dead
      const two = yield* opened({ holder: "Bob", termMs: 400, heartbeatMs: 60_000, waits: true })
      const impatient = yield* opened({ holder: "Cleo" })
      assert.match(outcomeOf(yield* impatient.note("b")), /written by Ann/u)
      yield* lively.end
      assert.strictEqual(outcomeOf(yield* two.note("c")), "written")
      const third = yield* opened({ holder: "Dora", waits: true })
      assert.strictEqual(outcomeOf(yield* third.note("d")), "written")
      assert.deepStrictEqual(yield* notes, ["a", "c", "d"])
    })))

  it.live("is lost by a writer that was suspended for its term: an open write is not committed, and a new one fails", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* clean
      const sleeper = yield* opened({ holder: "Ann", termMs: 300, heartbeatMs: 60_000 })
      assert.strictEqual(outcomeOf(yield* sleeper.note("a")), "written")
      yield* Effect.sleep(400)
      const other = yield* opened({ holder: "Bob", termMs: 60_000 })
      assert.strictEqual(outcomeOf(yield* other.note("b")), "written")
      assert.strictEqual(
        outcomeOf(yield* sleeper.note("c")),
        "This process is no longer the writer of the ledger, because it sent no heartbeat and another process took over; nothing was written"
      )
      assert.match(outcomeOf(yield* sleeper.note("d")), /^The ledger is written by Bob/u)
      assert.deepStrictEqual(yield* notes, ["a", "b"])
    })))

  it.live("acquired again, reports once that others may have written, to each caller that continues from its own writes", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* clean
      const [feed, poller] = [{ since: null }, { since: null }]
      const one = yield* opened({ holder: "Ann", termMs: 200, heartbeatMs: 60_000, waits: true })
      assert.strictEqual(outcomeOf(yield* one.noteIn(feed, "a")), "written")
      assert.strictEqual(outcomeOf(yield* one.noteIn(poller, "b")), "written")
      yield* Effect.sleep(300)
      // no other process wrote
      assert.strictEqual(outcomeOf(yield* one.noteIn(feed, "c")), "written")
      yield* Effect.sleep(300)
      const other = yield* opened({ holder: "Bob", waits: true })
      assert.strictEqual(outcomeOf(yield* other.note("d")), "written")
      yield* other.end
      assert.match(
        outcomeOf(yield* one.noteIn(feed, "e")),
        /^This process is no longer the writer/u
      )
      // a caller that continues from nothing, or begins now, gets no report
      assert.strictEqual(outcomeOf(yield* one.note("f")), "written")
      assert.strictEqual(outcomeOf(yield* one.noteIn({ since: null }, "g")), "written")
      for (const session of [poller, feed]) {
        const failed = yield* one.noteIn(session, "h")
        assert.match(
          outcomeOf(failed),
          /^Another process may have written the ledger in the meantime, .*; nothing was written$/u
        )
        assert.include(Result.isFailure(failed) ? failed.failure : {}, {
          _tag: "StoreFailure",
          writerChanged: true,
          retry: true
        })
        assert.strictEqual(outcomeOf(yield* one.noteIn(session, "i")), "written")
      }
      assert.deepStrictEqual(yield* notes, ["a", "b", "c", "d", "f", "g", "i", "i"])
    })))

  it.live("has a term of ten seconds by the clock of the database, renewed by heartbeats every two", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* clean
      const { note } = yield* opened({})
      assert.strictEqual(outcomeOf(yield* note("a")), "written")
      const term = Effect.map(
        Effect.promise(() =>
          execute(
            database.url,
            "SELECT extract(epoch FROM expires_at - held_since)::float AS held, extract(epoch FROM expires_at - clock_timestamp())::float AS remaining FROM writer"
          )
        ),
        ([row]) => row as { readonly held: number; readonly remaining: number }
      )
      const first = yield* term
      assert.approximately(first.held, 10, 0.5)
      assert.isAtMost(first.remaining, 10)
      const renewed = yield* Effect.repeat(Effect.delay(term, 50), {
        until: ({ held }) => held > first.held
      })
      // on a busy machine a heartbeat is late
      assert.isAtLeast(renewed.held, 11.9)
      assert.isBelow(renewed.held, 15)
    })))

  it.live("does not pass while a transaction of the holder is open, however long after its term", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* clean
      const slow = yield* opened({ holder: "Ann", termMs: 200, heartbeatMs: 60_000 })
      const other = yield* opened({ holder: "Bob", waits: true })
      const order: Array<string> = []
      const began = yield* Effect.forkChild(
        slow.note("a", Effect.andThen(Effect.sleep(900), Effect.sync(() => void order.push("Ann"))))
      )
      yield* Effect.sleep(400)
      assert.strictEqual(
        outcomeOf(yield* other.note("b", Effect.sync(() => void order.push("Bob")))),
        "written"
      )
      assert.deepStrictEqual(order, ["Ann", "Bob"])
      assert.strictEqual(outcomeOf(yield* Fiber.join(began)), "written")
    })))
})
