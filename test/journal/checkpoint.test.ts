/*
 * Checkpoints of the journal: a directory with checkpoints has the same content as one without.
 * Replay with
 *
 *     SEED=123 npm test -- test/journal/checkpoint.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result, Scope } from "effect"
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { exportFeed, type JournalOptions } from "../../adapters/journal/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { initialHistory, simulate, writeFeed } from "../../app/simulator/mod.ts"
import { Monitor } from "../../core/ports/mod.ts"
import { replayOf, rounds } from "../rounds.ts"
import { openModel } from "./_crash_model.ts"
import { filesIn, ledgerOver, openStores, temporaryDirectory } from "./_directories.ts"
import { keysOf, readFeed, scriptOf, seededRandom, type Write } from "./_script.ts"
import { dumpStores, noKeys, type Stores } from "./_store_dump.ts"
import { authorizationOf, idOf, ownersOf, poolTransactionOf } from "../laws/pool/_pool_rows.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"

const seed = process.env.SEED ?? String(Date.now() % 1_000_000)

const simulationOf = (options: Parameters<typeof simulate>[0]) =>
  simulate({
    users: 20,
    tokens: 4,
    transactionsPerBlock: 5,
    exitShare: 0.1,
    rollBackPeriodBlocks: 6,
    placeholderRoots: true,
    ...options
  })

const { genesis } = simulationOf({ seed })

/** Runs an effect over the stores of a directory, and closes them. */
const withStores = <A, E>(
  directory: string,
  use: (stores: Effect.Success<ReturnType<typeof openStores>>) => Effect.Effect<A, E, Scope.Scope>,
  options: Partial<JournalOptions> = {}
) =>
  Effect.scoped(
    Effect.flatMap(openStores(directory, genesis, options), use)
  )

const records = [...initialHistory(simulationOf({ seed }), rounds({ short: 500, long: 1500 }))]

/** Applies records to a directory, with a checkpoint after each `period` of them. */
const writeRecords = (directory: string, period: number, some = records) =>
  withStores(directory, (stores) =>
    Effect.gen(function*() {
      const ledger = yield* ledgerOver(genesis, stores)
      for (const [at, record] of some.entries()) {
        yield* ledger.applyRecord(record)
        if (at % period === period - 1) yield* stores.journal.checkpoint
      }
      return yield* dumpStores(stores, noKeys())
    }))

/** Deletes the records behind the checkpoint. Returns the number of the last one that is left. */
const keepCheckpointOnly = (directory: string): number => {
  const database = new DatabaseSync(join(directory, "journal.sqlite"))
  const row = database.prepare("SELECT manifest FROM checkpoint").get()!
  const { checksum, seq } = JSON.parse(String(row.manifest)) as { checksum: number; seq: number }
  database.prepare("DELETE FROM record WHERE seq > ?").run(seq)
  database.prepare("UPDATE head SET seq = ?, checksum = ?").run(seq, checksum)
  database.close()
  rmSync(join(directory, "acknowledged"))
  return seq
}

/** Returns the names of the stored parts. */
const partsIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(join(directory, "checkpoint")).sort()

/** Changes the database of a closed journal. Returns the number of changed rows. */
const statement = (directory: string, text: string): number => {
  const database = new DatabaseSync(join(directory, "journal.sqlite"))
  const { changes } = database.prepare(text).run()
  database.close()
  return Number(changes)
}

/** Makes the next checkpoints need space in the database, as the parts of a large ledger do. */
const enlargeCheckpoints = (directory: string): void => {
  statement(directory, "CREATE TABLE filler (bytes BLOB)")
  statement(
    directory,
    "CREATE TRIGGER large BEFORE INSERT ON checkpoint BEGIN INSERT INTO filler VALUES (zeroblob(3000000)); END"
  )
}

const rowsOf = (directory: string, query: string): number => {
  const database = new DatabaseSync(join(directory, "journal.sqlite"))
  const value = Object.values(database.prepare(query).get()!)[0]
  database.close()
  return Number(value)
}

describe(`a journal with checkpoints (replay: ${replayOf(seed, "test/journal/checkpoint.test.ts")})`, () => {
  it.live(
    "has the same content as stores in memory after each restart, in random lives with rollbacks",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const random = seededRandom(seed)
        const text = [...writeFeed(simulationOf({ seed }), 400)].join("")
        const feed = readFeed(text)
        const model = yield* Effect.promise(() => openModel(text, seed))
        const steps = scriptOf(feed, seed)
        let next: IteratorResult<ReadonlyArray<Write>, void> = steps.next()
        let restarts = 0
        while (next.done !== true) {
          yield* withStores(directory, (stores) =>
            Effect.gen(function*() {
              const keys = keysOf(model.writeCount + 8)
              assert.strictEqual(
                yield* dumpStores(stores, keys),
                yield* dumpStores(model.stores, keys),
                `Restart ${restarts}`
              )
              const target = { ledger: yield* ledgerOver(genesis, stores), store: stores.store }
              const count = 1 + Math.floor(random() * 30)
              for (let i = 0; i < count && next.done !== true; i++, next = steps.next()) {
                for (const write of next.value) yield* write(target)
                yield* Effect.promise(() => model.write(next.value!.length))
                if (random() < 0.15) yield* stores.journal.checkpoint
              }
            }))
          restarts++
        }
        assert.isAbove(restarts, 5)
        // every block can be rolled back, and the ids of later rows do not repeat those before
        yield* withStores(directory, (stores) =>
          Effect.gen(function*() {
            const keys = keysOf(model.writeCount + 8)
            for (let block = feed.genesis.block.number + 60n; block > 0n; block -= 7n) {
              const back = (writer: Stores["writer"]) =>
                Effect.map(writer.rollBack(block, () => Result.void), ({ batches }) => batches)
              assert.strictEqual(yield* back(stores.writer), yield* back(model.stores.writer))
              assert.strictEqual(
                yield* dumpStores(stores, keys),
                yield* dumpStores(model.stores, keys)
              )
              if (block <= feed.genesis.block.number) break
            }
            yield* stores.journal.checkpoint
          }))
        yield* withStores(directory, (stores) =>
          Effect.gen(function*() {
            const ledgers = [
              yield* ledgerOver(genesis, stores),
              yield* ledgerOver(genesis, model.stores)
            ]
            for (const record of records) {
              for (const ledger of ledgers) yield* ledger.applyRecord(record)
            }
            assert.strictEqual(
              yield* dumpStores(stores, noKeys()),
              yield* dumpStores(model.stores, noKeys())
            )
          }))
      })),
    120_000
  )

  it.live("replays only the records behind the last one, and stores no others", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* writeRecords(directory, 50)
      const behind = records.length % 50
      assert.strictEqual(rowsOf(directory, "SELECT count(*) FROM record"), behind)
      yield* withStores(directory, ({ journal: { replayReport } }) =>
        Effect.sync(() => {
          assert.strictEqual(replayReport.checkpointSeq, records.length - behind)
          assert.strictEqual(replayReport.records, behind)
        }))
    })))

  it.live("reports how many records were read, those in it included", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* writeRecords(directory, 20, records.slice(0, 30))
      const reports: Array<readonly [done: number, total: number]> = []
      yield* withStores(directory, () => Effect.void, {
        onProgress: (done, total) => void reports.push([done, total])
      })
      assert.isAbove(reports.length, 1)
      assert.isTrue(reports.every(([, total]) => total === 30))
      // what is read before the first record behind the checkpoint counts as its 20 records
      const done = reports.map(([done]) => done)
      assert.deepStrictEqual(done, done.toSorted((a, b) => a - b))
      assert.include(done, 20)
    }))

  it.live("exports the complete feed, and gives it to a source that continues", () =>
    Effect.scoped(Effect.gen(function*() {
      const [one, other] = [yield* temporaryDirectory, yield* temporaryDirectory]
      yield* writeRecords(one, 40)
      yield* writeRecords(other, Infinity)
      const feedOf = (directory: string) =>
        Effect.scoped(Effect.map(exportFeed(directory), (lines) => [...lines]))
      const feed = yield* feedOf(other)
      assert.strictEqual(feed.length, records.length + 1)
      assert.deepStrictEqual(yield* feedOf(one), feed)
      yield* withStores(
        one,
        ({ journal }) =>
          Effect.sync(() =>
            assert.deepStrictEqual([...{ [Symbol.iterator]: journal.feedLines }], feed)
          )
      )
    })))

  it.live("hides no line of the feed from a source that reads it meanwhile", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* writeRecords(directory, 25, records.slice(0, 30))
      yield* withStores(directory, (stores) =>
        Effect.gen(function*() {
          const { journal } = stores
          const ledger = yield* ledgerOver(genesis, stores)
          // at the genesis, in a part of the checkpoint, in the records behind it, and at their end
          const sources = [1, 20, 26, 28, 31].map((read) => {
            const feed = journal.feedLines()
            return { feed, lines: Array.from({ length: read }, () => feed.next().value) }
          })
          for (const [at, record] of records.slice(30, 40).entries()) {
            yield* ledger.applyRecord(record)
            if (at % 4 === 0) yield* journal.checkpoint
          }
          const expected = [...{ [Symbol.iterator]: journal.feedLines }]
          assert.strictEqual(expected.length, 41)
          for (const { feed, lines } of sources) {
            lines.push(...{ [Symbol.iterator]: () => feed })
            assert.deepStrictEqual(lines, expected)
          }
        }))
    })))

  it.live("writes only what is new: a second one without writes in between writes nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* writeRecords(directory, Infinity)
      yield* withStores(directory, ({ journal }) =>
        Effect.gen(function*() {
          const first = yield* journal.checkpoint
          assert.strictEqual(first.writtenBytes, first.bytes)
          assert.isAbove(first.bytes, 0)
          assert.strictEqual((yield* journal.checkpoint).writtenBytes, 0)
        }))
      yield* withStores(directory, ({ journal }) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* journal.checkpoint).writtenBytes, 0)
        }))
      const parts = partsIn(directory)
      yield* writeRecords(directory, 10, [])
      assert.deepStrictEqual(partsIn(directory), parts)
    })))

  it.live("is written by itself after the set number of bytes, while writes go on", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const content = yield* withStores(directory, (stores) =>
        Effect.gen(function*() {
          const ledger = yield* ledgerOver(genesis, stores)
          for (const record of records) {
            yield* ledger.applyRecord(record)
            yield* Effect.sleep(2500 / records.length)
          }
          yield* Effect.sleep(1500)
          return yield* dumpStores(stores, noKeys())
        }), { checkpointBytes: 20_000 })
      yield* withStores(directory, (stores) =>
        Effect.gen(function*() {
          assert.isAbove(stores.journal.replayReport.checkpointSeq, records.length / 2)
          assert.strictEqual(yield* dumpStores(stores, noKeys()), content)
        }))
    })))

  it.live("is waited for by blocks that arrive faster than it is written, and not by posts", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const at = records.findLastIndex(({ kind }) => kind === "block")
      yield* writeRecords(directory, Infinity, records.slice(0, at))
      yield* withStores(directory, (stores) =>
        Effect.gen(function*() {
          const ledger = yield* ledgerOver(genesis, stores)
          const order: Array<string> = []
          const noted = <A, E>(name: string, write: Effect.Effect<A, E>) =>
            Effect.tap(write, () => Effect.sync(() => order.push(name)))
          yield* Effect.all([
            noted("checkpoint", stores.journal.checkpoint),
            noted("block", ledger.applyRecord(records[at]!)),
            noted("post", stores.store.addAuthorization(authorizationOf(1)))
          ], { concurrency: "unbounded" })
          assert.deepStrictEqual(order, ["post", "checkpoint", "block"])
        }), { checkpointBytes: 1000 })
    })))

  it.live("has exactly the records up to its number, while a client sends one write after the other", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const version = yield* withStores(directory, (stores) =>
        Effect.gen(function*() {
          // each rollback increases the version, although it drops no block
          const writes = Effect.forEach(
            Array.from({ length: 60 }),
            () => stores.writer.rollBack(2n ** 60n, () => Result.void)
          )
          // starts while the first write waits for its commit
          yield* Effect.all([writes, stores.journal.checkpoint], { concurrency: "unbounded" })
          return (yield* stores.reader.snapshotId).version
        }))
      assert.strictEqual(version, 60)
      yield* withStores(directory, ({ reader }) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* reader.snapshotId).version, version)
        }))
    })))

  it.live("has exactly the records up to its number, while several clients write", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const authorizations = Array.from({ length: 60 }, (_, i) => authorizationOf(i))
      const writeEach = (store: Stores["store"]) => (client: number) =>
        Effect.forEach(authorizations.filter((_, i) => i % 3 === client), store.addAuthorization)
      yield* withStores(directory, ({ journal, store }) =>
        // starts while the first writes wait for their commit
        Effect.all([...[0, 1, 2].map(writeEach(store)), journal.checkpoint], {
          concurrency: "unbounded"
        }))
      const seq = keepCheckpointOnly(directory)
      assert.isBelow(seq, authorizations.length)
      yield* withStores(directory, ({ store }) =>
        Effect.gen(function*() {
          const found = yield* Effect.forEach(
            authorizations,
            ({ address }) => store.authorization(address)
          )
          assert.strictEqual(found.filter((authorization) => authorization !== null).length, seq)
        }))
    })))

  it.live("that cannot be written leaves the journal as it was, and degrades its health with the reason", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const half = records.length >> 1
      const monitor = openMonitor()
      yield* writeRecords(directory, Infinity, records.slice(0, half))
      enlargeCheckpoints(directory)
      const failures = withStores(directory, (stores) =>
        Effect.gen(function*() {
          const fails = (because: RegExp) =>
            Effect.map(
              Effect.flip(stores.journal.checkpoint),
              ({ message }) => assert.match(message, because)
            )
          const parts = join(directory, "checkpoint")
          writeFileSync(parts, "")
          yield* fails(/^No checkpoint .*ENOTDIR/u)
          rmSync(parts)
          yield* stores.journal.checkpoint
          const before = partsIn(directory)
          const ledger = yield* ledgerOver(genesis, stores)
          for (const record of records.slice(half, -1)) yield* ledger.applyRecord(record)
          const later = before.length + 5
          writeFileSync(join(parts, String(later)), "")
          yield* fails(
            new RegExp(`^No checkpoint .*EEXIST.*/journal-\\w+/checkpoint/${later}'`, "u")
          )
          assert.sameMembers([...partsIn(directory)], [...before])
          // not below the present size
          stores.journal.limitPages(1)
          yield* fails(/^No checkpoint .*database or disk is full/u)
          const { detail, state } = (yield* monitor.health).journal!
          assert.strictEqual(state, "degraded")
          assert.match(detail, /^No checkpoint .*full.*; accepted writes are on disk/u)
          stores.journal.limitPages(1e6)
          yield* ledger.applyRecord(records.at(-1)!)
          yield* stores.journal.checkpoint
          assert.strictEqual((yield* monitor.health).journal!.state, "ok")
        }))
      yield* Effect.provideService(failures, Monitor, monitor)
      const content = yield* writeRecords(yield* temporaryDirectory, Infinity)
      assert.strictEqual(yield* writeRecords(directory, 1, []), content)
    })))

  it.live("that may have been installed keeps its parts and those of the last one until the next", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const half = records.length >> 1
      yield* writeRecords(directory, half, records.slice(0, half))
      const before = partsIn(directory)
      statement(
        directory,
        "CREATE TRIGGER refusal BEFORE INSERT ON checkpoint BEGIN SELECT raise(FAIL, 'refused'); END"
      )
      yield* writeRecords(directory, Infinity, records.slice(half))
      yield* withStores(directory, ({ journal }) =>
        Effect.gen(function*() {
          const { message } = yield* Effect.flip(journal.checkpoint)
          assert.match(message, /^No checkpoint .*refused/u)
        }))
      const both = partsIn(directory)
      assert.includeMembers([...both], [...before])
      assert.isAbove(both.length, before.length)
      statement(directory, "DROP TRIGGER refusal")
      const content = yield* writeRecords(yield* temporaryDirectory, Infinity)
      assert.strictEqual(yield* writeRecords(directory, 1, []), content)
      yield* withStores(directory, ({ journal }) => journal.checkpoint)
      assert.isBelow(partsIn(directory).length, both.length)
      assert.strictEqual(yield* writeRecords(directory, 1, []), content)
    })))

  it.live("is reported as written if what it replaces cannot be deleted", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* writeRecords(directory, 20, records.slice(0, 30))
      statement(
        directory,
        "CREATE TRIGGER kept BEFORE DELETE ON record BEGIN SELECT raise(FAIL, 'kept'); END"
      )
      yield* withStores(directory, ({ journal }) =>
        Effect.gen(function*() {
          const { message } = yield* Effect.flip(journal.checkpoint)
          assert.match(message, /^What the new checkpoint replaces could not be deleted \(kept\)$/u)
        }))
      yield* withStores(
        directory,
        ({ journal: { replayReport } }) =>
          Effect.sync(() => assert.strictEqual(replayReport.checkpointSeq, 30))
      )
    })))

  it.live("stays as it was if the stores are closed while one is written", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const content = yield* writeRecords(directory, 70)
      for (let turns = 0; turns < 40; turns += 3) {
        const scope = yield* Scope.make()
        const stores = yield* Scope.provide(
          openStores(directory, genesis),
          scope
        )
        assert.strictEqual(yield* dumpStores(stores, noKeys()), content)
        yield* Effect.forkIn(stores.journal.checkpoint, scope)
        for (let turn = 0; turn < turns; turn++) yield* Effect.sleep(0)
        yield* Scope.close(scope, Exit.void)
      }
      assert.strictEqual(yield* writeRecords(directory, 1, []), content)
    })))

  it.live("is refused if a part or its list of parts was changed or removed", () =>
    Effect.scoped(Effect.gen(function*() {
      const aPart = (directory: string) => join(directory, "checkpoint", partsIn(directory)[0]!)
      const statementOf = (text: string) => (directory: string) =>
        assert.strictEqual(statement(directory, text), 1, text)
      const damages: { readonly [name: string]: (directory: string) => void } = {
        "a shorter part": (directory) =>
          truncateSync(aPart(directory), statSync(aPart(directory)).size - 1),
        "another part": (directory) =>
          writeFileSync(aPart(directory), Buffer.alloc(statSync(aPart(directory)).size, 7)),
        "no part": (directory) => rmSync(aPart(directory)),
        "no parts": (directory) => rmSync(join(directory, "checkpoint"), { recursive: true }),
        "another manifest": statementOf(
          "UPDATE checkpoint SET manifest = replace(manifest, '\"version\":', '\"version\":1')"
        ),
        "another checksum": statementOf("UPDATE checkpoint SET checksum = checksum + 1"),
        "no manifest": statementOf("DELETE FROM checkpoint"),
        "nothing but parts": (directory) => {
          for (const name of ["acknowledged", "holder.json", "journal.sqlite"]) {
            rmSync(join(directory, name))
          }
        }
      }
      for (const [name, damage] of Object.entries(damages)) {
        const directory = yield* temporaryDirectory
        yield* writeRecords(directory, 60)
        damage(directory)
        const before = filesIn(directory)
        const error = yield* Effect.flip(
          Effect.scoped(openStores(directory, genesis))
        )
        assert.strictEqual(error.reason, "damaged", `${name}: ${error.message}`)
        assert.deepStrictEqual(filesIn(directory), before, `${name}: the start changes a file`)
      }
    })))

  it.live("keeps files of other programs among its parts, and is written beside them", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const foreign = join(directory, "checkpoint", ".backup")
      const content = yield* writeRecords(directory, 60)
      writeFileSync(foreign, "a file of another program")
      yield* withStores(directory, ({ journal }) => journal.checkpoint)
      assert.strictEqual(readFileSync(foreign, "utf8"), "a file of another program")
      assert.isEmpty(partsIn(directory).filter((name) => !/^(?:\d+|\.backup)$/u.test(name)))
      yield* withStores(
        directory,
        (stores) =>
          Effect.map(dumpStores(stores, noKeys()), (read) => assert.strictEqual(read, content))
      )
    })))

  it.live("drops the transitions of transactions that left the pool before the set time, and no others", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const [nowMs, dayMs] = [Date.now(), 86_400_000]
      const times = {
        left: nowMs - 2 * dayMs,
        leftLately: nowMs - dayMs / 2,
        pending: nowMs - 3 * dayMs
      }
      const ids = [0, 1, 2].map(idOf)
      const transitions = yield* withStores(
        directory,
        ({ journal, store }) =>
          Effect.gen(function*() {
            for (const [number, [name, atMs]] of Object.entries(times).entries()) {
              yield* store.addTransaction(
                poolTransactionOf(number, new SeededRandom(number), nowMs - 3 * dayMs),
                ownersOf(1),
                { pendingMax: 10, pendingPerAccountMax: 10 }
              )
              if (name === "pending") continue
              yield* store.change([{
                id: idOf(number),
                from: "pend",
                fromBatchNum: null,
                to: null,
                batchNum: null,
                reason: "Purged"
              }], atMs)
            }
            yield* journal.checkpoint
            return yield* Effect.forEach(ids, store.transitions)
          }),
        { poolHistoryMs: dayMs }
      )
      assert.deepStrictEqual(transitions.map(({ length }) => length), [0, 2, 1])
      yield* withStores(directory, ({ store }) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* Effect.forEach(ids, store.transitions), transitions)
        }))
    })))
})
