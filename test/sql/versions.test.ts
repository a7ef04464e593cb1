import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { LedgerVersions, sqlStores } from "../../adapters/sql/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { type FreshDatabase, freshDatabase } from "../postgres/mod.ts"
import { execute } from "../postgres/_statements.ts"
import { startProxy } from "./_proxy.ts"

const simulation = simulate({ seed: "versions", users: 12, tokens: 3, rollBackPeriodBlocks: 5, standInRoots: true })
const { genesis } = simulation
const records = Array.from({ length: 60 }, () => simulation.next())

describe("ledger versions", () => {
  let database: FreshDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database.remove())

  const opened = (url: string) =>
    Effect.gen(function*() {
      const stores = sqlStores({ url: Redacted.make(url), genesis, maxConnections: 6 })
      const services = yield* Layer.build(Layer.fresh(Ledger.layer(genesis, keccak256).pipe(Layer.provideMerge(stores))))
      return { ledger: Context.get(services, Ledger), reader: Context.get(services, LedgerReader), versions: Context.get(services, LedgerVersions) }
    })
  /** The version comes, by whatever way. */
  const heard = (versions: LedgerVersions["Service"], version: number) =>
    Stream.runHead(Stream.filter(versions.changes, (each) => each >= version))
  const growing = (versions: ReadonlyArray<number>): boolean => versions.every((version, i) => i === 0 || version > versions[i - 1]!)

  it.live("reach other processes as they are written, and never go back, through rollbacks and lost connections", () => Effect.scoped(Effect.gen(function*() {
    const proxy = yield* Effect.acquireRelease(Effect.promise(() => startProxy(database.url)), ({ close }) => Effect.promise(close))
    const [writer, other] = [yield* opened(database.url), yield* opened(proxy.url)]
    const seen: Array<number> = []
    const watching = yield* Effect.forkChild(Stream.runForEach(other.versions.changes, (version) => Effect.sync(() => void seen.push(version))))
    for (const [i, record] of records.entries()) {
      yield* writer.ledger.applyRecord(record)
      // its own process hears of it too
      if (i % 20 === 0) yield* heard(writer.versions, (yield* writer.reader.stamp).version)
      if (i === 30) proxy.cut()
      if (i === 40) {
        proxy.refusing = true
        proxy.cut()
      }
      if (i === 50) {
        proxy.refusing = false
        yield* heard(other.versions, (yield* writer.reader.stamp).version)
      }
    }
    const { version } = yield* writer.reader.stamp
    yield* heard(other.versions, version)
    yield* Fiber.interrupt(watching)
    assert.isAbove(records.filter(({ kind }) => kind === "rollBack").length, 1)
    assert.isAbove(seen.length, 10)
    assert.isTrue(growing(seen), seen.join())
    assert.strictEqual(seen.at(-1), version)
    assert.strictEqual(yield* other.versions.current, version)
  })))

  it.live("are told by the transaction itself: a listener hears one where nothing is asked for", () => Effect.scoped(Effect.gen(function*() {
    const { versions, reader } = yield* opened(database.url)
    yield* heard(versions, (yield* reader.stamp).version)
    // no UPDATE of the row: whoever asks would not find this one
    yield* Effect.promise(() => execute(database.url, "SELECT pg_notify('ledger_' || 'ledger'::regclass::oid, '1000000')"))
    yield* heard(versions, 1_000_000)
    assert.strictEqual(yield* versions.current, 1_000_000)
  })))
})
