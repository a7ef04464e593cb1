import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Result } from "effect"
import { commitFailure } from "../../adapters/journal/log/commit_failure.ts"
import { recordedStores } from "../../adapters/journal/recorded_stores.ts"
import { openMemoryLedger, openMemoryPool } from "../../adapters/memory/mod.ts"
import { Journal } from "../../adapters/journal/log/journal.ts"
import { LedgerReader, LedgerWriter, PoolStore, type StoreFailure } from "../../core/ports/mod.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import { idOf, ownersOf, poolTransactionOf } from "../laws/pool/_pool_rows.ts"
import {
  ledgerOver,
  type OpenedStores,
  openStores,
  smallNetwork,
  temporaryDirectory
} from "./_directories.ts"
import { dumpStores, noKeys } from "./_store_dump.ts"

const { genesis, records } = smallNetwork("full disk", 1200)
const limits = { pendingMax: 1e6, pendingPerAccountMax: 1e6 }
const pagesMax = 1e9

const post = ({ store }: OpenedStores, number: number) =>
  store.addTransaction(
    poolTransactionOf(number, new SeededRandom(number), number),
    ownersOf(number),
    limits
  )

/** Returns the content of the stores, with the pool transactions up to a number. */
const contentOf = (stores: OpenedStores) => {
  const keys = noKeys()
  for (let number = 0; number < 1000; number++) keys.transactions.add(idOf(number))
  return dumpStores(stores, keys)
}

const assertRefused = ({ message, reason, retry }: StoreFailure, directory: string): void => {
  assert.isTrue(retry, message)
  assert.strictEqual(reason, "disk")
  assert.include(message, `"${directory}" cannot be written (database or disk is full)`)
}

describe("a full disk", () => {
  it.live(
    "refuses writes for now, reads go on without them, and writes resume when there is room",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const [directory, twinDirectory] = [yield* temporaryDirectory, yield* temporaryDirectory]
        // the twin makes the acknowledged writes only
        const twin = yield* openStores(twinDirectory, genesis)
        const twinLedger = yield* ledgerOver(genesis, twin)
        yield* Effect.scoped(Effect.gen(function*() {
          const stores = yield* openStores(directory, genesis)
          const ledger = yield* ledgerOver(genesis, stores)
          let [applied, posted, refused] = [0, 0, 0]
          const applyNext = Effect.gen(function*() {
            yield* ledger.applyRecord(records[applied]!)
            yield* twinLedger.applyRecord(records[applied++]!)
          })
          for (let writes = 0; writes < 20; writes++) yield* applyNext
          for (let round = 0; round < 6; round++) {
            // free pages take some writes
            stores.journal.limitPages(1)
            for (let failures = 0; failures < 4; posted += 8) {
              const numbers = Array.from({ length: 8 }, (_, index) => posted + index)
              const [outcome, counts] = yield* Effect.all([
                Effect.result(
                  Effect.forEach(numbers, (number) => post(stores, number), {
                    concurrency: "unbounded"
                  })
                ),
                // a read during the commit
                stores.store.counts
              ], { concurrency: "unbounded" })
              if (outcome._tag === "Success") {
                yield* Effect.forEach(numbers, (number) => post(twin, number))
              } else {
                failures++
                assertRefused(outcome.failure, directory)
              }
              assert.deepStrictEqual(counts, yield* twin.store.counts)
            }
            refused += yield* Effect.matchEffect(applyNext, {
              onSuccess: () => Effect.succeed(0),
              onFailure: (failure) =>
                Effect.sync(() => {
                  assertRefused(failure as StoreFailure, directory)
                  return 1
                })
            })
            assert.isTrue((yield* contentOf(stores)) === (yield* contentOf(twin)))
            stores.journal.limitPages(pagesMax)
            yield* applyNext
            for (const each of [stores, twin]) {
              assert.deepStrictEqual(yield* post(each, posted), { kind: "added" })
            }
            posted++
          }
          assert.isAbove(refused, 0)
          assert.isTrue((yield* contentOf(stores)) === (yield* contentOf(twin)))
        }))
        const reopened = yield* openStores(directory, genesis)
        assert.isTrue((yield* contentOf(reopened)) === (yield* contentOf(twin)))
      })),
    30_000
  )

  it.live(
    "is noticed by itself when it has room again",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const reports: Array<string> = []
        const journal = yield* Effect.acquireRelease(
          Effect.sync(() =>
            new Journal(
              directory,
              genesis,
              (failure) => reports.push(failure?.message ?? "resumed")
            )
          ),
          (opened) => Effect.sync(() => opened.close())
        )
        journal.limitPages(1)
        for (let writes = 0; journal.refusal === undefined; writes++) {
          journal.append({ kind: "pool", text: "x".repeat(5000) })
          journal.flush()
          assert.isBelow(writes, 10)
        }
        const { length } = journal
        yield* Effect.sleep(5500)
        assert.isDefined(journal.refusal, "There is no room yet")
        journal.limitPages(pagesMax)
        yield* Effect.sleep(5500)
        assert.isUndefined(journal.refusal)
        assert.match(reports.join("\n"), /^The journal in .* cannot be written .*\nresumed$/u)
        assert.strictEqual(journal.length, length)
      })),
    30_000
  )

  it.effect("refuses a write also if its entry is dropped before its fiber waits", () =>
    Effect.gen(function*() {
      const failure = commitFailure(Object.assign(new Error("full"), { errcode: 13 }), "/data")
      const stores = recordedStores({
        ledger: openMemoryLedger({ genesis }),
        pool: openMemoryPool(),
        log: {
          failure: undefined,
          isDurable: true,
          whenSettled: (onSettled) => onSettled(),
          append: (_, onSettled) => onSettled?.(failure)
        }
      })
      const [writer, pool] = [Context.get(stores, LedgerWriter), Context.get(stores, PoolStore)]
      const transaction = poolTransactionOf(1, new SeededRandom(1), 1)
      const before = yield* Context.get(stores, LedgerReader).snapshotId
      const writes: ReadonlyArray<Effect.Effect<unknown, StoreFailure>> = [
        pool.addTransaction(transaction, ownersOf(1), limits),
        writer.setPrices([], () => Result.void),
        writer.rollBack(0n, () => Result.void)
      ]
      for (const write of writes) assert.strictEqual(yield* Effect.flip(write), failure)
      assert.isNull(yield* pool.transaction(transaction.id))
      assert.deepStrictEqual(yield* Context.get(stores, LedgerReader).snapshotId, before)
    }))

  it("is temporary, as an exceeded quota is; a failed sync is final", () => {
    const errorOf = (errcode: number) => Object.assign(new Error("SQLite"), { errcode, errstr: "" })
    for (const errcode of [13, 778]) assert.isTrue(commitFailure(errorOf(errcode), "/data").retry)
    for (const errcode of [1034, 266, 11, 5]) {
      const { message, retry } = commitFailure(errorOf(errcode), "/data")
      assert.isFalse(retry)
      assert.match(message, /"\/data" has failed .* check the disk and start again$/u)
    }
  })
})
