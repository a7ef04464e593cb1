/*
 * An audit of a batch finds nothing in stored batches, and names each single change and its place.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Exit, Transaction } from "../../core/domain/mod.ts"
import type { AccountChange } from "../../core/ports/mod.ts"
import type { BatchEvidence } from "../../core/use_cases/audit/_batch_evidence.ts"
import { addressOf, keyOf } from "../use_cases/_network.ts"
import { evidenceOfBatch3, evidenceOfEvenBatch, reportOf, violationsOf } from "./_evidence.ts"

const sound = evidenceOfBatch3()
const { batch, changes, exits, transactions } = sound
const found = (parts: Partial<BatchEvidence>) => violationsOf({ ...sound, ...parts })

/** Other values of fields, which no transaction of the batch has. */
const otherValues: { readonly [field: string]: unknown } = {
  id: "0x01",
  fromAccountIndex: 257,
  fromAddress: addressOf("9"),
  fromPublicKey: keyOf("9"),
  toAccountIndex: 257,
  toAddress: addressOf("9"),
  toPublicKey: keyOf("9"),
  position: 99,
  batchNum: 9,
  tokenId: 1,
  amount: 1n,
  depositAmount: 1n,
  timestampMs: 1,
  ethereumBlockNum: 1n,
  toForgeL1TransactionsNum: 1,
  historicDepositAmountUSD: 1,
  historicFeeUSD: 7
}

const otherValueOf = (field: string, value: unknown) =>
  typeof value === "boolean"
    ? !value
    : field === "type"
    ? value === "Deposit" ? "Exit" : "Deposit"
    : otherValues[field]

/** Returns a transaction with another value of a field, which may be one of its L1 or L2 part. */
const changed = (row: Transaction, field: string): Transaction => {
  const change = (part: object) =>
    field in part ? { ...part, [field]: otherValueOf(field, part[field as keyof object]) } : part
  return {
    ...change(row) as Transaction,
    l1: row.l1 && change(row.l1) as Transaction["l1"],
    l2: row.l2 && change(row.l2) as Transaction["l2"]
  }
}

/** Returns what is reported if a field of a transaction is changed. */
const foundIn = (at: number, field: string) =>
  found({ transactions: transactions.with(at, changed(transactions[at]!, field)) })

const [creating, transfer] = [2, 10]
const ofAccounts = [0, 3, 5, 6, 7]
/** The fields of transactions of which each change is reported with the transaction and the field. */
const checkedFields: ReadonlyArray<
  readonly [name: string, at: ReadonlyArray<number>, fields: string]
> = [
  [
    "user transactions",
    [0, 2, 3, 5, 6, 7],
    "toAddress toPublicKey position batchNum toForgeL1TransactionsNum amountSuccess depositAmountSuccess"
  ],
  ["user transactions of accounts", ofAccounts, "type fromPublicKey"],
  ["user transactions that create accounts", [creating], "fromAccountIndex"],
  [
    "coordinator transactions",
    [8, 9],
    "id type fromAccountIndex toAccountIndex toAddress toPublicKey amount timestampMs toForgeL1TransactionsNum depositAmount historicDepositAmountUSD ethereumBlockNum amountSuccess depositAmountSuccess"
  ],
  [
    "L2 transactions",
    [transfer, 11, 12],
    "id type fromAddress fromPublicKey toAddress toPublicKey tokenId timestampMs historicFeeUSD"
  ]
]

/** Returns the changes with that of one account replaced. */
const withChange = (index: number, ...replacement: ReadonlyArray<Partial<AccountChange>>) => ({
  changes: changes.flatMap((change) =>
    change.index === index ? replacement.map((parts) => ({ ...change, ...parts })) : [change]
  )
})
const after = (nonce: bigint, balance: bigint) => ({ after: { nonce, balance } })
const withFees = (...collectedFees: ReadonlyArray<readonly [number, bigint]>) => ({
  batch: { ...batch, collectedFees }
})
const [first, second] = exits as [Exit, Exit]
const withExit = (parts: Partial<Exit>) => ({ exits: [first, { ...second, ...parts }] })
const withStored = (index: number, parts: object | undefined) => ({
  stored: (each: number) =>
    each !== index ? sound.stored(each) : parts && { ...sound.stored(each)!, ...parts }
})
const change256 = changes.find(({ index }) => index === 256)!

/** Changes of other rows. */
const damages: { readonly [name: string]: Partial<BatchEvidence> } = {
  "slot": { batch: { ...batch, slotNum: 1 } },
  "number of accounts": { batch: { ...batch, numAccounts: 3 } },
  "missing account": withStored(263, undefined),
  "created token": withStored(261, { tokenId: 9 }),
  "created batch": withStored(261, { batchNum: 9 }),
  "created key": withStored(261, { publicKey: "9" }),
  "created address": withStored(261, { address: "9" }),
  "value before": withChange(256, { before: { nonce: 5n, balance: 1000n } }),
  "value after": withChange(256, after(1n, 5n)),
  "missing change": withChange(256),
  "change of another account": { changes: [...changes, { ...change256, index: 999 }] },
  "creation as a change": withChange(261, { before: change256.before }),
  "change as a creation": withChange(256, { before: null }),
  "sum of fees": withFees([0, 11n]),
  "fees of nothing": withFees([0, 10n], [1, 0n], [7, 0n]),
  "fees of another token": withFees([0, 10n], [1, 4n]),
  "collector of fees": withChange(257, after(1n, 1n)),
  "amount of an exit": withExit({ balance: 6n }),
  "batch of an exit": withExit({ batchNum: 4 }),
  "token of an exit": withExit({ tokenId: 1 }),
  "address of an exit": withExit({ address: "9" }),
  "key of an exit": withExit({ publicKey: "9" }),
  "old leaf of a proof": withExit({
    merkleProof: { ...second.merkleProof, oldKey: 7n, oldValue: 8n, isOld0: true }
  }),
  "missing exit": { exits: [first] },
  "order of exits": { exits: [second, first] },
  "surplus exit": { exits: [first, second, { ...second, itemId: 3 }] },
  "instant withdrawal": withExit({ instantWithdrawn: 5n }),
  "delayed withdrawal": withExit({ delayedWithdrawRequest: 5n, delayedWithdrawn: 6n }),
  "withdrawal without delay": withExit({ delayedWithdrawRequest: 6n, delayedWithdrawn: 6n }),
  "two withdrawals": withExit({ instantWithdrawn: 5n, delayedWithdrawRequest: 5n }),
  "withdrawal without a request": withExit({ delayedWithdrawn: 6n }),
  "withdrawal before the request": withExit({ delayedWithdrawRequest: 7n, delayedWithdrawn: 6n })
}

/** All reports of each change, behind an arrow. */
const reports = `
slot → batches: batch 3, slotNum: 1, expected 0
number of accounts → totals: batch 3, numAccounts: 3, expected 4
missing account → transitions: account 263: no account, expected one that batch 3 creates
created token → transitions: account 261, tokenId: 9, expected 0
created batch → transitions: account 261, batchNum: 9, expected 3
created key → transitions: account 261, publicKey: 9, expected ${keyOf("a")}
created address → transitions: account 261, address: 9, expected ${addressOf("a")}
value before → balances: account 256 before batch 3, nonce: 5, expected 0
value after → changes: batch 3, account 256: nonce 1, balance 5, expected nonce 1, balance 789
missing change → changes: batch 3, account 256: no change, expected nonce 1, balance 789
change of another account → changes: batch 3, account 999: nonce 1, balance 789, expected no change
creation as a change → changes: batch 3, account 261, before: nonce 0, balance 1000, expected no account
change as a creation → changes: batch 3, account 256, before: no account, expected nonce 0, balance 1000
sum of fees → fees: batch 3, token 0: 11, expected 10
fees of nothing →
fees of another token → fees: batch 3, token 1: 4, expected 0
collector of fees → fees: batch 3, token 0: no account with 10 units of fees, expected one account that received the fees
  changes: batch 3, account 257: nonce 1, balance 1, expected nonce 1, balance 652
amount of an exit → exits: exit 2 (batch 3, account 257), balance: 6, expected 5
batch of an exit → exits: exit 2 (batch 4, account 257), batchNum: 4, expected 3
token of an exit → exits: exit 2 (batch 3, account 257), tokenId: 1, expected 0
address of an exit → exits: exit 2 (batch 3, account 257), address: 9, expected ${addressOf("b")}
key of an exit → exits: exit 2 (batch 3, account 257), publicKey: 9, expected ${keyOf("b")}
old leaf of a proof → exit-proofs: exit 2 (batch 3, account 257), oldKey: 7, expected 0
  exit-proofs: exit 2 (batch 3, account 257), oldValue: 8, expected 0
  exit-proofs: exit 2 (batch 3, account 257), isOld0: true, expected false
missing exit → exits: batch 3, account 257: no exit, expected one of 5
order of exits → exits: exit 1 (batch 3, account 256): account 256, expected an index above 257
surplus exit → exits: exit 3 (batch 3, account 257), balance: 5, expected nothing
  exits: exit 3 (batch 3, account 257): account 257, expected an index above 257
instant withdrawal →
delayed withdrawal →
withdrawal without delay →
two withdrawals → withdrawals: exit 2 (batch 3, account 257): an instant and a delayed withdrawal, expected one of both
withdrawal without a request → withdrawals: exit 2 (batch 3, account 257): collected in block 6, requested in none, expected a request in this block or an earlier one
withdrawal before the request → withdrawals: exit 2 (batch 3, account 257): collected in block 6, requested in 7, expected a request in this block or an earlier one
`

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

  for (const [name, rows, fields] of checkedFields) {
    it(`names each changed field of ${name}`, () => {
      for (const field of fields.split(" ")) {
        for (const at of rows) {
          const { id, itemId } = changed(transactions[at]!, field)
          const place = `transactions: transaction ${id} (item ${itemId}`
          const lines = foundIn(at, field).filter((line) => line.startsWith(place))
          assert.isTrue(
            lines.some((line) => line.includes(`, ${field}: `)),
            `${field} of ${at}: ${lines.join("; ")}`
          )
        }
      }
    })
  }

  it("finds a user transaction of another sender, which shows in what it does", () => {
    for (const at of ofAccounts) {
      const row = { ...transactions[at]!, fromAccountIndex: at === 6 ? 256 : 257 }
      assert.isNotEmpty(found({ transactions: transactions.with(at, row) }), `${at}`)
    }
    for (const field of ["type", "fromPublicKey"]) assert.isNotEmpty(foundIn(creating, field))
  })

  it("names each changed row, and nothing else", () => {
    const lines = Object.entries(damages).map(([name, parts]) =>
      `${name} → ${found(parts).join("\n  ")}`.trimEnd()
    )
    assert.deepStrictEqual(lines, reports.trim().split(/\n(?! )/u))
  })

  it("continues after a transaction that no circuit accepts", () => {
    const row = transactions[transfer]!
    const reordered = transactions.with(transfer, { ...row, l2: { ...row.l2!, nonce: 4n } })
    assert.deepStrictEqual(found({ transactions: reordered }), [
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
