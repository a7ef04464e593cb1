/* The laws find faults: each of these faulty stores violates one of them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type {
  AccountChange,
  LedgerBlock,
  LedgerHistory,
  LedgerReader,
  LedgerRollBack
} from "../../core/ports/mod.ts"
import {
  answerLaws,
  historyLaws,
  type HistorySubject,
  type Law,
  ledgerLaws,
  type LedgerSubject,
  type OpenLedger,
  pagingLaws,
  readSubject,
  withGaps
} from "../laws/mod.ts"
import { gappedNetworkOf, networkOf, optionsOf, subjectOf } from "./_networks.ts"
import { withoutStacks } from "./without_stacks.ts"

type Reader = LedgerReader["Service"]
// the stores below are wrong on purpose, in their types too
type List = (
  name: string,
  query: {
    readonly filters: { readonly [filter: string]: unknown }
    readonly fromItem?: number
    readonly order?: string
    readonly limit?: number
  }
) => ReturnType<Reader["list"]>
type Answer = Effect.Success<ReturnType<Reader["list"]>>

const honest = (reader: Reader): List => reader.list as unknown as List
const listing = (how: (list: List) => List) => (open: OpenLedger): OpenLedger => ({
  ...open,
  reader: { ...open.reader, list: how(honest(open.reader)) as unknown as Reader["list"] }
})
const answering = (how: (answer: Answer, name: string) => object) =>
  listing((list) => (name, query) =>
    Effect.map(list(name, query), (answer) => ({ ...answer, ...how(answer, name) }) as Answer)
  )
const writing =
  (how: (ledger: OpenLedger["ledger"]) => Partial<OpenLedger["ledger"]>) =>
  (open: OpenLedger): OpenLedger => ({ ...open, ledger: { ...open.ledger, ...how(open.ledger) } })

const broken: { readonly [what: string]: (open: OpenLedger) => OpenLedger } = {
  "counts one pending item too many": answering(({ counts }) => ({
    counts: { ...counts, pendingItems: counts.pendingItems + 1 }
  })),
  "counts the following items instead of all": answering(({ counts, items }) => ({
    counts: { ...counts, totalItems: items.length + counts.pendingItems }
  })),
  "loses an item at the end of each full page": answering(({ items }) => ({
    items: items.length > 3 ? items.slice(0, -1) : items
  })),
  "reverses a page": answering(({ items }) => ({ items: items.toReversed() })),
  "leaves out the item of fromItem": listing((list) => (name, query) =>
    list(
      name,
      query.fromItem === undefined || query.fromItem === 0
        ? query
        : { ...query, fromItem: query.fromItem + (query.order === "DESC" ? -1 : 1) }
    )
  ),
  "ignores fromItem": listing((list) => (name, { filters, limit = 20, order = "ASC" }) =>
    list(name, { filters, limit, order })
  ),
  "ignores the filter by type": listing((list) => (name, query) =>
    list(name, {
      ...query,
      filters: Object.fromEntries(
        Object.entries(query.filters).filter(([filter]) => filter !== "type")
      )
    })
  ),
  "takes an exclusive bound as inclusive": listing((list) => (name, { filters, ...query }) =>
    list(name, {
      ...query,
      filters: "minBatchNum" in filters
        ? { ...filters, minBatchNum: Math.max(0, (filters.minBatchNum as number) - 1) }
        : filters
    })
  ),
  "returns at most ten items": listing((list) => (name, query) =>
    list(name, { ...query, limit: Math.min(query.limit ?? 20, 10) })
  ),
  "answers for an unknown token": listing((list) => (name, query) =>
    Effect.catch(list(name, query), () => list(name, { ...query, filters: {} }))
  ),
  "uses the batch number as the itemId of a batch": answering(({ items }, name) => ({
    items: name === "batches"
      ? items.map((item) => ({
        ...item,
        itemId: (item as unknown as { readonly batchNum: number }).batchNum
      }))
      : items
  })),
  "does not find queued transactions": ({ ledger, reader }) => ({
    ledger,
    reader: {
      ...reader,
      find: ((name: string, key: never) =>
        Effect.map(
          reader.find(name as "transaction", key),
          (found) =>
            name === "transaction" && found.item?.transaction.batchNum === null
              ? { ...found, item: null }
              : found
        )) as Reader["find"]
    }
  }),
  "keeps one block too many": writing((ledger) => ({
    rollBack: (toBlock) => ledger.rollBack(toBlock + 1n),
    applyRecord: (record) =>
      ledger.applyRecord(
        record.kind === "rollBack" ? { ...record, toBlock: record.toBlock + 1n } : record
      )
  })),
  "accepts any previous block": writing((ledger) => ({
    applyBlock: (block) =>
      Effect.catchIf(
        ledger.applyBlock(block),
        (failure) => failure._tag === "BlockViolation" && failure.invariant === "previous-block",
        () => Effect.succeed(unchanged)
      )
  })),
  "ignores prices between blocks": writing((ledger) => ({
    applyRecord: (record) =>
      ledger.applyRecord(record.kind === "prices" ? { ...record, prices: [] } : record)
  })),
  "never changes its snapshotId": ({ ledger, reader }) => ({
    ledger,
    reader: {
      ...reader,
      snapshotId: Effect.succeed({ ethereumBlockNum: 0n, batchNum: null, version: 1 })
    }
  })
}

/** Faults that only a feed with gaps shows. */
const brokenAtGaps: typeof broken = {
  "reports the block of a rollback as the last one, though it is in a gap": writing((ledger) => {
    const rollBack = (toBlock: bigint) =>
      Effect.map(ledger.rollBack(toBlock), (report) => ({
        ...report,
        lastBlock: { ...report.lastBlock, number: toBlock }
      }))
    return { rollBack }
  }),
  "takes a block of a gap as stored": writing((ledger) => ({
    applyBlock: (block) =>
      Effect.catchIf(
        ledger.applyBlock(block),
        (failure) => failure._tag === "BlockViolation" && failure.invariant === "block-gap",
        () => Effect.succeed(unchanged)
      )
  }))
}

type History = LedgerHistory["Service"]

const blocks =
  (how: (block: LedgerBlock) => LedgerBlock | null) => (history: History): History => ({
    ...history,
    block: (number) =>
      Effect.map(history.block(number), (found) => ({
        ...found,
        item: found.item === null ? null : how(found.item)
      }))
  })
const changes = (
  how: (change: AccountChange, at: number) => AccountChange | ReadonlyArray<AccountChange>
) =>
  blocks((block) => ({
    ...block,
    batches: block.batches.map((batch) => ({
      ...batch,
      accountChanges: batch.accountChanges.flatMap(how)
    }))
  }))
const rollBacks =
  (how: (items: ReadonlyArray<LedgerRollBack>) => ReadonlyArray<LedgerRollBack>) =>
  (history: History): History => ({
    ...history,
    rollBacks: (query) =>
      Effect.map(history.rollBacks(query), (found) => ({ ...found, items: how(found.items) }))
  })

const brokenHistory: { readonly [what: string]: (history: History) => History } = {
  "shows the values before a change as those after it": changes(({ before, ...change }) => ({
    ...change,
    after: before ?? change.after,
    before
  })),
  "takes a created account as one with a balance of 0": changes((change) => ({
    ...change,
    before: change.before ?? { nonce: 0n, balance: 0n }
  })),
  "loses the last change of a batch": blocks((block) => ({
    ...block,
    batches: block.batches.map((batch) => ({
      ...batch,
      accountChanges: batch.accountChanges.slice(0, -1)
    }))
  })),
  "does not store the genesis block": blocks((block) => block.previous === null ? null : block),
  "ends at each block with a batch": blocks((block) =>
    block.batches.length > 0 ? { ...block, next: null } : block
  ),
  "leaves out the batches but the first": blocks((block) => ({
    ...block,
    batches: block.batches.slice(0, 1)
  })),
  "counts a block too many in a rollback": rollBacks((items) =>
    items.map((item) => ({ ...item, blocks: item.blocks + 1 }))
  ),
  "forgets all rollbacks but the last": (history) => ({
    ...history,
    rollBacks: ({ afterVersion, limit }) =>
      Effect.map(history.rollBacks({ afterVersion: 0, limit: 1e6 }), ({ items, snapshotId }) => ({
        items: items.slice(-1).filter(({ version }) => version > afterVersion).slice(0, limit),
        snapshotId
      }))
  }),
  "includes the rollback of the version": (history) => ({
    ...history,
    rollBacks: ({ afterVersion, limit }) =>
      history.rollBacks({ afterVersion: Math.max(0, afterVersion - 1), limit })
  }),
  "declares a block final that it does not have": (history) => ({
    ...history,
    finalBlock: Effect.map(history.finalBlock, ({ snapshotId }) => ({
      item: { number: 1n, hash: "0x" },
      snapshotId
    }))
  })
}

const unchanged = {
  applied: false,
  snapshotId: { ethereumBlockNum: 0n, batchNum: null, version: 0 }
} as const

/** Returns whether all laws hold. A law that fails with a defect counts as violated. */
const hold = <Subject>(laws: ReadonlyArray<Law<Subject>>, on: Subject) =>
  Effect.gen(function*() {
    for (const law of laws) {
      if ((yield* Effect.exit(Effect.suspend(() => law.run(on))))._tag !== "Success") return false
    }
    return true
  })

/** Returns whether all laws of ledgers hold; stops at the first violation. */
const allHold = Effect.fnUntraced(function*(subject: LedgerSubject) {
  const reading = yield* Effect.result(Effect.scoped(readSubject(subject)))
  if (reading._tag !== "Success") return false
  return (yield* hold([...answerLaws, ...pagingLaws], reading.success)) &&
    (yield* hold(ledgerLaws, { ...subject, runs: 3 }))
})

withoutStacks()

describe("the laws find a store that", () => {
  const subject: HistorySubject = {
    ...subjectOf(networkOf({ ...optionsOf("teeth"), rollBackPeriodBlocks: 6 }, 120), "teeth"),
    runs: 20
  }
  const gapped = { ...subject, records: withGaps(subject.genesis, subject.records, "teeth") }
  for (const [faults, on] of [[broken, subject], [brokenAtGaps, gapped]] as const) {
    for (const [what, wrong] of Object.entries(faults)) {
      it.effect(
        what,
        () => Effect.map(allHold({ ...on, open: Effect.map(on.open, wrong) }), assert.isFalse)
      )
    }
  }
  for (const [what, wrong] of Object.entries(brokenHistory)) {
    it.effect(what, () =>
      Effect.map(
        hold(historyLaws, {
          ...subject,
          runs: 3,
          open: Effect.map(subject.open, (open) => ({ ...open, history: wrong(open.history) }))
        }),
        assert.isFalse
      ))
  }
  it.effect("and fail in the same way with the same seed", () =>
    Effect.scoped(Effect.gen(function*() {
      const open = Effect.map(subject.open, broken["ignores the filter by type"]!)
      const reading = yield* readSubject({ ...subject, open })
      const failures = Effect.forEach(
        [...answerLaws, ...pagingLaws],
        (law) => Effect.map(Effect.result(law.run(reading)), (result) => String(result))
      )
      const first = yield* failures
      assert.isTrue(first.some((result) => result.includes("expected")))
      assert.deepStrictEqual(yield* failures, first)
    })))
  it.effect("accept a correct store", () => Effect.map(allHold(subject), assert.isTrue))
  it.effect(
    "accept a correct history",
    () => Effect.map(hold(historyLaws, { ...subject, runs: 3 }), assert.isTrue)
  )
  it.effect(
    "accept a correct store with a feed that leaves out empty blocks",
    () => Effect.map(allHold(gapped), assert.isTrue)
  )
  it("run over feeds that leave out blocks, and roll back into gaps and to their ends", () => {
    const { records } = gappedNetworkOf(optionsOf("1"), 900)
    const blocks = records.flatMap((record) => record.kind === "block" ? [record.block] : [])
    const numbers = new Set(blocks.map(({ number }) => number))
    const targets = records.flatMap((record) => record.kind === "rollBack" ? [record.toBlock] : [])
    assert.isAbove(blocks.filter(({ previous }) => previous !== undefined).length, 10)
    assert.isTrue(targets.some((number) => numbers.has(number)))
    assert.isTrue(targets.some((number) => !numbers.has(number)))
  })
})
