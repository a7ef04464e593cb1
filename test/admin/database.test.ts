import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { openAdmin } from "../../adapters/admin/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { sqlStores } from "../../adapters/sql/mod.ts"
import { nodeOver } from "../../app/node/layers.ts"
import { type Health, Monitor } from "../../core/mod.ts"
import { execute } from "../postgres/_statements.ts"
import { type FreshDatabase, freshDatabase } from "../postgres/mod.ts"
import { ask, blocks, genesis, get, linesOf, post, token } from "./_admin.ts"
import { readExposition, sampleOf } from "./_exposition.ts"

describe("the admin listener over PostgreSQL", () => {
  let database: FreshDatabase
  beforeAll(async () => void (database = await freshDatabase()))
  afterAll(() => database.remove())

  const opened = (waits: boolean, url = database.url) =>
    Effect.gen(function*() {
      const monitor = openMonitor()
      const admin = yield* openAdmin({ port: 0, monitor, token: Redacted.make(token) })
      const node = yield* Effect.provideService(
        Effect.gen(function*() {
          const stores = yield* Layer.build(
            Layer.fresh(
              sqlStores({
                url: Redacted.make(url),
                genesis,
                maxConnections: 4,
                lease: { waits }
              })
            )
          )
          return yield* Layer.build(
            Layer.fresh(nodeOver(Layer.succeedContext(stores), { genesis }))
          )
        }),
        Monitor,
        monitor
      )
      yield* admin.attachNode(node)
      return { admin }
    })

  it.live(
    "reports whether the database answers, its schema version, and which process writes; a process that does not write refuses a feed",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { admin } = yield* opened(false)
        const checks = Effect.map(
          ask(admin, "/readyz"),
          ({ json, status }) => ({
            status,
            checks: (json as { readonly checks: { readonly [name: string]: Health } }).checks
          })
        )
        const before = yield* checks
        assert.strictEqual(before.status, 200)
        assert.deepStrictEqual([
          before.checks.database!.state,
          before.checks.migrations!.state,
          before.checks.writer!.state,
          before.checks.ledger!.state
        ], ["ok", "ok", "degraded", "ok"])
        assert.match(before.checks.writer!.detail, /^No process writes the ledger/u)

        assert.strictEqual(
          (yield* post(
            admin,
            "/feed",
            linesOf(...blocks.slice(0, 5).map((block) => ({ kind: "block" as const, block })))
          )).status,
          200
        )
        const writing = yield* checks
        assert.strictEqual(writing.checks.writer!.state, "ok")
        assert.match(
          writing.checks.writer!.detail,
          new RegExp(`^process ${process.pid} on .* writes the ledger since 2\\d{3}-`, "u")
        )
        const families = readExposition((yield* ask(admin, "/metrics")).text)
        assert.strictEqual(
          sampleOf(families, "rollup_database_connections_max", { client: "signals" }),
          1
        )
        assert.strictEqual(sampleOf(families, "rollup_ledger_block"), Number(blocks[4]!.number))
        assert.strictEqual(sampleOf(families, "rollup_metrics_unread"), 0)

        // another process of the same database is not the writer, and answers at once
        const { admin: other } = yield* opened(true)
        const refused = yield* post(other, "/feed", linesOf({ kind: "block", block: blocks[5]! }))
        assert.strictEqual(refused.status, 503)
        assert.strictEqual(refused.headers.get("retry-after"), "1")
        assert.match(refused.text, /Another process writes the ledger/u)
        assert.strictEqual((yield* get(admin, "/feed")).status, 200)

        yield* Effect.promise(() =>
          execute(
            database.url,
            "INSERT INTO migration (number, name, checksum) VALUES (999, 'of tomorrow', 'x')"
          )
        )
        const newer = yield* checks
        assert.deepStrictEqual([newer.status, newer.checks.migrations!.state], [200, "degraded"])
        assert.match(
          newer.checks.migrations!.detail,
          /migration 999 \(of tomorrow\) is applied, and/u
        )
        yield* Effect.promise(() =>
          execute(
            database.url,
            "UPDATE writer SET expires_at = clock_timestamp() - interval '1 s', epoch = epoch + 1"
          )
        )
        assert.match((yield* checks).checks.writer!.detail, /sends no heartbeat/u)
      })),
    60_000
  )

  it.live("is degraded with the error while its last write has failed, and keeps serving reads", () =>
    Effect.scoped(Effect.gen(function*() {
      const { remove, url } = yield* Effect.promise(freshDatabase)
      yield* Effect.addFinalizer(() => Effect.promise(remove))
      const { admin } = yield* opened(true, url)
      const readiness = Effect.map(ask(admin, "/readyz"), ({ json, status }) => {
        const { checks: { writes }, state } = json as {
          readonly state: string
          readonly checks: { readonly [name: string]: Health }
        }
        return { status, state, writes: writes! }
      })
      const apply = (block: (typeof blocks)[number]) =>
        Effect.map(
          post(admin, "/feed", linesOf({ kind: "block", block })),
          ({ headers, status }) => `${status} ${headers.get("retry-after")}`
        )
      assert.deepStrictEqual((yield* readiness).writes, {
        state: "ok",
        detail: "This process has not written yet"
      })
      assert.strictEqual(yield* apply(blocks[0]!), "200 null")
      assert.deepStrictEqual(yield* readiness, {
        status: 200,
        state: "ok",
        writes: { state: "ok", detail: "The last write succeeded" }
      })

      yield* Effect.promise(() =>
        execute(
          url,
          `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END$$`,
          "CREATE TRIGGER refuse BEFORE INSERT ON block EXECUTE FUNCTION refuse()"
        )
      )
      assert.strictEqual(yield* apply(blocks[1]!), "503 1")
      const failed = yield* readiness
      assert.deepStrictEqual([failed.status, failed.state, failed.writes.state], [
        200,
        "degraded",
        "degraded"
      ])
      assert.match(
        failed.writes.detail,
        /^The last write failed at 2\d{3}-[-\d]+T[:.\d]+Z: The database failed: could not extend file$/u
      )
      assert.strictEqual((yield* get(admin, "/feed")).status, 200)

      yield* Effect.promise(() => execute(url, "DROP TRIGGER refuse ON block"))
      assert.strictEqual(yield* apply(blocks[1]!), "200 null")
      assert.deepInclude(yield* readiness, { status: 200, state: "ok" })
    })))
})
