import { Effect, type Scope, Struct } from "effect"
import type { AccountValues, FeedRecord } from "../../../core/domain/mod.ts"
import type { LedgerBlock, LedgerHistory, LedgerRollBack } from "../../../core/ports/mod.ts"
import { readAll, withItemIds } from "../_reading.ts"
import { effectiveRecords } from "../facts.ts"
import { holds, type Law, type LawViolation, same } from "../law.ts"
import { naiveBlock, naiveRollBacks, replay } from "../naive/mod.ts"
import {
  applyAll,
  applyOne,
  type LedgerSubject,
  nameOf,
  type OpenLedger,
  positions
} from "./ledger_subject.ts"

/** A ledger to write to, with its reader and its history. */
export interface OpenHistory extends OpenLedger {
  readonly history: LedgerHistory["Service"]
}

/** A store under test that has a history. */
export interface HistorySubject extends LedgerSubject {
  readonly open: Effect.Effect<OpenHistory, never, Scope.Scope>
}

type Run = (subject: HistorySubject) => Effect.Effect<void, LawViolation>

/** Numbers near a block, and numbers that no block has. */
const numbersAround = (number: bigint): ReadonlyArray<bigint> => [
  number - 1n,
  number,
  number + 1n,
  -1n,
  2n ** 64n
]

const readsBlocks: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { history, ledger, reader } = yield* subject.open
    let done = 0
    for (const position of yield* positions(subject, "blocks")) {
      yield* applyAll(ledger, subject.records.slice(done, position))
      done = position
      const facts = yield* withItemIds(
        reader,
        replay(subject.genesis, subject.records.slice(0, position), subject.keccak256)
      )
      const snapshotId = yield* Effect.orDie(reader.snapshotId)
      for (const number of new Set(facts.blocks.flatMap(({ number }) => numbersAround(number)))) {
        const found = yield* Effect.orDie(history.block(number))
        yield* same(
          found,
          { item: naiveBlock(facts, number), snapshotId },
          () => `Block ${number} after ${position} records`
        )
      }
    }
  }))

const readBlock = (history: LedgerHistory["Service"], number: bigint) =>
  Effect.map(Effect.orDie(history.block(number)), ({ item }) => item)

/** Checks all changes from the genesis block to the last one. */
const changesFollow = Effect.fnUntraced(function*(
  { genesis }: Pick<HistorySubject, "genesis">,
  { history, reader }: OpenHistory,
  subject: () => string
): Effect.fn.Return<void, LawViolation> {
  const values = new Map<number, AccountValues>()
  let block: LedgerBlock | null = yield* readBlock(history, genesis.block.number)
  while (block !== null) {
    for (const { accountChanges, batch } of block.batches) {
      let lastIndex = -1
      for (const { after, before, index } of accountChanges) {
        const change = () => `${subject()}, account ${index} in batch ${batch.batchNum}`
        yield* holds(index > lastIndex, () => `${change()} follows account ${lastIndex}`)
        yield* same(before, values.get(index) ?? null, () => `${change()}, the values before`)
        values.set(index, after)
        lastIndex = index
      }
    }
    block = block.next === null ? null : yield* readBlock(history, block.next.number)
  }
  const accounts = yield* readAll(reader, "accounts")
  yield* same(
    accounts.map(({ account: { balance, index, nonce } }) => [index, { nonce, balance }]),
    [...values].sort(([one], [other]) => one - other),
    () => `${subject()}, the last values`
  )
})

const linksChanges: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const open = yield* subject.open
    for (const record of subject.records) {
      // before and after each rollback
      const isRollBack = record.kind === "rollBack"
      if (isRollBack) yield* changesFollow(subject, open, () => `Before ${nameOf(record)}`)
      yield* applyOne(open.ledger, record)
      if (isRollBack) yield* changesFollow(subject, open, () => `After ${nameOf(record)}`)
    }
    yield* changesFollow(subject, open, () => "After all records")
    const blocks = effectiveRecords(subject.records)
      .flatMap((record) => record.kind === "block" ? [record.block.number] : [])
    const depth = Math.ceil(blocks.length / 2)
    const toBlock = blocks[blocks.length - 1 - depth] ?? subject.genesis.block.number
    yield* applyOne(open.ledger, { kind: "rollBack", toBlock })
    yield* changesFollow(subject, open, () => `After a rollback of ${depth} blocks`)
  }))

/** Returns the feed, and a rollback that removes all blocks. */
const withLastRollBack = ({ genesis, records }: HistorySubject): ReadonlyArray<FeedRecord> => [
  ...records,
  { kind: "rollBack", toBlock: genesis.block.number }
]

const recordsRollBacks: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { history, ledger, reader } = yield* subject.open
    const records = withLastRollBack(subject)
    const expected: Array<Omit<LedgerRollBack, "timeMs">> = []
    for (const [at, rollBack] of naiveRollBacks(subject.genesis, records).entries()) {
      yield* applyOne(ledger, records[at]!)
      if (rollBack === null) continue
      const snapshotId = yield* Effect.orDie(reader.snapshotId)
      expected.push({ ...rollBack, version: snapshotId.version })
      // a repeated rollback removes nothing
      yield* applyOne(ledger, records[at]!)
    }
    yield* holds(expected.length > 0, () => "The feed has no rollback")
    const snapshotId = yield* Effect.orDie(reader.snapshotId)
    for (const limit of [1, 2, expected.length, 1000]) {
      for (const [at, afterVersion] of [-1, ...expected.map(({ version }) => version)].entries()) {
        const found = yield* Effect.orDie(history.rollBacks({ afterVersion, limit }))
        const subject = () => `The first ${limit} rollbacks after version ${afterVersion}`
        yield* same(
          found.items.map(Struct.omit(["timeMs"])),
          expected.slice(at, at + limit),
          subject
        )
        yield* same(found.snapshotId, snapshotId, () => `${subject()}, the snapshotId`)
        for (const { serial, timeMs } of found.items) {
          yield* holds(
            Number.isSafeInteger(timeMs) && timeMs >= 0,
            () => `Rollback ${serial} has the time ${timeMs}`
          )
        }
      }
    }
  }))

const namesAFinalBlock: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { history, ledger, reader } = yield* subject.open
    yield* applyAll(ledger, subject.records)
    const { item, snapshotId } = yield* Effect.orDie(history.finalBlock)
    yield* same(snapshotId, yield* Effect.orDie(reader.snapshotId), () =>
      "The snapshotId of the final block")
    if (item === null) {
      return
    }
    const stored = yield* Effect.orDie(history.block(item.number))
    yield* same(stored.item?.block.hash, item.hash, () =>
      `The final block ${item.number}`)
  }))

/**
 * The laws of `LedgerHistory`. Each run opens its own ledgers, and takes a share of the feed that
 * grows with `runs`.
 *
 * ```ts
 * import { Context, Effect, Layer } from "effect"
 * import { Ledger, LedgerHistory, LedgerReader } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 * import { historyLaws } from "rollup-node-api/testing"
 *
 * const simulation = simulate({ seed: 1 })
 * const { genesis } = simulation
 * const store = Layer.provideMerge(Ledger.layer(genesis, keccak256), Memory.layer(genesis))
 * const open = Effect.map(Layer.build(Layer.fresh(store)), (services) => ({
 *   ledger: Context.get(services, Ledger),
 *   reader: Context.get(services, LedgerReader),
 *   history: Context.get(services, LedgerHistory)
 * }))
 * const records = Array.from({ length: 15 }, () => simulation.next())
 * const subject = { genesis, records, open, keccak256, seed: 1, runs: 1 }
 * for (const law of historyLaws) await Effect.runPromise(law.run(subject))
 * console.log(historyLaws.length) // => 4
 * ```
 */
export const historyLaws: ReadonlyArray<Law<HistorySubject>> = [
  { name: "at any point of the feed, every block is the one of the naive model", run: readsBlocks },
  {
    name:
      "the values before a change are those after the previous change of the account, and the last ones are current",
    run: linksChanges
  },
  {
    name: "each rollback that removes blocks is recorded once, and stays after later ones",
    run: recordsRollBacks
  },
  { name: "the final block is stored, if there is one", run: namesAFinalBlock }
]
