import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  applyEntry,
  type LogEntry,
  type OnSettled,
  recordedStores
} from "../../adapters/journal/mod.ts"
import { openMemoryLedger, openMemoryPool } from "../../adapters/memory/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { writeFeedLine } from "../../core/domain/mod.ts"
import { LedgerWriter } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { rememberedExitTrees, strippedRecord } from "./_stripped.ts"

const simulation = simulate({
  seed: "derived",
  users: 16,
  exitShare: 0.1,
  placeholderRoots: true,
  rollBackPeriodBlocks: 6
})
const { genesis } = simulation
const records = [...initialHistory(simulation, 200)]

/** Applies the feed without derived values. Returns the ledger and the entries of its log. */
const recorded = Effect.gen(function*() {
  const entries: Array<LogEntry> = []
  const ledger = openMemoryLedger({ genesis })
  const log = {
    failure: undefined,
    isDurable: true,
    whenSettled: (onSettled: OnSettled) => onSettled(),
    append: (entry: LogEntry, onSettled?: OnSettled) => {
      entries.push(entry)
      onSettled?.()
    }
  }
  const stores = recordedStores({ ledger, pool: openMemoryPool(), log })
  const services = yield* Layer.build(
    Ledger.layer(genesis, keccak256, { buildExitTrees: rememberedExitTrees }).pipe(
      Layer.provide(Layer.succeed(LedgerWriter, Context.get(stores, LedgerWriter)))
    )
  )
  const { applyRecord } = Context.get(services, Ledger)
  for (const record of records) yield* applyRecord(strippedRecord(record))
  return { entries, ledger }
})

describe("the record of a block whose exits were derived", () => {
  it.live("is replayed without an exit tree", () =>
    Effect.scoped(Effect.gen(function*() {
      const { entries, ledger } = yield* recorded
      assert.isAbove(ledger.view.lastBatchNum, 5)
      const target = { genesis, ledger: openMemoryLedger({ genesis }), pool: openMemoryPool() }
      for (const entry of entries) applyEntry(target, entry)
      assert.deepStrictEqual(target.ledger.capture(), ledger.capture())
    })))

  it.live("has the effects, the nonces, and the exits with their proofs", () =>
    Effect.scoped(Effect.gen(function*() {
      const { entries } = yield* recorded
      assert.deepStrictEqual(
        entries.map(({ text }) => JSON.parse(text)),
        records.map((record) => JSON.parse(writeFeedLine(record)))
      )
    })))
})
