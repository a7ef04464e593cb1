/*
 * An audit of a batch finds nothing in stored batches, and names each single change and its place.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Account, Exit, L1Part, Transaction } from "../../core/domain/mod.ts"
import type { BatchEvidence } from "../../core/use_cases/mod.ts"
import { addressOf, keyOf } from "../use_cases/_network.ts"
import { evidenceOfBatch3, evidenceOfEvenBatch, reportOf, violationsOf } from "./_evidence.ts"

const sound = evidenceOfBatch3()
const other = { address: addressOf("9"), publicKey: keyOf("9") }

const violationsWith = (parts: Partial<BatchEvidence>) => violationsOf({ ...sound, ...parts })
/** Returns only checks and places. */
const places = (parts: Partial<BatchEvidence>) =>
  violationsWith(parts).map((line) => line.slice(0, line.indexOf(": ", line.indexOf(": ") + 2)))
/**
 * Returns the members of a transaction that are reported if some are changed, and all other
 * reports.
 */
const namedIn = (at: number, parts: Partial<Transaction>) => {
  const place = `transactions: transaction ${parts.id ?? sound.transactions[at]!.id} (item ${
    sound.transactions[at]!.itemId
  }, batch ${parts.batchNum ?? 3}), `
  return places({
    transactions: sound.transactions.with(at, { ...sound.transactions[at]!, ...parts })
  }).map((name) => name.replace(place, ""))
}
const [
  forcedExit,
  creating,
  failed,
  toNew,
  fromNew,
  ofAnotherToken,
  firstInternal,
  secondInternal,
  transfer,
  exit,
  toInternal
] = [0, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12] as const
const l1Of = (at: number, parts: Partial<L1Part>) => ({
  l1: { ...sound.transactions[at]!.l1!, ...parts }
})
const l2Of = (at: number, parts: object) => ({ l2: { ...sound.transactions[at]!.l2!, ...parts } })

const holding = (index: number, parts: Partial<Account>): Partial<BatchEvidence> => ({
  after: (key) => key === index ? { ...sound.after(index)!, ...parts } : sound.after(key)
})

describe("an audit of a batch", () => {
  it("finds nothing in a stored batch", () => {
    const { checks, violations } = reportOf(sound)
    assert.deepStrictEqual(violations, [])
    const counts = { batches: 1, transitions: 1, transactions: 14, fees: 1, balances: 8, exits: 2 }
    assert.deepStrictEqual(
      Object.fromEntries(checks.map(({ check, checked }) => [check, checked])),
      counts
    )
    assert.deepStrictEqual(sound.updated, [256, 257, 258, 259])
    const even = evidenceOfEvenBatch()
    assert.deepStrictEqual([even.updated, violationsOf(even)], [[256, 258], []])
    assert.lengthOf(violationsOf({ ...even, updated: [256, 257, 258] }), 1)
  })

  it("names what is wrong in a user transaction", () => {
    const changes: ReadonlyArray<Partial<Transaction>> = [
      { type: "Exit" },
      { fromAccountIndex: 257 },
      { fromAddress: other.address },
      { fromPublicKey: other.publicKey },
      { toAddress: other.address },
      { toPublicKey: other.publicKey },
      { tokenId: 1 },
      { amount: 12345n },
      { timestampMs: 1 },
      { position: 99 },
      { batchNum: 9 }
    ]
    for (const at of [forcedExit, creating, failed, toNew, fromNew, ofAnotherToken]) {
      for (const change of changes) assert.deepStrictEqual(namedIn(at, change), Object.keys(change))
      const parts: ReadonlyArray<Partial<L1Part>> = [
        { toForgeL1TransactionsNum: 1 },
        { depositAmount: 12345n },
        { historicDepositAmountUSD: 1 },
        { ethereumBlockNum: 1n },
        { amountSuccess: at === failed },
        { depositAmountSuccess: at === ofAnotherToken }
      ]
      for (const part of parts) {
        assert.deepStrictEqual(namedIn(at, l1Of(at, part)), Object.keys(part))
      }
    }
    // the receiver shows which account it was
    assert.deepStrictEqual(namedIn(failed, { toAccountIndex: 256 }), [
      "toAccountIndex",
      "toAddress",
      "toPublicKey"
    ])
    assert.deepStrictEqual(namedIn(failed, { toAccountIndex: 260 }), [
      "toAccountIndex",
      "toAddress",
      "toPublicKey"
    ])
    assert.deepStrictEqual(namedIn(failed, { toAccountIndex: 999 }), [
      "toAccountIndex",
      "toAddress",
      "toPublicKey"
    ])
  })

  it("names what is wrong in a coordinator transaction", () => {
    const changes: ReadonlyArray<Partial<Transaction>> = [
      { id: "0x01" },
      { type: "Deposit" },
      { fromAccountIndex: 260 },
      { toAccountIndex: 257 },
      { toAddress: other.address },
      { toPublicKey: other.publicKey },
      { amount: 1n },
      { timestampMs: 1 }
    ]
    for (const at of [firstInternal, secondInternal]) {
      for (const change of changes) {
        assert.deepStrictEqual(namedIn(at, change), Object.keys(change))
      }
    }
    const parts: ReadonlyArray<Partial<L1Part>> = [
      { toForgeL1TransactionsNum: 1 },
      { depositAmount: 1n },
      { historicDepositAmountUSD: 1 },
      { ethereumBlockNum: 1n },
      { amountSuccess: false },
      { depositAmountSuccess: false }
    ]
    for (const part of parts) {
      assert.deepStrictEqual(namedIn(firstInternal, l1Of(firstInternal, part)), Object.keys(part))
    }
    // the account that it creates follows from it
    const { id, itemId } = sound.transactions[toInternal]!
    assert.deepStrictEqual(namedIn(secondInternal, { fromPublicKey: other.publicKey }), [
      `transactions: transaction ${id} (item ${itemId}, batch 3), toPublicKey`,
      "transitions: account 263, publicKey"
    ])
    assert.deepStrictEqual(namedIn(secondInternal, { fromAddress: null }).slice(-1), [
      "transitions: account 263, address"
    ])
  })

  it("names what is wrong in an L2 transaction", () => {
    const changes: ReadonlyArray<Partial<Transaction>> = [
      { id: "0x02" },
      { type: "Deposit" },
      { fromAddress: other.address },
      { fromPublicKey: other.publicKey },
      { toAddress: other.address },
      { toPublicKey: other.publicKey },
      { tokenId: 1 },
      { timestampMs: 1 }
    ]
    for (const at of [transfer, exit, toInternal]) {
      for (const change of changes) assert.deepStrictEqual(namedIn(at, change), Object.keys(change))
      assert.deepStrictEqual(namedIn(at, l2Of(at, { historicFeeUSD: 7 })), ["historicFeeUSD"])
    }
    assert.deepStrictEqual(namedIn(transfer, { historicUSD: null }), ["historicFeeUSD"])
    assert.deepStrictEqual(
      namedIn(transfer, { historicUSD: null, ...l2Of(transfer, { historicFeeUSD: null }) }),
      []
    )
    assert.deepStrictEqual(namedIn(transfer, { amount: 99n }).slice(0, 1), ["id"])
    assert.deepStrictEqual(
      violationsWith({
        transactions: sound.transactions.with(transfer, {
          ...sound.transactions[transfer]!,
          ...l2Of(transfer, { nonce: 4n })
        })
      }).slice(0, 1),
      ["transitions: batch 3/l2/0/nonce: 4 (nonce), expected 0, the nonce of account 256"]
    )
    assert.match(
      violationsWith({
        transactions: sound.transactions.with(transfer, {
          ...sound.transactions[transfer]!,
          fromAccountIndex: null
        })
      })[0]!,
      /^transitions: batch 3\/l2\/0/u
    )
  })

  it("names the first transaction in a wrong position, and then checks no balances", () => {
    for (const at of [forcedExit, firstInternal]) {
      const { id, itemId } = sound.transactions[transfer]!
      const transactions = sound.transactions.with(at, sound.transactions[transfer]!).with(
        transfer,
        sound.transactions[at]!
      )
      assert.deepStrictEqual(
        violationsWith({ transactions, updated: [] }).filter((line) => !line.startsWith("exits")),
        [
          `transactions: transaction ${id} (item ${itemId}, batch 3): its position in the batch, expected L1 user transactions, L1 coordinator transactions and L2 transactions, in this order`
        ]
      )
    }
  })

  it("names a transaction that was never queued", () => {
    const { id, itemId } = sound.transactions[creating]!
    const queued = (key: string) => key === id ? undefined : sound.queued(key)
    assert.deepStrictEqual(violationsWith({ queued }), [
      `queued: transaction ${id} (item ${itemId}, batch 3): no queued transaction with this id, expected the forged transaction`
    ])
    const forced = (key: string) =>
      key === sound.transactions[forcedExit]!.id ? undefined : sound.queued(key)
    assert.lengthOf(violationsWith({ queued: forced }), 1)
  })

  it("names balances and nonces, overwritten or not", () => {
    for (
      const [index, { balance, nonce }] of [256, 257, 259, 260, 261, 263].map((index) =>
        [index, sound.after(index)!] as const
      )
    ) {
      // the balance afterwards shows who collected the fees
      const fees = index === 257 ? ["fees: batch 3, token 0"] : []
      assert.deepStrictEqual(places(holding(index, { balance: balance + 1n })), [
        ...fees,
        `balances: account ${index} after batch 3, balance`
      ])
      assert.deepStrictEqual(violationsWith(holding(index, { nonce: nonce + 1n })), [
        `balances: account ${index} after batch 3, nonce: ${nonce + 1n}, expected ${nonce}`
      ])
    }
    const gone = (gone: number) =>
      violationsWith({ after: (index) => index === gone ? undefined : sound.after(index) })
    assert.deepStrictEqual(gone(263), [
      "balances: account 263 after batch 3, nonce: nothing, expected 0",
      "balances: account 263 after batch 3, balance: nothing, expected 3"
    ])
    assert.lengthOf(gone(256), 2)
    const overwrote = (found: string) =>
      `balances: batch 3, overwritten accounts: ${found}, expected 256 257 258 259`
    assert.deepStrictEqual(violationsWith({ updated: [257, 258, 259] }), [overwrote("257 258 259")])
    assert.deepStrictEqual(violationsWith({ updated: [...sound.updated, 261] }), [
      overwrote("256 257 258 259 261")
    ])
    assert.deepStrictEqual(violationsWith({ updated: [...sound.updated, 999] }), [
      "balances: account 999 after batch 3: an overwritten balance, expected no account with this index before the batch",
      overwrote("256 257 258 259 999")
    ])
    const even = evidenceOfEvenBatch()
    assert.deepStrictEqual(
      violationsOf({
        ...even,
        updated: [256, 258, 259],
        after: (index) => index === 259 ? { nonce: 0n, balance: 1n } : even.after(index)
      }).slice(0, 1),
      ["balances: account 259 after batch 3, balance: 1, expected 0"]
    )
  })

  it("names fees that do not match the transactions, or that no account got", () => {
    const withFees = (...collectedFees: ReadonlyArray<readonly [number, bigint]>) =>
      violationsWith({ batch: { ...sound.batch, collectedFees } })
    assert.deepStrictEqual(withFees([0, 11n])[0], "fees: batch 3, token 0: 11, expected 10")
    assert.deepStrictEqual(
      withFees([0, 11n])[1],
      "fees: batch 3, token 0: no account with 11 units of fees, expected one account that received the fees"
    )
    assert.deepStrictEqual(withFees([0, 10n], [1, 0n], [7, 0n]), [])
    assert.deepStrictEqual(withFees([0, 10n], [1, 4n]), [
      "fees: batch 3, token 1: 4, expected 0",
      "fees: batch 3, token 1: no account with 4 units of fees, expected one account that received the fees"
    ])
    assert.deepStrictEqual(withFees(), [
      `balances: account 257 after batch 3, balance: ${sound.after(257)!.balance}, expected ${
        sound.after(257)!.balance - 10n
      }`
    ])
    // any account of the token may get them, also one that the batch creates or that is not used
    // otherwise, but no other account
    const payTo = (index: number, updated: ReadonlyArray<number>): Partial<BatchEvidence> => ({
      updated,
      after: (key) => ({
        nonce: sound.after(key)!.nonce,
        balance: sound.after(key)!.balance + (key === index ? 10n : key === 257 ? -10n : 0n)
      })
    })
    for (const created of [260, 261, 262]) {
      assert.deepStrictEqual(violationsWith(payTo(created, sound.updated)), [])
    }
    assert.include(places(payTo(258, sound.updated)), "fees: batch 3, token 0")
    const created = [{ ...sound.created[0]!, tokenId: 1 }, ...sound.created.slice(1)]
    assert.isEmpty(
      places({ ...payTo(261, sound.updated), created }).filter((place) => place.startsWith("fees"))
    )
  })

  it("names accounts that the batch does not create, or creates differently", () => {
    const [first, second, ...others] = sound.created as [Account, Account, ...Array<Account>]
    assert.deepStrictEqual(places({ batch: { ...sound.batch, numAccounts: 3 } }), [
      "totals: batch 3, numAccounts"
    ])
    for (
      const change of [{ index: 962 }, { tokenId: 1 }, { batchNum: 9 }, {
        publicKey: other.publicKey
      }, { address: other.address }]
    ) {
      const [name] = Object.keys(change)
      const found = places({ created: [first, { ...second, ...change }, ...others] })
      assert.include(found, `transitions: account ${change.index ?? 261}, ${name}`)
      assert.lengthOf(found.filter((place) => place.startsWith("transitions")), 1)
    }
    assert.include(
      violationsWith({ created: sound.created.slice(0, -1) }),
      "transitions: account 263: no account, expected one that batch 3 creates"
    )
    assert.deepStrictEqual(
      violationsWith({ created: [...sound.created, { ...second, index: 264 }] }),
      [
        "transitions: account 264: an account, expected none that batch 3 creates"
      ]
    )
  })

  it("names the slot of a batch", () => {
    assert.deepStrictEqual(violationsWith({ batch: { ...sound.batch, slotNum: 1 } }), [
      "batches: batch 3, slotNum: 1, expected 0"
    ])
  })
})

describe("an audit of the exits of a batch", () => {
  const [first, second] = sound.exits as [Exit, Exit]
  const withSecond = (parts: Partial<Exit>) =>
    violationsWith({ exits: [first, { ...second, ...parts }] })

  it("names each member that does not match the exited amount", () => {
    assert.deepStrictEqual(withSecond({ balance: 6n }), [
      "exits: exit 2 (batch 3, account 257), balance: 6, expected 5"
    ])
    assert.deepStrictEqual(withSecond({ batchNum: 4 }), [
      "exits: exit 2 (batch 4, account 257), batchNum: 4, expected 3"
    ])
    for (
      const change of [{ tokenId: 1 }, { address: other.address }, { publicKey: other.publicKey }]
    ) {
      assert.deepStrictEqual(places({ exits: [first, { ...second, ...change }] }), [
        `exits: exit 2 (batch 3, account 257), ${Object.keys(change)[0]}`
      ])
    }
  })

  it("names each member of a proof that describes an old leaf", () => {
    const { merkleProof } = second
    assert.deepStrictEqual(
      withSecond({ merkleProof: { ...merkleProof, oldKey: 7n, oldValue: 8n, isOld0: true } }),
      [
        "exit-proofs: exit 2 (batch 3, account 257), oldKey: 7, expected 0",
        "exit-proofs: exit 2 (batch 3, account 257), oldValue: 8, expected 0",
        "exit-proofs: exit 2 (batch 3, account 257), isOld0: true, expected false"
      ]
    )
  })

  it("names exits that are missing, surplus or out of order", () => {
    assert.deepStrictEqual(violationsWith({ exits: [first] }), [
      "exits: batch 3, account 257: no exit, expected one of 5"
    ])
    assert.deepStrictEqual(violationsWith({ exits: [second, first] }), [
      "exits: exit 1 (batch 3, account 256): account 256, expected an index above 257"
    ])
    assert.deepStrictEqual(violationsWith({ exits: [first, second, { ...second, itemId: 3 }] }), [
      "exits: exit 3 (batch 3, account 257), balance: 5, expected nothing",
      "exits: exit 3 (batch 3, account 257): account 257, expected an index above 257"
    ])
    // the owner of an account that the batch creates is known too
    for (const { address, index: accountIndex, publicKey } of sound.created.slice(0, 2)) {
      assert.deepStrictEqual(
        violationsWith({
          exits: [first, second, {
            ...second,
            address,
            publicKey,
            itemId: 3,
            accountIndex,
            balance: 1n
          }]
        }),
        [`exits: exit 3 (batch 3, account ${accountIndex}), balance: 1, expected nothing`]
      )
    }
    assert.deepStrictEqual(
      places({ exits: [first, second, { ...second, itemId: 3, accountIndex: 999 }] }),
      ["balance", "tokenId", "address", "publicKey"].map((name) =>
        `exits: exit 3 (batch 3, account 999), ${name}`
      )
    )
  })

  it("names an exit root without exits", () => {
    const nothing = {
      transactions: sound.transactions.slice(0, 1),
      exits: [],
      queued: (id: string) => ({ ...sound.queued(id)!, amount: 0n })
    }
    const found = (exitRoot: bigint) =>
      violationsWith({ ...nothing, batch: { ...sound.batch, exitRoot } }).filter((line) =>
        line.startsWith("exits")
      )
    assert.deepStrictEqual([found(0n), found(5n)], [[], [
      "exits: batch 3, exitRoot: 5, expected 0, since nothing leaves"
    ]])
    assert.deepStrictEqual(violationsWith({ batch: { ...sound.batch, exitRoot: 0n } }), [])
  })

  it("names impossible withdrawals", () => {
    const place = "withdrawals: exit 2 (batch 3, account 257): "
    for (
      const right of [{ instantWithdrawn: 5n }, { delayedWithdrawRequest: 5n }, {
        delayedWithdrawRequest: 5n,
        delayedWithdrawn: 6n
      }, { delayedWithdrawRequest: 6n, delayedWithdrawn: 6n }]
    ) assert.deepStrictEqual(withSecond(right), [])
    const both = `${place}an instant and a delayed withdrawal, expected one of both`
    const early = (found: string) =>
      `${place}${found}, expected a request in this block or an earlier one`
    assert.deepStrictEqual(withSecond({ instantWithdrawn: 5n, delayedWithdrawRequest: 5n }), [both])
    assert.deepStrictEqual(withSecond({ instantWithdrawn: 5n, delayedWithdrawn: 6n }), [
      both,
      early("collected in block 6, requested in none")
    ])
    assert.deepStrictEqual(withSecond({ delayedWithdrawn: 6n }), [
      early("collected in block 6, requested in none")
    ])
    assert.deepStrictEqual(withSecond({ delayedWithdrawRequest: 7n, delayedWithdrawn: 6n }), [
      early("collected in block 6, requested in 7")
    ])
  })
})
