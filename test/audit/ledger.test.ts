/* An audit of a ledger finds nothing in a sound one, and names every fault of its ports. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { exitTree } from "../../adapters/crypto/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { memoryHistory, memoryReader, openAuditedLedger } from "../../adapters/memory/mod.ts"
import { treeHashes } from "../../app/commands/verify/verify.ts"
import { simulate } from "../../app/simulator/mod.ts"
import type { ListItems, ListName } from "../../core/contract/mod.ts"
import type { Account, FullBatch } from "../../core/domain/mod.ts"
import type {
  LedgerBatch,
  LedgerBlock,
  LedgerHistory,
  LedgerReader,
  LedgerRollBack,
  Page
} from "../../core/ports/mod.ts"
import { auditLedger, Findings } from "../../core/use_cases/mod.ts"

type History = LedgerHistory["Service"]
type Reader = LedgerReader["Service"]

const simulation = simulate({ seed: "1", users: 25, rollBackPeriodBlocks: 6, exitShare: 0.2 })
const { genesis } = simulation
const { applyRecord, ledger } = openAuditedLedger(genesis, keccak256)
for (let i = 0; i < 80; i++) applyRecord(simulation.next())
const [history, reader] = [memoryHistory(ledger), memoryReader(ledger)]

const audited = (changed: Partial<History> & Partial<Reader>, exitSample = 1) =>
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
        buildExitTrees: (batches) => Effect.sync(() => batches.map(exitTree)),
        exitSample,
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

const accounts = (parts: Partial<Account>) =>
  items("accounts", (view) => ({ ...view, account: { ...view.account, ...parts } }))

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

const batches = (how: (batch: LedgerBatch) => LedgerBatch | null) =>
  blocks((block) => ({ ...block, batches: block.batches.flatMap((each) => how(each) ?? []) }))

const changesOf = (
  batchNum: number,
  how: (changes: LedgerBatch["accountChanges"]) => LedgerBatch["accountChanges"]
) =>
  batches((each) =>
    each.batch.batchNum === batchNum
      ? { ...each, accountChanges: how(each.accountChanges) }
      : each
  )

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

/** Changes of the answers. */
const faults: { readonly [name: string]: Partial<History> & Partial<Reader> } = {
  "a batch without its transactions": fullBatch(() => null),
  "an owner of a transaction": lastTransaction,
  "rows that cannot be read": fullBatch(() => {
    throw new Error("Unreadable")
  }),
  "exits that no filter finds": list(
    "exits",
    (page) => ({ ...page, items: [] }),
    listedBy("batchNum")
  ),
  "a wrong proof of an exit": items("exits", (view) => ({
    ...view,
    exit: { ...view.exit, merkleProof: { ...view.exit.merkleProof, value: 5n } }
  })),
  "a balance": accounts({ balance: 7n }),
  "a state root": accounts({ balance: 7n }),
  "a missing account": items("accounts", (view) => view.account.index === 257 ? null : view),
  "a surplus account": accounts({ index: 9999 }),
  "order of accounts": accounts({ itemId: 1 }),
  "a missing token": items("tokens", (token) => token.id === 1 ? null : token),
  "a count": list(
    "transactions",
    (page) => ({ ...page, counts: { ...page.counts, totalItems: 1 } })
  ),
  "the id of a queued transaction": items(
    "transactions",
    (view) =>
      view.transaction.batchNum === null
        ? { ...view, transaction: { ...view.transaction, id: "0x00" } }
        : view
  ),
  "a list that lacks a row": list(
    "accounts",
    (page) => ({ ...page, items: page.items.slice(1) }),
    listedBy("publicKey")
  ),
  "a list with other rows": list(
    "transactions",
    (page) => ({
      ...page,
      items: page.items.map((view, at) =>
        at === 0 ? view : { ...view, transaction: { ...view.transaction, type: "Deposit" } }
      )
    }),
    listedBy("type")
  ),
  "counts of a filter": list(
    "batches",
    (page) => ({ ...page, counts: { ...page.counts, totalItems: 0 } }),
    listedBy("forgerAddr")
  ),
  "the hash of a block": blocks((block) => ({ ...block, block: { ...block.block, hash: "0x00" } })),
  "the time of a block": blocks((block) => ({
    ...block,
    block: { ...block.block, timestampMs: -Number(block.block.number) }
  })),
  "the queue of a batch": batches((each) => ({
    ...each,
    batch: { ...each.batch, forgeL1TransactionsNum: 77 }
  })),
  "a missing batch": batches((each) => each.batch.batchNum === 2 ? null : each),
  "a value after a change": changesOf(batchNum, ([first, ...rest]) => [
    { ...first!, after: { ...first!.after, nonce: 7777n } },
    ...rest
  ]),
  "a lost change": changesOf(batchNum, (all) => all.filter(({ before }) => before === null)),
  "an account that is created twice": changesOf(
    batchNum,
    (all) => all.map((each) => ({ ...each, before: null }))
  ),
  "an account that no batch creates": batches((each) => ({
    ...each,
    accountChanges: each.accountChanges.filter(({ index }) => index !== 256)
  })),
  "a missing block": blocks((block) => block.block.number % 5n === 0n ? null : block),
  "a wrong next block": blocks((block) => ({ ...block, next: null })),
  "a missing rollback": rollBacks((_, at) => at === 0 ? null : {}),
  "a version that does not ascend": rollBacks((_, at) => at === 1 ? { version: 1 } : {}),
  "a rollback of no block": rollBacks(() => ({ blocks: 0 }))
}

/** A report of each fault, as a regular expression behind an arrow. */
const places = String.raw`
a batch without its transactions → ^ranges: batch \d+, transactions: found 0 rows
an owner of a transaction → ^transactions: transaction 0x\w+ \(item \d+, batch \d+\), toPublicKey: found 00
rows that cannot be read → ^batches: batch \d+: found Error: Unreadable, expected rows that can be read$
exits that no filter finds → ^exits: batch \d+, account \d+: found no exit
a wrong proof of an exit → ^exit-proofs: exit \d+ \(batch \d+, account \d+\), value: found 5
a balance → ^balances: account 256 after batch \d+, balance: found 7
a state root → ^state-root: batch \d+, stateRoot
a missing account → ^transitions: account 257: found no account
a surplus account → ^transitions: account 9999: found an account
order of accounts → ^transitions: account 257, itemId: found 1, expected above 1$
a missing token → ^tokens: token 1: found 2, expected 1$
a count → ^ranges: list of transactions: found 1, expected \d+$
the id of a queued transaction → ^queued: queue \d+, position \d+: found 0x00
a list that lacks a row → ^postings: accounts by publicKey \w+, item \d+: found (nothing|\d+), expected \d+$
a list with other rows → ^postings: transactions by type \w+, item \d+: found item \d+, expected only items that match$
counts of a filter → ^postings: batches by forgerAddr 0x\w+, item \d+, totalItems: found 0
the hash of a block → ^batches: batch \d+, ethereumBlockHash: found 0x\w+, expected 0x00$
the time of a block → ^blocks: block \d+, timestampMs: found -\d+
the queue of a batch → ^batches: batch \d+, forgeL1TransactionsNum: found 77, expected 0$
a missing batch → ^batches: batch 3: found batch 3, expected batch 2$
a value after a change → ^changes: batch \d+, account \d+: found nonce 7777, balance \d+, expected nonce \d+,
a lost change → ^changes: batch \d+, account \d+: found no change, expected nonce \d+,
an account that is created twice → ^changes: batch \d+, account \d+, before: found no account, expected nonce \d+,
an account that no batch creates → ^changes: batch \d+, account 256: found no change, expected nonce \d+,
a missing block → ^blocks: block \d+: found nothing, expected a stored block$
a wrong next block → ^blocks: last block: found \d+, expected \d+$
a missing rollback → ^rollbacks: rollback 2, serial: found 2, expected 1$
a version that does not ascend → ^rollbacks: rollback 2, version: found 1, expected a version above \d+, at most \d+$
a rollback of no block → ^rollbacks: rollback 1, blocks: found 0, expected from 1 to \d+$
`

describe("an audit of a ledger", () => {
  it("has a report of each fault", () =>
    assert.deepStrictEqual(
      places.trim().split("\n").map((line) => line.split(" → ")[0]),
      Object.keys(faults)
    ))

  it.effect("finds nothing in a sound one", () =>
    Effect.gen(function*() {
      const { checks, violations } = yield* audited({})
      assert.deepStrictEqual(violations, [])
      assert.deepStrictEqual(checks.map(({ check }) => check).sort(), [
        "balances",
        "batches",
        "blocks",
        "changes",
        "exit-proofs",
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

  it.effect("compares the proofs of a share of the batches with exits", () =>
    Effect.gen(function*() {
      const wrong = items("exits", (view) => ({
        ...view,
        exit: { ...view.exit, merkleProof: { ...view.exit.merkleProof, key: 5n } }
      }))
      const batchesOf = (exitSample: number) =>
        Effect.map(audited(wrong, exitSample), ({ violations }) => [
          ...new Set(
            violations.flatMap(({ place }) => /(?<=batch )\d+/u.exec(place) ?? []).map(Number)
          )
        ])
      const all = yield* batchesOf(1)
      for (const every of [2, 4]) {
        const expected = all.filter((batchNum) => batchNum % every === 0)
        assert.isNotEmpty(expected)
        assert.deepStrictEqual(yield* batchesOf(1 / every), expected)
      }
      assert.deepStrictEqual(yield* batchesOf(0), [])
    }))

  for (const line of places.trim().split("\n")) {
    const [fault, place] = line.split(" → ") as [string, string]
    it.effect(`names ${fault}`, () =>
      Effect.gen(function*() {
        const lines = (yield* audited(faults[fault]!)).violations.map(
          ({ check, expected, found, place }) =>
            `${check}: ${place}: found ${found}, expected ${expected}`
        )
        assert.isTrue(lines.some((line) => new RegExp(place, "u").test(line)), lines.join("\n"))
      }))
  }
})
