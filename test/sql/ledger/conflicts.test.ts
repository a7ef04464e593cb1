import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import { decideBlock } from "../../../core/use_cases/mod.ts"
import { execute } from "../../postgres/_statements.ts"
import { freshDatabase, scopedDatabase } from "../../postgres/mod.ts"
import { proxyTo } from "../_proxy.ts"
import { opened } from "../_running_node.ts"
import { contents, writerDatabase } from "../_writer_database.ts"

/*
 * The errors of PostgreSQL for two conflicting transactions. Each test has its own database, and most
 * wait: they run at the same time.
 */

const codes = { "a serialization failure": "40001", "a deadlock": "40P01" }

/**
 * Makes the next `times` writes of a block fail with this code. A sequence counts them, because it
 * is not rolled back.
 */
const failing = (code: string, times: number): ReadonlyArray<string> => [
  "DROP TRIGGER IF EXISTS conflict ON block",
  "CREATE SEQUENCE IF NOT EXISTS conflicts",
  "ALTER SEQUENCE conflicts RESTART",
  `CREATE OR REPLACE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('conflicts') <= ${times} THEN RAISE EXCEPTION 'in each other''s way' USING ERRCODE = '${code}'; END IF;
  RETURN NEW;
END $$`,
  "CREATE TRIGGER conflict BEFORE INSERT ON block FOR EACH ROW EXECUTE FUNCTION conflict()"
]

describe.concurrent("a write that fails with", () => {
  for (const [what, code] of Object.entries(codes)) {
    it.live(`${what} is repeated until it succeeds, once; if it never does, the failure says that a retry may help`, () =>
      Effect.scoped(Effect.gen(function*() {
        const simulation = simulate({
          seed: "conflicts",
          users: 5,
          placeholderRoots: true,
          rollBackPeriodBlocks: 0
        })
        const { genesis } = simulation
        const { open, sql, writer: { port } } = yield* writerDatabase
        yield* open(genesis)
        const blocks = Array.from({ length: 6 }, () => simulation.next()).flatMap((record) =>
          record.kind === "block" ? [record.block] : []
        )
        const apply = (block: typeof blocks[number]) =>
          port.apply(block, decideBlock({ constants: genesis.constants, keccak256 }, block))
        for (const statement of failing(code, 3)) yield* sql.unsafe(statement)
        const { applied, snapshotId } = yield* apply(blocks[0]!)
        assert.isTrue(applied)
        assert.strictEqual(snapshotId.ethereumBlockNum, blocks[0]!.number)
        assert.deepStrictEqual(
          yield* sql.unsafe("SELECT last_value::integer AS tries FROM conflicts"),
          [{ tries: 4 }]
        )
        assert.isFalse((yield* apply(blocks[0]!)).applied)

        for (const statement of failing(code, 1000)) yield* sql.unsafe(statement)
        const before = yield* contents(sql)
        const failure = yield* Effect.flip(apply(blocks[1]!))
        assert.strictEqual(failure._tag, "StoreFailure")
        assert.propertyVal(failure, "retry", true)
        assert.deepStrictEqual(yield* contents(sql), before)
        // the block after a repeated one waits for it
        for (const statement of failing(code, 1)) yield* sql.unsafe(statement)
        const following = yield* Effect.all(blocks.slice(1, 3).map(apply), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(following.map(({ applied }) => applied), [true, true])
      })))
  }
})

describe.concurrent("a write that is interrupted", () => {
  it.live("during its commit is no reason to refuse the next one", () =>
    Effect.scoped(Effect.gen(function*() {
      const { open, sql, writer: { port } } = yield* writerDatabase
      yield* open(simulate({ seed: "interrupted" }).genesis)
      const write = port.setPrices([], () => Result.void)
      yield* write
      // a commit that takes a second
      yield* sql.unsafe(
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END'"
      )
      yield* sql.unsafe(
        "CREATE CONSTRAINT TRIGGER wait AFTER UPDATE ON ledger DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()"
      )
      const writing = yield* Effect.forkChild(write)
      const committing = sql.unsafe(
        "SELECT FROM pg_stat_activity WHERE query = 'COMMIT' AND state = 'active' AND datname = current_database()"
      )
      while ((yield* committing).length === 0) yield* Effect.sleep(10)
      yield* Fiber.interrupt(writing)
      yield* sql.unsafe("DROP TRIGGER wait ON ledger")
      assert.strictEqual((yield* write).version, 3)
    })))
})

describe.concurrent("a write whose commit is not answered", () => {
  it.live("happens once, before the next one, although the database is unreachable for a second and a half", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* scopedDatabase(freshDatabase)
      const proxy = yield* proxyTo(url)
      const { genesis } = simulate({ seed: "unanswered" })
      const { ledger } = yield* opened(proxy.url, { genesis, maxConnections: 4 })
      const setPrice = (priceUSD: number) =>
        Effect.forkChild(
          ledger.setPrices([{ tokenId: 0, priceUSD, timeMs: 1_600_000_000_000 }]),
          { startImmediately: true }
        )
      const met = proxy.failNext(/^COMMIT/u, "unanswered")
      const first = yield* setPrice(1)
      yield* Effect.promise(() => met)
      proxy.refusing = true
      const second = yield* setPrice(2)
      yield* Effect.sleep(1500)
      proxy.refusing = false
      const versions = [yield* Fiber.join(first), yield* Fiber.join(second)]
      assert.deepStrictEqual(versions.map(({ version }) => version), [1, 2])
      assert.deepStrictEqual(
        yield* Effect.promise(() =>
          execute(url, "SELECT price_usd_before FROM price_change ORDER BY place")
        ),
        [{ price_usd_before: null }, { price_usd_before: 1 }]
      )
    })))

  it.live("is not repeated after another process has written, and its failure says that it may be stored", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* scopedDatabase(freshDatabase)
      const proxy = yield* proxyTo(url)
      const { genesis } = simulate({ seed: "unanswered" })
      const options = {
        genesis,
        maxConnections: 4,
        lease: { termMs: 300, heartbeatMs: 100, waits: true }
      }
      const [one, other] = [yield* opened(proxy.url, options), yield* opened(url, options)]
      const setPrice = ({ ledger }: typeof one, priceUSD: number) =>
        ledger.setPrices([{ tokenId: 0, priceUSD, timeMs: 1_600_000_000_000 }])
      const met = proxy.failNext(/^COMMIT/u, "unanswered")
      const writing = yield* Effect.forkChild(Effect.flip(setPrice(one, 1)), {
        startImmediately: true
      })
      yield* Effect.promise(() => met)
      proxy.refusing = true
      proxy.cut()
      yield* setPrice(other, 2)
      // no process holds the lease, so a process that waits for it gets it
      yield* Effect.promise(() => execute(url, "UPDATE writer SET holder = NULL"))
      proxy.refusing = false
      assert.match((yield* Fiber.join(writing)).message, /the write may be stored/u)
      assert.strictEqual((yield* other.reader.snapshotId).version, 2)
    })))
})
