import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Account, New, Transaction } from "../../core/domain/mod.ts"
import { type L1UserEffect, processBatch } from "../../core/use_cases/mod.ts"
import { ann, batchOf, bob, ledgerBefore } from "./_chain.ts"
import { keyOf } from "./_network.ts"

const ledger = ledgerBefore(104n)

interface Sent {
  readonly from: number
  readonly to: number
  readonly deposit?: bigint
  readonly amount?: bigint
  readonly tokenId?: number
  readonly by?: string
}

const rowOf = (
  { amount = 0n, by = ann.address, deposit = 0n, from, to, tokenId = 0 }: Sent
): New<Transaction> => ({
  id: "0x00",
  type: "Deposit",
  position: 0,
  fromAccountIndex: from === 0 ? null : from,
  fromAddress: by,
  fromPublicKey: from === 0 ? keyOf("9") : null,
  toAccountIndex: to,
  toAddress: null,
  toPublicKey: null,
  tokenId,
  amount,
  batchNum: null,
  historicUSD: null,
  timestampMs: 0,
  l1: {
    toForgeL1TransactionsNum: 2,
    userOrigin: true,
    depositAmount: deposit,
    amountSuccess: false,
    depositAmountSuccess: false,
    historicDepositAmountUSD: null,
    ethereumBlockNum: 103n,
    ethereumTxHash: null,
    l1Fee: null
  },
  l2: null
})

const forge = (...sent: ReadonlyArray<Sent>) =>
  Result.getOrThrow(processBatch(ledger, { ...batchOf(3), queue: sent.map(rowOf) }))

/** Returns the effective deposit and amount, and the balances of the changed accounts. */
function yields(
  sent: Sent,
  [deposit, amount]: readonly [bigint, bigint],
  balances: Record<number, bigint>,
  created: number | null = null
): void {
  const outcome = forge(sent)
  const expected: L1UserEffect = {
    effectiveDepositAmount: deposit,
    effectiveAmount: amount,
    createdIndex: created
  }
  assert.deepStrictEqual(outcome.l1UserEffects, [expected])
  assert.deepStrictEqual(
    Object.fromEntries(outcome.accountUpdates.map(({ balance, index }) => [index, balance])),
    balances
  )
}

// Ann has 1000 on 256, Bob 500 on 257, Cleo 77 of token 1 on 258; the next account is 260
describe("effective amounts of L1 user transactions", () => {
  it("1: coordinator transactions create empty accounts", () => {
    const l1Coordinator = [{
      address: bob.address,
      publicKey: bob.key,
      tokenId: 1,
      signature: "0x01"
    }]
    const created: New<Account> = {
      index: 260,
      tokenId: 1,
      batchNum: 3,
      publicKey: bob.key,
      address: bob.address,
      nonce: 0n,
      balance: 0n
    }
    const outcome = Result.getOrThrow(
      processBatch(ledger, { ...batchOf(3, { l1Coordinator }), queue: [] })
    )
    assert.deepStrictEqual(outcome.createdAccounts, [created])
  })
  it("2: an account creation adds its deposit", () =>
    yields({ from: 0, to: 0, deposit: 9n }, [9n, 0n], { 260: 9n }, 260))
  it("3: an account creation transfers a part of its deposit", () =>
    yields({ from: 0, to: 256, deposit: 9n, amount: 4n }, [9n, 4n], { 256: 1004n, 260: 5n }, 260))
  it("3: an account creation transfers all of its deposit", () =>
    yields({ from: 0, to: 256, deposit: 9n, amount: 9n }, [9n, 9n], { 256: 1009n, 260: 0n }, 260))
  it("3: an amount above the deposit is not transferred, to any receiver", () => {
    yields({ from: 0, to: 256, deposit: 9n, amount: 10n }, [9n, 0n], { 260: 9n }, 260)
    yields({ from: 0, to: 999, deposit: 9n, amount: 10n }, [9n, 0n], { 260: 9n }, 260)
  })
  it("3: an account creation for a receiver that does not exist loses the deposit too", () =>
    yields({ from: 0, to: 999, deposit: 9n, amount: 4n }, [0n, 0n], { 260: 0n }, 260))
  it("3: the new account cannot be the receiver", () =>
    yields({ from: 0, to: 260, deposit: 9n, amount: 4n }, [0n, 0n], { 260: 0n }, 260))
  it("3: an account creation for a receiver of another token keeps the deposit", () =>
    yields({ from: 0, to: 258, deposit: 9n, amount: 4n }, [9n, 0n], { 260: 9n }, 260))
  it("4: a deposit to an account that does not exist has no effect", () =>
    yields({ from: 999, to: 0, deposit: 9n }, [0n, 0n], {}))
  it("4: a deposit of another token has no effect", () =>
    yields({ from: 256, to: 0, deposit: 9n, tokenId: 1 }, [0n, 0n], {}))
  it("5: the deposit counts as balance", () =>
    yields({ from: 256, to: 257, deposit: 9n, amount: 1009n }, [9n, 1009n], {
      256: 0n,
      257: 1509n
    }))
  it("5: an amount above balance and deposit is not transferred, the deposit stays", () =>
    yields({ from: 256, to: 257, deposit: 9n, amount: 1010n }, [9n, 0n], { 256: 1009n }))
  it("5: too high an amount for a receiver that does not exist keeps the deposit", () =>
    yields({ from: 256, to: 999, deposit: 9n, amount: 1010n }, [9n, 0n], { 256: 1009n }))
  it("6: only the owner can transfer from an account, but everyone can deposit", () => {
    yields({ from: 256, to: 257, deposit: 9n, amount: 5n, by: bob.address }, [9n, 0n], {
      256: 1009n
    })
    yields({ from: 256, to: 0, deposit: 9n, by: bob.address }, [9n, 0n], { 256: 1009n })
    yields({ from: 256, to: 1, amount: 5n, by: bob.address }, [0n, 0n], {})
  })
  it("6 and 8: a foreign transfer to no receiver loses the deposit", () =>
    yields({ from: 256, to: 999, deposit: 9n, amount: 5n, by: bob.address }, [0n, 0n], {}))
  it("7: a forced exit leaves the account", () => {
    yields({ from: 256, to: 1, amount: 5n }, [0n, 5n], { 256: 995n })
    assert.deepStrictEqual(forge({ from: 256, to: 1, amount: 5n }).exits, [{
      accountIndex: 256,
      balance: 5n
    }])
  })
  it("8: a receiver that does not exist costs amount and deposit", () =>
    yields({ from: 256, to: 999, deposit: 9n, amount: 5n }, [0n, 0n], {}))
  it("8: a receiver of another token costs the amount", () =>
    yields({ from: 256, to: 258, deposit: 9n, amount: 5n }, [9n, 0n], { 256: 1009n }))
  it("a forced transfer takes effect, also to the sender itself", () => {
    yields({ from: 256, to: 257, amount: 5n }, [0n, 5n], { 256: 995n, 257: 505n })
    yields({ from: 256, to: 256, amount: 5n }, [0n, 5n], {})
  })
  it("no L1 transaction changes a nonce", () => {
    assert.deepStrictEqual(forge({ from: 256, to: 257, amount: 5n }).accountUpdates[0], {
      index: 256,
      nonce: 0n,
      balance: 995n
    })
  })
  it("each transaction starts with the state that the one before leaves", () => {
    const outcome = forge({ from: 0, to: 0, deposit: 9n }, { from: 256, to: 260, amount: 1000n }, {
      from: 256,
      to: 260,
      amount: 1n
    })
    assert.deepStrictEqual(outcome.l1UserEffects.map(({ effectiveAmount }) => effectiveAmount), [
      0n,
      1000n,
      0n
    ])
    assert.strictEqual(outcome.createdAccounts[0]?.balance, 1009n)
  })
})
