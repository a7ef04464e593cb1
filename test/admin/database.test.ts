import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { sqlStores } from "../../adapters/sql/mod.ts"
import { nodeOver } from "../../app/node/layers.ts"
import { execute } from "../postgres/_statements.ts"
import { type FreshDatabase, freshDatabase } from "../postgres/mod.ts"
import {
  ask,
  blockFeed,
  blocks,
  feed,
  genesis,
  get,
  linesOf,
  post,
  readinessOf,
  watched
} from "./_admin.ts"
import { readExposition, sampleOf } from "./_exposition.ts"

// each test has its own database, and most wait: they run at the same time
describe.concurrent("the admin listener over PostgreSQL", () => {
  let database: FreshDatabase
  beforeAll(async () => void (database = await freshDatabase()))
  afterAll(() => database.remove())

  const opened = (waits: boolean, url = database.url) => {
    const connection = { url: Redacted.make(url), maxConnections: 4, lease: { waits } }
    const stores = Layer.fresh(sqlStores({ ...connection, genesis }))
    return Effect.map(
      watched({}, Layer.fresh(nodeOver(stores, { genesis }))),
      ({ admin }) => admin
    )
  }

  it.live(
    "reports whether the database answers, its schema version, and which process writes; a process that does not write refuses a feed",
    () =>
      Effect.gen(function*() {
        const admin = yield* opened(false)
        const before = yield* readinessOf(admin)
        const names = ["database", "migrations", "writer", "ledger"]
        assert.deepStrictEqual(
          [before.status, ...names.map((name) => before.checks[name]!.state)],
          [200, "ok", "ok", "degraded", "ok"]
        )
        assert.match(before.checks.writer!.detail, /^No process writes the ledger/u)

        assert.strictEqual((yield* feed(admin, blockFeed(0, 5))).status, 200)
        const { checks: { writer } } = yield* readinessOf(admin)
        assert.strictEqual(writer!.state, "ok")
        assert.match(
          writer!.detail,
          new RegExp(`^process ${process.pid} on .* writes the ledger since 2\\d{3}-`, "u")
        )
        const families = readExposition((yield* ask(admin, "/metrics")).text)
        const connections = { client: "signals" }
        assert.deepStrictEqual([
          sampleOf(families, "rollup_database_connections_max", connections),
          sampleOf(families, "rollup_ledger_block"),
          sampleOf(families, "rollup_metrics_unread")
        ], [1, Number(blocks[4]!.number), 0])

        // another process of the same database is not the writer, and answers at once
        const other = yield* opened(true)
        const refused = yield* post(other, "/feed", linesOf(...blockFeed(5, 6)))
        assert.strictEqual(refused.status, 503)
        assert.strictEqual(refused.headers.get("retry-after"), "1")
        assert.match(refused.text, /Another process writes the ledger/u)
        assert.strictEqual((yield* get(admin, "/feed")).status, 200)

        yield* Effect.promise(() =>
          execute(
            database.url,
            "INSERT INTO migration (number, name, checksum) VALUES (999, 'of tomorrow', 'x')",
            "UPDATE writer SET expires_at = clock_timestamp() - interval '1 s', epoch = epoch + 1"
          )
        )
        const newer = yield* readinessOf(admin)
        assert.deepStrictEqual([newer.status, newer.checks.migrations!.state], [200, "degraded"])
        assert.match(
          newer.checks.migrations!.detail,
          /migration 999 \(of tomorrow\) is applied, and/u
        )
        assert.match(newer.checks.writer!.detail, /sends no heartbeat/u)
      }),
    60_000
  )

  it.live("is degraded with the error while its last write has failed, and keeps serving reads", () =>
    Effect.gen(function*() {
      const { remove, url } = yield* Effect.promise(freshDatabase)
      yield* Effect.addFinalizer(() => Effect.promise(remove))
      const admin = yield* opened(true, url)
      const writes = Effect.map(
        readinessOf(admin),
        ({ checks, state, status }): ReadonlyArray<unknown> => [status, state, checks.writes]
      )
      const apply = (position: number) =>
        Effect.map(
          post(admin, "/feed", linesOf(...blockFeed(position, position + 1))),
          ({ headers, status }) => `${status} ${headers.get("retry-after")}`
        )
      const okWith = (detail: string) => [200, "ok", { state: "ok", detail }]
      assert.deepStrictEqual((yield* readinessOf(admin)).checks.writes, {
        state: "ok",
        detail: "This process has not written yet"
      })
      assert.strictEqual(yield* apply(0), "200 null")
      assert.deepStrictEqual(yield* writes, okWith("The last write succeeded"))

      yield* Effect.promise(() =>
        execute(
          url,
          `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END$$`,
          "CREATE TRIGGER refuse BEFORE INSERT ON block EXECUTE FUNCTION refuse()"
        )
      )
      assert.strictEqual(yield* apply(1), "503 1")
      const { checks, state, status } = yield* readinessOf(admin)
      assert.deepStrictEqual([status, state, checks.writes!.state], [200, "degraded", "degraded"])
      assert.match(
        checks.writes!.detail,
        /^The last write failed at 2\d{3}-[-\d]+T[:.\d]+Z: The database failed: could not extend file$/u
      )
      assert.strictEqual((yield* get(admin, "/feed")).status, 200)

      yield* Effect.promise(() => execute(url, "DROP TRIGGER refuse ON block"))
      assert.strictEqual(yield* apply(1), "200 null")
      assert.deepStrictEqual(yield* writes, okWith("The last write succeeded"))
    }))

  it.live(
    "is no longer degraded once the database writes again and another process is the writer",
    () =>
      Effect.gen(function*() {
        const { remove, url } = yield* Effect.promise(freshDatabase)
        yield* Effect.addFinalizer(() => Effect.promise(remove))
        const writer = yield* opened(false, url)
        assert.strictEqual((yield* feed(writer, blockFeed(0, 1))).status, 200)
        const other = yield* opened(true, url)
        const setReadOnly = (value: "on" | "off") =>
          Effect.promise(() =>
            execute(
              url,
              "SET default_transaction_read_only = off",
              `DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ${value}', current_database()); END$$`,
              "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
          )
        const writesAfterPost = Effect.andThen(
          post(other, "/feed", linesOf(...blockFeed(1, 2))),
          Effect.map(readinessOf(other), ({ checks }) => checks.writes!)
        )
        yield* setReadOnly("on")
        const { detail, state } = yield* writesAfterPost
        assert.strictEqual(state, "degraded")
        assert.match(detail, /cannot execute UPDATE in a read-only transaction$/u)
        yield* setReadOnly("off")
        assert.deepStrictEqual(yield* writesAfterPost, {
          state: "ok",
          detail: "Another process writes the ledger"
        })
      }),
    60_000
  )
})
