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
  it.live("is replayed without an exit tree, also if its stored changes cannot be read", () =>
    Effect.scoped(Effect.gen(function*() {
      const { entries, ledger } = yield* recorded
      assert.isAbove(ledger.view.lastBatchNum, 5)
      for (const withChanges of [true, false]) {
        const target = {
          genesis,
          ledger: openMemoryLedger({ genesis }),
          pool: openMemoryPool()
        }
        for (const entry of entries) {
          applyEntry(target, withChanges ? entry : { ...entry, changes: undefined })
        }
        const [replayed, before] = [target.ledger.capture(), ledger.capture()]
        assert.deepStrictEqual(replayed, before)
      }
    })))

  it.live("has the exits with their proofs", () =>
    Effect.scoped(Effect.gen(function*() {
      const { entries } = yield* recorded
      let exits = 0
      for (const [i, { text }] of entries.entries()) {
        const written = JSON.parse(text)
        for (const [at, batch] of (written.block?.batches ?? []).entries()) {
          assert.notProperty(batch, "l1UserEffects")
          const record = records[i]
          const whole = record?.kind === "block" ? record.block.batches![at]!.exits! : []
          if (whole.length === 0) continue
          assert.deepStrictEqual(
            batch.exits.map(({ merkleProof }: { merkleProof: { value: string } }) =>
              merkleProof.value
            ),
            whole.map(({ merkleProof }) => String(merkleProof!.value))
          )
          exits += whole.length
        }
      }
      assert.isAbove(exits, 3)
    })))
})
