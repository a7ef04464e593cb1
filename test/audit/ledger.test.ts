/* An audit of a ledger finds nothing in a sound one, and names every fault of its ports. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { verifyExitProof } from "../../adapters/crypto/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { memoryHistory, memoryReader, openAuditedLedger } from "../../adapters/memory/mod.ts"
import { treeHashes } from "../../app/commands/verify/auditing.ts"
import { simulate } from "../../app/simulator/mod.ts"
import type { ListItems, ListName } from "../../core/contract/mod.ts"
import type { FullBatch } from "../../core/domain/mod.ts"
import type {
  LedgerBlock,
  LedgerHistory,
  LedgerReader,
  LedgerRollBack,
  Page
} from "../../core/ports/mod.ts"
import { auditLedger, Findings } from "../../core/use_cases/mod.ts"

type History = LedgerHistory["Service"]
type Reader = LedgerReader["Service"]

const simulation = simulate({ seed: "1", rollBackPeriodBlocks: 6, exitShare: 0.2 })
const { genesis } = simulation
const { applyRecord, ledger } = openAuditedLedger(genesis, keccak256)
for (let i = 0; i < 80; i++) applyRecord(simulation.next(), "")
const [history, reader] = [memoryHistory(ledger), memoryReader(ledger)]

const audited = (changed: Partial<History> & Partial<Reader>) =>
  Effect.gen(function*() {
    const findings = new Findings()
    const { block, rollBacks, ...changedReader } = changed
    yield* auditLedger(
      {
        reader: { ...reader, ...changedReader },
        history: { ...history, ...block && { block }, ...rollBacks && { rollBacks } }
      },
      { genesis, keccak256 },
      {
        findWrongProofs: (_, proofs) =>
          Effect.succeed(proofs.flatMap((proof, at) => verifyExitProof(...proof) ? [] : [at])),
        tree: treeHashes,
        onProgress: () => Effect.void
      },
      findings
    )
    return findings.report()
  })

/** Changes the pages of a list, of those queries that `isChanged` selects. */
const list = <N extends ListName>(
  name: N,
  how: (page: Page<ListItems[N]>) => Page<ListItems[N]>,
  isChanged: (filters: object) => boolean = () => true
): Partial<Reader> => ({
  list: ((asked, query) =>
    Effect.map(
      reader.list(asked, query),
      (page) =>
        asked as ListName === name && isChanged(query.filters)
          ? how(page as unknown as Page<ListItems[N]>)
          : page
    )) as Reader["list"]
})
const listedBy = (filter: string) => (filters: object) => filter in filters
const items = <N extends ListName>(
  name: N,
  how: (item: ListItems[N], at: number) => ListItems[N] | null
): Partial<Reader> =>
  list(name, (page) => ({
    ...page,
    items: page.items.flatMap((item, at) => how(item, at) ?? [])
  }))

/** Changes a batch with its transactions. */
const fullBatch = (how: (batch: FullBatch) => FullBatch | null): Partial<Reader> => ({
  find: ((name, key) =>
    Effect.map(
      reader.find(name, key),
      (found) => name === "fullBatch" ? { ...found, item: how(found.item as FullBatch) } : found
    )) as Reader["find"]
})
const lastTransaction = fullBatch((full) => ({
  ...full,
  transactions: full.transactions.map((view, at) =>
    at === full.transactions.length - 1 && view.transaction.l2 !== null
      ? { ...view, transaction: { ...view.transaction, toAddress: null, toPublicKey: "00" } }
      : view
  )
}))

const blocks = (how: (block: LedgerBlock) => LedgerBlock | null): Partial<History> => ({
  block: (number) =>
    Effect.map(history.block(number), ({ item, snapshotId }) => ({
      item: item === null ? null : how(item),
      snapshotId
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
    Effect.map(history.rollBacks(query), ({ items, snapshotId }) => ({
      items: items.flatMap((each, at) => {
        const changed = how(each, at)
        return changed === null ? [] : { ...each, ...changed }
      }),
      snapshotId
    }))
})

/** A batch that changes an account which an earlier one created. */
const batchNum = [...Array(ledger.snapshotId().batchNum!).keys()].map((at) => at + 1).findLast((
  each
) => changedIn(each).some(({ before }) => before !== null))!

function changedIn(batchNum: number) {
  const { ethereumBlockNum } = ledger.find("batch", batchNum).item!
  const { batches } = ledger.block(ethereumBlockNum)!
  return batches.find(({ batch }) => batch.batchNum === batchNum)!.accountChanges
}

const faults: ReadonlyArray<
  readonly [fault: string, changed: Partial<History> & Partial<Reader>, place: RegExp]
> = [
  [
    "a batch without its transactions",
    fullBatch(() => null),
    /^ranges: batch \d+, transactions: /u
  ],
  [
    "an owner of a transaction",
    lastTransaction,
    /^transactions: transaction 0x\w+ \(item \d+, batch \d+\), toPublicKey: found 00/u
  ],
  [
    "rows that cannot be read",
    fullBatch(() => {
      throw new Error("Unreadable")
    }),
    /^batches: batch \d+: found Error: Unreadable, expected rows that can be read$/u
  ],
  [
    "exits that no filter finds",
    list("exits", (page) => ({ ...page, items: [] }), listedBy("batchNum")),
    /^exits: batch \d+, account \d+: found no exit/u
  ],
  [
    "a wrong proof of an exit",
    items("exits", (view) => ({
      ...view,
      exit: { ...view.exit, merkleProof: { ...view.exit.merkleProof, value: 5n } }
    })),
    /^exit-proofs: exit \d+ \(batch \d+, account \d+\): found a proof with another root/u
  ],
  [
    "a balance",
    items("accounts", (view) => ({ ...view, account: { ...view.account, balance: 7n } })),
    /^balances: account 256 after batch \d+, balance: found 7/u
  ],
  [
    "a state root",
    items("accounts", (view) => ({ ...view, account: { ...view.account, balance: 7n } })),
    /^state-root: batch \d+, stateRoot/u
  ],
  [
    "a missing account",
    items("accounts", (view) => view.account.index === 257 ? null : view),
    /^transitions: account 257: found no account/u
  ],
  [
    "a surplus account",
    items("accounts", (view) => ({ ...view, account: { ...view.account, index: 9999 } })),
    /^transitions: account 9999: found an account/u
  ],
  [
    "order of accounts",
    items("accounts", (view) => ({ ...view, account: { ...view.account, itemId: 1 } })),
    /^transitions: account 257, itemId: found 1, expected above 1$/u
  ],
  [
    "a missing token",
    items("tokens", (token) => token.id === 1 ? null : token),
    /^tokens: token 1: found 2, expected 1$/u
  ],
  [
    "a count",
    list("transactions", (page) => ({ ...page, counts: { ...page.counts, totalItems: 1 } })),
    /^ranges: list of transactions: found 1, expected \d+$/u
  ],
  [
    "the id of a queued transaction",
    items("transactions", (view) =>
      view.transaction.batchNum === null
        ? { ...view, transaction: { ...view.transaction, id: "0x00" } }
        : view),
    /^queued: queue \d+, position \d+: found 0x00/u
  ],
  [
    "a list that lacks a row",
    list("accounts", (page) => ({ ...page, items: page.items.slice(1) }), listedBy("publicKey")),
    /^postings: accounts by publicKey \w+, item \d+: found (nothing|\d+), expected \d+$/u
  ],
  [
    "a list with other rows",
    list(
      "transactions",
      (page) => ({
        ...page,
        items: page.items.map((view, at) =>
          at === 0 ? view : { ...view, transaction: { ...view.transaction, type: "Deposit" } }
        )
      }),
      listedBy("type")
    ),
    /^postings: transactions by type \w+, item \d+: found item \d+, expected only items that match$/u
  ],
  [
    "counts of a filter",
    list(
      "batches",
      (page) => ({ ...page, counts: { ...page.counts, totalItems: 0 } }),
      listedBy("forgerAddr")
    ),
    /^postings: batches by forgerAddr 0x\w+, item \d+, totalItems: found 0/u
  ],
  [
    "the hash of a block",
    blocks((block) => ({ ...block, block: { ...block.block, hash: "0x00" } })),
    /^batches: batch \d+, ethereumBlockHash: found 0x\w+, expected 0x00$/u
  ],
  [
    "the time of a block",
    blocks((block) => ({
      ...block,
      block: { ...block.block, timestampMs: -Number(block.block.number) }
    })),
    /^blocks: block \d+, timestampMs: found -\d+/u
  ],
  [
    "the queue of a batch",
    blocks((block) => ({
      ...block,
      batches: block.batches.map((each) => ({
        ...each,
        batch: { ...each.batch, forgeL1TransactionsNum: 77 }
      }))
    })),
    /^batches: batch \d+, forgeL1TransactionsNum: found 77, expected 0$/u
  ],
  [
    "a missing batch",
    blocks((block) => ({
      ...block,
      batches: block.batches.filter(({ batch }) => batch.batchNum !== 2)
    })),
    /^batches: batch 3: found batch 3, expected batch 2$/u
  ],
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
    /^changes: batch \d+, account \d+: found no change, expected nonce \d+,/u
  ],
  [
    "an account that is created twice",
    changesOf(batchNum, (all) => all.map((each) => ({ ...each, before: null }))),
    /^changes: batch \d+, account \d+, before: found no account, expected nonce \d+,/u
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
    /^changes: batch \d+, account 256: found no change, expected nonce \d+,/u
  ],
  [
    "a missing block",
    blocks((block) => block.block.number % 5n === 0n ? null : block),
    /^blocks: block \d+: found nothing, expected a stored block$/u
  ],
  [
    "a wrong next block",
    blocks((block) => ({ ...block, next: null })),
    /^blocks: last block: found \d+, expected \d+$/u
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

describe("an audit of a ledger", () => {
  it.effect("finds nothing in a sound one", () =>
    Effect.gen(function*() {
      const { checks, violations } = yield* audited({})
      assert.deepStrictEqual(violations, [])
      assert.deepStrictEqual(checks.map(({ check }) => check).sort(), [
        "balances",
        "batches",
        "blocks",
        "changes",
        "exits",
        "fees",
        "postings",
        "queued",
        "ranges",
        "rollbacks",
        "state-root",
        "tokens",
        "transactions",
        "transitions"
      ])
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
