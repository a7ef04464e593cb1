/* An audit of a history finds nothing in a sound one, and names every fault and its place. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { memoryHistory, memoryReader, openAuditedLedger } from "../../adapters/memory/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import type { LedgerBlock, LedgerHistory, LedgerRollBack } from "../../core/ports/mod.ts"
import { auditHistoryPorts, Findings } from "../../core/use_cases/mod.ts"

type History = LedgerHistory["Service"]

const simulation = simulate({ seed: "1", rollBackPeriodBlocks: 6 })
const { applyRecord, ledger } = openAuditedLedger(simulation.genesis, keccak256)
for (let i = 0; i < 80; i++) applyRecord(simulation.next(), "")
const history = memoryHistory(ledger)

const audited = (changed: Partial<History>) =>
  Effect.gen(function*() {
    const findings = new Findings()
    yield* auditHistoryPorts(
      { reader: memoryReader(ledger), history: { ...history, ...changed } },
      findings
    )
    return findings.report()
  })

const blocks = (how: (block: LedgerBlock) => LedgerBlock | null): Partial<History> => ({
  block: (number) =>
    Effect.map(history.block(number), ({ item, stamp }) => ({
      item: item === null ? null : how(item),
      stamp
    }))
})

const changesOf = (
  batchNum: number,
  how: (changes: LedgerBlock["batches"][number]["accountChanges"]) => typeof changes
) =>
  blocks((block) => ({
    ...block,
    batches: block.batches.map((each) =>
      each.batch.batchNum === batchNum
        ? { ...each, accountChanges: how(each.accountChanges) }
        : each
    )
  }))

const rollBacks = (how: (each: LedgerRollBack, at: number) => Partial<LedgerRollBack> | null) => ({
  rollBacks: (query: Parameters<History["rollBacks"]>[0]) =>
    Effect.map(history.rollBacks(query), ({ items, stamp }) => ({
      items: items.flatMap((each, at) => {
        const changed = how(each, at)
        return changed === null ? [] : { ...each, ...changed }
      }),
      stamp
    }))
})

/** A batch that changes an account which an earlier one created. */
const batchNum = [...Array(ledger.stamp().batchNum!).keys()].map((at) => at + 1).findLast((each) =>
  changedIn(each).some(({ before }) => before !== null)
)!

function changedIn(batchNum: number) {
  const { ethereumBlockNum } = ledger.find("batch", batchNum).item!
  const { batches } = ledger.block(ethereumBlockNum)!
  return batches.find(({ batch }) => batch.batchNum === batchNum)!.accountChanges
}

const faults: ReadonlyArray<readonly [fault: string, changed: Partial<History>, place: RegExp]> = [
  [
    "a value after a change",
    changesOf(batchNum, ([first, ...rest]) => [
      { ...first!, after: { ...first!.after, nonce: 7777n } },
      ...rest
    ]),
    /^changes: batch \d+, account \d+: found nonce 7777, balance \d+, expected nonce \d+,/u
  ],
  [
    "a lost change",
    changesOf(batchNum, (all) => all.filter(({ before }) => before === null)),
    /^changes: batch \d+, account \d+: found nonce \d+, balance \d+, expected nonce \d+,/u
  ],
  [
    "an account that is created twice",
    changesOf(batchNum, (all) => all.map((each) => ({ ...each, before: null }))),
    /^changes: batch \d+, account \d+: found nonce \d+, balance \d+, expected no account$/u
  ],
  [
    "an account that no batch creates",
    blocks((block) => ({
      ...block,
      batches: block.batches.map((each) => ({
        ...each,
        accountChanges: each.accountChanges.filter(({ index }) => index !== 256)
      }))
    })),
    /^changes: account 256: found nonce \d+, balance \d+, expected its creation$/u
  ],
  [
    "a missing block",
    blocks((block) => block.block.number % 5n === 0n ? null : block),
    /^changes: block \d+: found nothing, expected a stored block$/u
  ],
  [
    "a wrong next block",
    blocks((block) => ({ ...block, next: null })),
    /^changes: block \d+, next: found nothing, expected \d+$/u
  ],
  [
    "a missing rollback",
    rollBacks((_, at) => at === 0 ? null : {}),
    /^rollbacks: rollback 2, serial: found 2, expected 1$/u
  ],
  [
    "a version that does not ascend",
    rollBacks((_, at) => at === 1 ? { version: 1 } : {}),
    /^rollbacks: rollback 2, version: found 1, expected a version above \d+, at most \d+$/u
  ],
  [
    "a rollback of no block",
    rollBacks(() => ({ blocks: 0 })),
    /^rollbacks: rollback 1, blocks: found 0, expected from 1 to \d+$/u
  ]
]

describe("an audit of a history", () => {
  it.effect("finds nothing in a sound one", () =>
    Effect.gen(function*() {
      const { checks, violations } = yield* audited({})
      assert.deepStrictEqual(violations, [])
      assert.deepStrictEqual(checks.map(({ check }) => check), ["changes", "rollbacks"])
      for (const { checked } of checks) assert.isAbove(checked, 1)
    }))

  for (const [fault, changed, place] of faults) {
    it.effect(`names ${fault}`, () =>
      Effect.gen(function*() {
        const lines = (yield* audited(changed)).violations.map(
          ({ check, expected, found, place }) =>
            `${check}: ${place}: found ${found}, expected ${expected}`
        )
        assert.isTrue(lines.some((line) => place.test(line)), lines.join("\n"))
      }))
  }
})
