import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Result } from "effect"
import type { LogEntry, OnSettled } from "../../adapters/journal/log/mod.ts"
import { recordedStores } from "../../adapters/journal/recorded_stores.ts"
import { layer, openMemoryLedger, openMemoryPool } from "../../adapters/memory/mod.ts"
import { type Decision, LedgerReader, LedgerWriter, StoreFailure } from "../../core/ports/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import { emptyBlock, hashOf } from "./_chain.ts"
import { checkedWrites } from "./_checked_writes.ts"

const portsOf = (stores: Context.Context<LedgerReader | LedgerWriter>) => ({
  reader: Context.get(stores, LedgerReader),
  writer: Context.get(stores, LedgerWriter)
})

/** Opens stores over a log in an array. */
const openRecorded = () => {
  const entries: Array<LogEntry> = []
  const log = {
    failure: undefined as StoreFailure | undefined,
    isDurable: true,
    whenSettled: (onSettled: OnSettled) => onSettled(),
    append: (entry: LogEntry, onSettled?: OnSettled) => {
      entries.push(entry)
      onSettled?.()
    }
  }
  return {
    entries,
    log,
    ports: portsOf(
      recordedStores({ ledger: openMemoryLedger({ genesis }), pool: openMemoryPool(), log })
    )
  }
}

const block101 = { number: 101n, hash: hashOf(101), parentHash: hashOf(100), timestampMs: 1 }

describe("a block with a slow check", () => {
  it.effect("is visible once the check ends, before later writes", () =>
    Effect.scoped(
      Effect.flatMap(Layer.build(layer(genesis)), (stores) => checkedWrites(portsOf(stores)))
    ))

  it.effect("is logged in the same order, and not if its check fails", () =>
    Effect.gen(function*() {
      const { entries, ports } = openRecorded()
      yield* checkedWrites(ports)
      assert.deepStrictEqual(
        entries.map(({ text }) => (JSON.parse(text) as { readonly kind: string }).kind),
        ["block", "prices", "rollBack", "block", "rollBack"]
      )
    }))

  it.effect("is not stored if the log fails during the check", () =>
    Effect.gen(function*() {
      const { entries, log, ports: { writer } } = openRecorded()
      const [checkStarted, checkMayEnd] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      const check = Effect.andThen(
        Deferred.succeed(checkStarted, undefined),
        Deferred.await(checkMayEnd)
      )
      const fiber = yield* Effect.forkChild(
        writer.apply(block101, (prior) =>
          Result.succeed<Decision>({ kind: "store", changes: emptyBlock(prior), check }))
      )
      yield* Deferred.await(checkStarted)
      log.failure = new StoreFailure({ retry: false, message: "The disk is full" })
      yield* Deferred.succeed(checkMayEnd, undefined)
      assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), log.failure)
      assert.deepStrictEqual(entries, [])
    }))
})
