import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Redacted, Result, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { setTimeout as delay } from "node:timers/promises"
import { openMonitor } from "../../../adapters/metrics/mod.ts"
import { BulkWriter } from "../../../adapters/sql/mod.ts"
import { preferReplica } from "../../../adapters/sql/reads/mod.ts"
import { type LedgerReader, Monitor, NotRegistered, StoreFailure } from "../../../core/ports/mod.ts"
import { execute } from "../../postgres/_statements.ts"
import { freshDatabase, type FreshDatabase, scopedDatabase } from "../../postgres/mod.ts"
import { proxyTo } from "../_proxy.ts"
import { opened } from "../_running_node.ts"
import { chain, genesis } from "./_own_server.ts"

/** Gives a database the time of creation of another one, as a copy of it has. */
const copyOrigin = async (from: string, to: string): Promise<void> => {
  const [first] = await execute(
    from,
    "SELECT applied_at::text AS at FROM migration WHERE number = 1"
  )
  await execute(to, `UPDATE migration SET applied_at = '${first!.at}' WHERE number = 1`)
}

/** Returns a reader that only answers with its snapshot. */
const readerWith = (
  snapshotId: LedgerReader["Service"]["snapshotId"]
): LedgerReader["Service"] => ({
  find: () => Effect.never,
  accountsAndTokens: () => Effect.never,
  state: Effect.never,
  list: () => Effect.never,
  snapshotId
})

/*
 * A second database that takes the same blocks later plays the replica, with the time of creation of
 * the first one. The name of its ether shows which one answered.
 */
describe("reading from a replica", () => {
  let primary: FreshDatabase
  let replica: FreshDatabase
  beforeAll(async () => {
    ;[primary, replica] = await Promise.all([freshDatabase(), freshDatabase()])
  })
  afterAll(async () => {
    await primary.remove()
    await replica.remove()
  })

  const openedAt = (url: string, replicaUrl?: string) =>
    opened(url, {
      genesis,
      maxConnections: 6,
      ...(replicaUrl === undefined ? {} : { replicaUrl: Redacted.make(replicaUrl) })
    })

  it.live("fails to open with a replica that is not a copy, and never uses one that it meets later", () =>
    Effect.scoped(Effect.gen(function*() {
      const other = yield* scopedDatabase(freshDatabase)
      // the same network, and more blocks than the primary has
      const { ledger } = yield* openedAt(other.url)
      for (const block of chain) yield* ledger.applyBlock(block)
      const error = yield* Effect.flip(openedAt(primary.url, other.url))
      assert.strictEqual(error._tag === "DatabaseError" && error.reason, "otherNetwork")
      assert.match(error.message, /^The replica is not a copy of the database/u)

      const proxy = yield* proxyTo(other.url)
      proxy.refusing = true
      const { reader } = yield* openedAt(primary.url, proxy.url)
      proxy.refusing = false
      for (let i = 0; i < 10; i++) {
        assert.strictEqual((yield* reader.snapshotId).version, 0)
        yield* Effect.sleep(60)
      }
    })))

  it.live("fails to open with a replica that refuses the login, and reports one that is unreachable", () =>
    Effect.scoped(Effect.gen(function*() {
      const absent = new URL(primary.url)
      absent.pathname = "/absent"
      const error = yield* Effect.flip(openedAt(primary.url, absent.href))
      assert.strictEqual(error._tag === "DatabaseError" && error.reason, "refused")
      assert.match(
        error.message,
        /^The replica refuses connections: .*absent.*; correct its URL or the privileges of its user/u
      )

      const proxy = yield* proxyTo(primary.url)
      proxy.refusing = true
      const monitor = openMonitor()
      yield* Effect.provideService(openedAt(primary.url, proxy.url), Monitor, monitor)
      const state = Effect.map(monitor.health, ({ replica }) => replica?.state)
      assert.strictEqual(yield* state, "degraded")
      proxy.refusing = false
      yield* Effect.repeat(state, {
        until: (state) => state === "ok",
        schedule: Schedule.spaced("50 millis")
      })
    })))

  it.live("never shows an older ledger than this process has shown or written", () =>
    Effect.scoped(Effect.gen(function*() {
      const proxy = yield* proxyTo(replica.url)
      const copy = yield* openedAt(replica.url)
      yield* Effect.promise(() =>
        execute(replica.url, "UPDATE token SET name = 'Ether of the replica'")
      )
      yield* openedAt(primary.url)
      yield* Effect.promise(() => copyOrigin(primary.url, replica.url))
      const { ledger, reader, services } = yield* openedAt(primary.url, proxy.url)
      /** Which database answered, and for which version. */
      const answeredBy = Effect.map(
        reader.find("token", 0),
        (
          { item, snapshotId }
        ) => [item?.name === "Ether of the replica" ? "replica" : "primary", snapshotId.version]
      )
      const toldBy = (who: string): Effect.Effect<ReadonlyArray<unknown>, unknown> =>
        Effect.flatMap(
          answeredBy,
          (answer) => answer[0] === who ? Effect.succeed(answer) : Effect.delay(toldBy(who), 50)
        )

      assert.deepStrictEqual(yield* answeredBy, ["replica", 0])
      let version = 0
      for (const block of chain.slice(0, 4)) {
        yield* ledger.applyBlock(block)
        version += 1 + (block.batches?.length ?? 0)
        // the replica lags
        for (let i = 0; i < 5; i++) {
          assert.deepStrictEqual(yield* answeredBy, ["primary", version])
          assert.strictEqual((yield* reader.snapshotId).version, version)
          assert.strictEqual((yield* reader.state).snapshotId.version, version)
          yield* Effect.sleep(60)
        }
        yield* copy.ledger.applyBlock(block)
        assert.deepStrictEqual(yield* toldBy("replica"), ["replica", version])
      }

      const unknown = yield* Effect.flip(
        reader.list("accounts", { filters: { tokenIds: [99] }, limit: 5 })
      )
      assert.strictEqual(unknown.message, "Token 99 is not registered")

      // reads continue without a replica, which is used again when it is back
      proxy.refusing = true
      proxy.cut()
      for (let i = 0; i < 5; i++) assert.deepStrictEqual(yield* answeredBy, ["primary", version])
      proxy.refusing = false
      assert.deepStrictEqual(yield* toldBy("replica"), ["replica", version])

      // a bulk write counts as well
      const { applyAll } = Context.get(services, BulkWriter)
      yield* applyAll([{ kind: "prices", prices: [], check: () => Result.void }])
      assert.deepStrictEqual(yield* answeredBy, ["primary", ++version])
      yield* copy.ledger.setPrices([])

      // another process wrote: the replica may be ahead of the version known here, so only the
      // primary can answer
      yield* copy.ledger.applyBlock(chain[4]!)
      version += 1 + (chain[4]!.batches?.length ?? 0)
      assert.deepStrictEqual(yield* toldBy("replica"), ["replica", version])
    })))

  it.effect("uses the primary if the answer or the refusal of the replica is older than a seen version", () =>
    Effect.gen(function*() {
      const snapshotIdOf = (version: number) => ({ ethereumBlockNum: 0n, batchNum: null, version })
      const readerAt = (version: number, refusedVersion: number) => ({
        ...readerWith(Effect.succeed(snapshotIdOf(version))),
        list: () =>
          Effect.fail(
            new NotRegistered({
              things: [{ filter: "tokenIds", kind: "token", value: 99 }],
              snapshotId: snapshotIdOf(refusedVersion)
            })
          )
      })
      let seenVersion = 0
      const reader = yield* preferReplica(readerAt(7, 7), readerAt(5, 6), {
        isCopy: Effect.succeed(true),
        seenVersion: () => seenVersion
      })
      const refusedAt = Effect.map(
        Effect.flip(reader.list("accounts", { filters: { tokenIds: [99] } })),
        (error) => error._tag === "NotRegistered" ? error.snapshotId.version : undefined
      )
      assert.strictEqual((yield* reader.snapshotId).version, 5)
      assert.strictEqual(yield* refusedAt, 6)
      seenVersion = 6
      assert.strictEqual((yield* reader.snapshotId).version, 7)
      // the replica is not used for a moment after it lagged, even if the clock goes back
      seenVersion = 0
      assert.strictEqual((yield* reader.snapshotId).version, 7)
      const { now } = Date
      yield* Effect.acquireRelease(
        Effect.sync(() => void (Date.now = () => now() - 3_600_000)),
        () => Effect.sync(() => void (Date.now = now))
      )
      yield* Effect.promise(() => delay(300))
      assert.strictEqual((yield* reader.snapshotId).version, 5)
    }))

  it.effect("does not use a replica that failed until a check succeeds, so no request waits for it", () =>
    Effect.gen(function*() {
      const snapshotId = { ethereumBlockNum: 0n, batchNum: null, version: 1 }
      let [calls, isReachable] = [0, true]
      const failure = Effect.fail(
        new StoreFailure({ message: "The connection is lost", retry: true })
      )
      const ifReachable = <A>(answer: Effect.Effect<A, StoreFailure>) =>
        Effect.suspend(() => isReachable ? answer : failure)
      const replica = readerWith(
        ifReachable(Effect.sync(() => (calls++, { ...snapshotId, version: 2 })))
      )
      const reader = yield* preferReplica(readerWith(Effect.succeed(snapshotId)), replica, {
        isCopy: ifReachable(Effect.succeed(true)),
        seenVersion: () => 0
      })
      assert.strictEqual((yield* reader.snapshotId).version, 2)
      isReachable = false
      for (let i = 0; i < 5; i++) {
        assert.strictEqual((yield* reader.snapshotId).version, 1)
        yield* TestClock.adjust(1000)
      }
      isReachable = true
      assert.strictEqual((yield* reader.snapshotId).version, 1)
      yield* TestClock.adjust(1000)
      assert.strictEqual((yield* reader.snapshotId).version, 2)
      assert.strictEqual(calls, 2)
    }))
})
