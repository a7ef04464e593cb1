/*
 * An audit of a batch finds nothing in stored batches, and names each single change and its place.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Exit, L1Part, L2Part, Transaction } from "../../core/domain/mod.ts"
import type { AccountChange } from "../../core/ports/mod.ts"
import type { BatchEvidence } from "../../core/use_cases/audit/_batch_evidence.ts"
import { addressOf, keyOf } from "../use_cases/_network.ts"
import { evidenceOfBatch3, evidenceOfEvenBatch, reportOf, violationsOf } from "./_evidence.ts"

const sound = evidenceOfBatch3()
const { batch, changes, exits, transactions } = sound
const other = { address: addressOf("9"), publicKey: keyOf("9") }
const user = [0, 2, 3, 5, 6, 7] as const
const creating = 2
const ofAccounts = [0, 3, 5, 6, 7] as const
const [firstInternal, secondInternal, transfer] = [8, 9, 10] as const
const l2 = [transfer, 11, 12] as const

const found = (parts: Partial<BatchEvidence>) => violationsOf({ ...sound, ...parts })

type Fields = Partial<Transaction> & { readonly l1?: never; readonly l2?: never }
type Parts = Fields | { readonly part: Partial<L1Part> | Partial<L2Part> }

/** Returns a transaction with other fields, or other fields of its L1 or L2 part. */
const changed = (row: Transaction, parts: Parts): Transaction =>
  !("part" in parts)
    ? { ...row, ...parts }
    : row.l1 !== null
    ? { ...row, l1: { ...row.l1, ...parts.part } }
    : { ...row, l2: { ...row.l2!, ...parts.part } }

/** Returns what is reported if fields of a transaction are changed. */
const foundIn = (at: number, parts: Parts) =>
  found({ transactions: transactions.with(at, changed(transactions[at]!, parts)) })

/** The changes of transactions of which each is reported with the transaction and the field. */
const transactionDamages: ReadonlyArray<readonly [at: ReadonlyArray<number>, Parts]> = [
  ...[
    { toAddress: other.address },
    { toPublicKey: other.publicKey },
    { position: 99 },
    { batchNum: 9 },
    { part: { toForgeL1TransactionsNum: 1 } }
  ].map((parts) => [user, parts] as [ReadonlyArray<number>, Parts]),
  [ofAccounts, { type: "Exit" }],
  [ofAccounts, { fromPublicKey: other.publicKey }],
  [[creating], { fromAccountIndex: 257 }],
  [[0, 2, 5, 6, 7], { part: { amountSuccess: false } }],
  [[3], { part: { amountSuccess: true } }],
  [[0, 2, 3, 5, 6], { part: { depositAmountSuccess: false } }],
  [[7], { part: { depositAmountSuccess: true } }],
  ...[
    { id: "0x01" },
    { type: "Deposit" },
    { fromAccountIndex: 260 },
    { toAccountIndex: 257 },
    { toAddress: other.address },
    { toPublicKey: other.publicKey },
    { amount: 1n },
    { timestampMs: 1 },
    { part: { toForgeL1TransactionsNum: 1 } },
    { part: { depositAmount: 1n } },
    { part: { historicDepositAmountUSD: 1 } },
    { part: { ethereumBlockNum: 1n } },
    { part: { amountSuccess: false } },
    { part: { depositAmountSuccess: false } }
  ].map((parts) => [[firstInternal, secondInternal], parts] as [ReadonlyArray<number>, Parts]),
  ...[
    { id: "0x02" },
    { type: "Deposit" },
    { fromAddress: other.address },
    { fromPublicKey: other.publicKey },
    { toAddress: other.address },
    { toPublicKey: other.publicKey },
    { tokenId: 1 },
    { timestampMs: 1 },
    { part: { historicFeeUSD: 7 } }
  ].map((parts) => [l2, parts] as [ReadonlyArray<number>, Parts])
]

const changeOf = (index: number) => changes.find((change) => change.index === index)!
/** Returns the changes with that of one account replaced. */
const withChange = (index: number, ...replacement: ReadonlyArray<Partial<AccountChange>>) => ({
  changes: changes.flatMap((change) =>
    change.index === index ? replacement.map((parts) => ({ ...change, ...parts })) : [change]
  )
})
const withFees = (...collectedFees: ReadonlyArray<readonly [number, bigint]>) => ({
  batch: { ...batch, collectedFees }
})
const [first, second] = exits as [Exit, Exit]
const withSecond = (parts: Partial<Exit>) => ({ exits: [first, { ...second, ...parts }] })
const withStored = (index: number, parts: object | undefined) => ({
  stored: (each: number) =>
    each !== index ? sound.stored(each) : parts && { ...sound.stored(each)!, ...parts }
})
const { after: after256, before: before256 } = changeOf(256)
const text = ({ balance, nonce }: { readonly balance: bigint; readonly nonce: bigint }) =>
  `nonce ${nonce}, balance ${balance}`
const exit2 = "exit 2 (batch 3, account 257)"
const early = "expected a request in this block or an earlier one"

/** Changes of other rows, and all reports of them. */
const damages: ReadonlyArray<
  readonly [name: string, Partial<BatchEvidence>, reports: ReadonlyArray<string>]
> = [
  ["slot", { batch: { ...batch, slotNum: 1 } }, ["batches: batch 3, slotNum: 1, expected 0"]],
  ["created accounts", { batch: { ...batch, numAccounts: 3 } }, [
    "totals: batch 3, numAccounts: 3, expected 4"
  ]],
  ["missing account", withStored(263, undefined), [
    "transitions: account 263: no account, expected one that batch 3 creates"
  ]],
  ...["tokenId", "batchNum", "publicKey", "address"].map((name) =>
    [`created ${name}`, withStored(261, { [name]: 9 }), [
      `transitions: account 261, ${name}: 9, expected ${
        Object.entries(sound.stored(261)!).find(([field]) => field === name)![1]
      }`
    ]] as const
  ),
  ["value before", withChange(256, { before: { ...before256!, nonce: 5n } }), [
    `balances: account 256 before batch 3, nonce: 5, expected ${before256!.nonce}`
  ]],
  ["value after", withChange(256, { after: { ...after256, balance: 5n } }), [
    `changes: batch 3, account 256: ${text({ ...after256, balance: 5n })}, expected ${
      text(after256)
    }`
  ]],
  ["missing change", withChange(256), [
    `changes: batch 3, account 256: no change, expected ${text(after256)}`
  ]],
  ["change of another account", { changes: [...changes, { ...changeOf(256), index: 999 }] }, [
    `changes: batch 3, account 999: ${text(after256)}, expected no change`
  ]],
  ["creation as a change", withChange(261, { before: before256 }), [
    `changes: batch 3, account 261, before: ${text(before256!)}, expected no account`
  ]],
  ["change as a creation", withChange(256, { before: null }), [
    `changes: batch 3, account 256, before: no account, expected ${text(before256!)}`
  ]],
  ["sum of fees", withFees([0, 11n]), ["fees: batch 3, token 0: 11, expected 10"]],
  ["fees of nothing", withFees([0, 10n], [1, 0n], [7, 0n]), []],
  ["fees of another token", withFees([0, 10n], [1, 4n]), [
    "fees: batch 3, token 1: 4, expected 0"
  ]],
  ["collector", withChange(257, { after: { ...changeOf(257).after, balance: 1n } }), [
    "fees: batch 3, token 0: no account with 10 units of fees, expected one account that received the fees",
    `changes: batch 3, account 257: ${text({ ...changeOf(257).after, balance: 1n })}, expected ${
      text({ ...changeOf(257).after, balance: changeOf(257).after.balance - 10n })
    }`
  ]],
  ["amount of an exit", withSecond({ balance: 6n }), [`exits: ${exit2}, balance: 6, expected 5`]],
  ["batch of an exit", withSecond({ batchNum: 4 }), [
    "exits: exit 2 (batch 4, account 257), batchNum: 4, expected 3"
  ]],
  ...Object.entries({ tokenId: 1, ...other }).map(([name, value]) =>
    [`${name} of an exit`, withSecond({ [name]: value }), [
      `exits: ${exit2}, ${name}: ${value}, expected ${
        Object.entries(second).find(([field]) => field === name)![1]
      }`
    ]] as const
  ),
  [
    "old leaf of a proof",
    withSecond({
      merkleProof: { ...second.merkleProof, oldKey: 7n, oldValue: 8n, isOld0: true }
    }),
    [
      `exit-proofs: ${exit2}, oldKey: 7, expected 0`,
      `exit-proofs: ${exit2}, oldValue: 8, expected 0`,
      `exit-proofs: ${exit2}, isOld0: true, expected false`
    ]
  ],
  ["missing exit", { exits: [first] }, [
    "exits: batch 3, account 257: no exit, expected one of 5"
  ]],
  ["order of exits", { exits: [second, first] }, [
    "exits: exit 1 (batch 3, account 256): account 256, expected an index above 257"
  ]],
  ["surplus exit", { exits: [first, second, { ...second, itemId: 3 }] }, [
    "exits: exit 3 (batch 3, account 257), balance: 5, expected nothing",
    "exits: exit 3 (batch 3, account 257): account 257, expected an index above 257"
  ]],
  ["instant withdrawal", withSecond({ instantWithdrawn: 5n }), []],
  ["delayed withdrawal", withSecond({ delayedWithdrawRequest: 5n, delayedWithdrawn: 6n }), []],
  [
    "delayed withdrawal at once",
    withSecond({ delayedWithdrawRequest: 6n, delayedWithdrawn: 6n }),
    []
  ],
  ["two withdrawals", withSecond({ instantWithdrawn: 5n, delayedWithdrawRequest: 5n }), [
    `withdrawals: ${exit2}: an instant and a delayed withdrawal, expected one of both`
  ]],
  ["withdrawal without a request", withSecond({ delayedWithdrawn: 6n }), [
    `withdrawals: ${exit2}: collected in block 6, requested in none, ${early}`
  ]],
  [
    "withdrawal before the request",
    withSecond({ delayedWithdrawRequest: 7n, delayedWithdrawn: 6n }),
    [`withdrawals: ${exit2}: collected in block 6, requested in 7, ${early}`]
  ]
]

describe("an audit of a batch", () => {
  it("finds nothing in a stored batch", () => {
    const { checks, violations } = reportOf(sound)
    assert.deepStrictEqual(violations, [])
    assert.deepStrictEqual(
      Object.fromEntries(checks.map(({ check, checked }) => [check, checked])),
      {
        batches: 1,
        transitions: 1,
        transactions: 14,
        exits: 2,
        fees: 1,
        balances: 8,
        changes: 8
      }
    )
    assert.deepStrictEqual(violationsOf(evidenceOfEvenBatch()), [])
  })

  for (const [rows, parts] of transactionDamages) {
    const names = Object.keys("part" in parts ? parts.part : parts)
    it(`names a changed ${names.join()} of transactions ${rows.join(", ")}`, () => {
      for (const at of rows) {
        const { id, itemId } = transactions[at]!
        const place = `transactions: transaction ${"id" in parts ? parts.id : id} (item ${itemId}`
        const lines = foundIn(at, parts).filter((line) => line.startsWith(place))
        for (const name of names) {
          assert.isTrue(lines.some((line) => line.includes(`, ${name}: `)), lines.join("; "))
        }
      }
    })
  }

  it("finds a user transaction of another sender, which shows in what it does", () => {
    for (const at of ofAccounts) assert.isNotEmpty(foundIn(at, { fromAccountIndex: 257 }), `${at}`)
    for (const parts of [{ type: "Exit" }, { fromPublicKey: other.publicKey }] as const) {
      assert.isNotEmpty(foundIn(creating, parts))
    }
  })

  for (const [name, parts, reports] of damages) {
    it(`names a changed ${name}`, () => assert.deepStrictEqual(found(parts), reports))
  }

  it("continues after a transaction that no circuit accepts", () => {
    assert.deepStrictEqual(foundIn(transfer, { part: { nonce: 4n } }), [
      "transitions: batch 3/l2/0/nonce: 4 (nonce), expected 0, the nonce of account 256"
    ])
  })

  it("names the first transaction in a wrong position", () => {
    const swapped = transactions.with(0, transactions[transfer]!).with(transfer, transactions[0]!)
    assert.match(found({ transactions: swapped }).join(), /its position in the batch, expected L1/u)
  })

  it("names an exit root without exits", () => {
    const nothing = { transactions: transactions.slice(1, 2), exits: [] }
    const roots = (exitRoot: bigint) =>
      found({ ...nothing, batch: { ...batch, exitRoot } }).filter((line) =>
        line.startsWith("exits")
      )
    assert.deepStrictEqual([roots(0n), roots(5n)], [[], [
      "exits: batch 3, exitRoot: 5, expected 0, since nothing leaves"
    ]])
  })
})
