import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import type { LedgerVersions } from "../../../adapters/sql/mod.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import * as memory from "../../../adapters/memory/mod.ts"
import {
  type LedgerPart,
  ledgerParts,
  LedgerReader,
  LatestLedgerVersion
} from "../../../core/ports/mod.ts"
import { Ledger } from "../../../core/use_cases/mod.ts"
import { freshDatabase, scopedDatabase } from "../../postgres/mod.ts"
import { execute } from "../../postgres/_statements.ts"
import { pendingExit } from "../../laws/pool/_pool_rows.ts"
import { owners, unlimited } from "../_pool_subject.ts"
import { opened } from "../_running_node.ts"
import { withHeads } from "../../properties/_heads.ts"
import { proxyTo } from "../_proxy.ts"

const simulation = simulate({
  seed: "versions",
  users: 12,
  tokens: 3,
  rollBackPeriodBlocks: 5,
  placeholderRoots: true
})
const { genesis } = simulation
const records = [...withHeads(Array.from({ length: 60 }, () => simulation.next()))]

const database = scopedDatabase(freshDatabase)

const openedAt = (url: string) => opened(url, { genesis, maxConnections: 6 })
/** Waits until the version is known. */
const untilKnown = (versions: LedgerVersions["Service"], version: number) =>
  Stream.runHead(Stream.filter(versions.changes, (each) => each >= version))
const until = (holds: () => boolean) =>
  Effect.repeat(Effect.sync(holds), { until: (held) => held, schedule: Schedule.spaced(20) })
const growing = (versions: ReadonlyArray<number>): boolean =>
  versions.every((version, i) => i === 0 || version > versions[i - 1]!)

// most of these tests wait: they run at the same time, each over its own database
describe.concurrent("ledger versions", () => {
  it.live("reach other processes as they are written, and never go back, through rollbacks and lost connections", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* database
      const proxy = yield* proxyTo(url)
      const [writer, other] = [yield* openedAt(url), yield* openedAt(proxy.url)]
      const seen: Array<number> = []
      const inMemory = yield* Layer.build(
        Layer.fresh(
          Ledger.layer(genesis, keccak256).pipe(Layer.provideMerge(memory.layer(genesis)))
        )
      )
      const raised: Array<
        readonly [sql: ReadonlyArray<LedgerPart>, memory: ReadonlyArray<LedgerPart>]
      > = []
      const watching = yield* Effect.forkChild(
        Stream.runForEach(
          other.versions.changes,
          (version) => Effect.sync(() => void seen.push(version))
        )
      )
      for (const [i, record] of records.entries()) {
        yield* writer.ledger.applyRecord(record)
        yield* Context.get(inMemory, Ledger).applyRecord(record)
        const { version } = yield* Context.get(inMemory, LedgerReader).snapshotId
        const { parts } = Context.get(inMemory, LatestLedgerVersion)!.snapshot!(version)!
        const snapshot = yield* Effect.repeat(Effect.sync(() => writer.tip.snapshot!(version)), {
          until: (snapshot) => snapshot !== null,
          schedule: Schedule.spaced(2)
        })
        raised.push([
          ledgerParts.filter((part) => snapshot!.parts[part] === version),
          ledgerParts.filter((part) => parts[part] === version)
        ])
        // the writing process knows it too
        if (i % 20 === 0) {
          yield* untilKnown(writer.versions, (yield* writer.reader.snapshotId).version)
        }
        if (i === 30) proxy.cut()
        if (i === 40) {
          proxy.refusing = true
          proxy.cut()
        }
        if (i === 50) {
          proxy.refusing = false
          yield* untilKnown(other.versions, (yield* writer.reader.snapshotId).version)
        }
      }
      const { version } = yield* writer.reader.snapshotId
      yield* untilKnown(other.versions, version)
      yield* Fiber.interrupt(watching)
      for (const [sql, memory] of raised) assert.deepStrictEqual(sql, memory)
      // all processes have the same versions of parts, however they received the version
      const snapshots = () => [writer, other].map(({ tip }) => tip.snapshot!(version))
      yield* until(() => snapshots().every((snapshot) => snapshot !== null))
      const [own, others] = snapshots()
      assert.deepStrictEqual(own, others)
      assert.isAbove(records.filter(({ kind }) => kind === "rollBack").length, 1)
      assert.isAbove(seen.length, 10)
      assert.isTrue(growing(seen), seen.join())
      assert.strictEqual(seen.at(-1), version)
      assert.strictEqual(yield* other.versions.current, version)
    })))

  it.live("are sent by the transaction itself: a listener receives one that was never queried", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* database
      const { versions } = yield* openedAt(url)
      // no UPDATE of the row: a query would not find this version
      const notify = Effect.promise(() =>
        execute(
          url,
          "SELECT pg_notify('rollup_' || 'ledger'::regclass::oid, 'ledger 1000000')"
        )
      )
      // a notification before LISTEN, or while its connection is opened again, is lost
      yield* Effect.race(
        untilKnown(versions, 1_000_000),
        Effect.repeat(notify, Schedule.spaced(100))
      )
      assert.strictEqual(yield* versions.current, 1_000_000)
    })))

  it.live("of the pool: a process receives the changes of another one, and knows nothing while notifications are missing", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* database
      const proxy = yield* proxyTo(url)
      const [one, other] = [yield* openedAt(url), yield* openedAt(proxy.url)]
      const moved = pendingExit(1)
      yield* until(() => other.latestPoolVersion.version() !== null)
      const empty = other.latestPoolVersion.version()
      yield* one.pool.addTransaction(moved, owners, unlimited)
      yield* until(() => other.latestPoolVersion.version() !== empty)
      const known = other.latestPoolVersion.version()
      const before = one.latestPoolVersion.version()
      yield* one.pool.change([{
        id: moved.id,
        from: "pend",
        fromBatchNum: null,
        to: "fing",
        batchNum: 1,
        reason: "Test"
      }], 2000)
      // the writing process knows at once
      assert.notStrictEqual(one.latestPoolVersion.version(), before)
      yield* until(() => other.latestPoolVersion.version() !== known)
      const changed = other.latestPoolVersion.version()
      proxy.refusing = true
      proxy.cut()
      yield* until(() => other.latestPoolVersion.version() === null)
      proxy.refusing = false
      yield* until(() => other.latestPoolVersion.version() !== null)
      // it may have missed a notification
      assert.notStrictEqual(other.latestPoolVersion.version(), changed)
    })))

  it.live("arrive again after the connection that listens has died without a sign", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* database
      const proxy = yield* proxyTo(url)
      const muted = proxy.failNext(/^LISTEN/u, "mute")
      const { latestPoolVersion } = yield* openedAt(proxy.url)
      yield* Effect.promise(() => muted)
      assert.isNull(latestPoolVersion.version())
      yield* until(() => latestPoolVersion.version() !== null)
    })))

  it.live("are unknown while notifications are missing and the answers to polls are late", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* database
      const proxy = yield* proxyTo(url)
      const { tip } = yield* openedAt(proxy.url)
      const untilTold = until(() => tip.version() !== null)
      yield* untilTold
      proxy.refusing = true
      proxy.delayMs = 1000
      yield* Effect.promise(() =>
        execute(
          url,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '% notifications'"
        )
      )
      yield* until(() => tip.version() === null)
      // a version that was read a second ago may have been replaced since
      assert.isNull(yield* Effect.raceFirst(untilTold, Effect.as(Effect.sleep(5000), null)))
      proxy.delayMs = 0
      yield* untilTold
    })))
})

// sets the clock of the process back, so no other test of the file runs meanwhile
describe("the versions of the pool", () => {
  it.live("arrive on the same connection after the clock has gone back by an hour", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* database
      const proxy = yield* proxyTo(url)
      const { latestPoolVersion } = yield* openedAt(proxy.url)
      yield* until(() => latestPoolVersion.version() !== null)
      const { now } = Date
      yield* Effect.acquireRelease(
        Effect.sync(() => void (Date.now = () => now() - 3_600_000)),
        () => Effect.sync(() => void (Date.now = now))
      )
      // the connection counts as dead after four seconds without a notification
      const listensAgain = Effect.promise(() => proxy.failNext(/^LISTEN/u, "mute"))
      assert.strictEqual(
        yield* Effect.raceFirst(
          Effect.as(listensAgain, "again"),
          Effect.delay(Effect.succeed("once"), 7000)
        ),
        "once"
      )
    })))
})
