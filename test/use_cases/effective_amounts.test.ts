import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { processBatch } from "../../core/use_cases/mod.ts"
import { ann, batchOf, blockOf, bob, l1Of, ledgerBefore } from "./_chain.ts"
import { keyOf } from "./_network.ts"

/*
 * L1 user transactions of Ann: sender and receiver, deposit and amount, the effective ones, and the
 * balances of the accounts that changed. Ann has 1000 on 256, Bob 500 on 257, Cleo 77 of token 1 on
 * 258; the next account is 260. The numbers are those of the rules in the protocol.
 */
const rows = `
  # 2, 3: an account creation adds its deposit, and transfers a part of it or all
  0   -> 0     9    0     : 9 0      260=9
  0   -> 256   9    4     : 9 4      256=1004 260=5
  0   -> 256   9    9     : 9 9      256=1009 260=0
  # 3: an amount above the deposit is not transferred, to any receiver
  0   -> 256   9    10    : 9 0      260=9
  0   -> 999   9    10    : 9 0      260=9
  # 3: a receiver that does not exist, or is the new account, costs the deposit too
  0   -> 999   9    4     : 0 0      260=0
  0   -> 260   9    4     : 0 0      260=0
  # 3: a receiver of another token does not
  0   -> 258   9    4     : 9 0      260=9
  # 4: a deposit to an account that does not exist or has another token has no effect
  999 -> 0     9    0     : 0 0
  256 -> 0     9    0     : 0 0      token 1
  # 5: the deposit counts as balance; too high an amount is not transferred, and the deposit stays
  256 -> 257   9    1009  : 9 1009   256=0 257=1509
  256 -> 257   9    1010  : 9 0      256=1009
  256 -> 999   9    1010  : 9 0      256=1009
  # 6: only the owner can transfer from an account, but everyone can deposit
  256 -> 257   9    5     : 9 0      256=1009 by Bob
  256 -> 0     9    0     : 9 0      256=1009 by Bob
  256 -> 1     0    5     : 0 0      exits 0 by Bob
  # 6, 8: a transfer of another owner to no receiver loses the deposit
  256 -> 999   9    5     : 0 0      by Bob
  # 7: a forced exit leaves the account; one without effect makes a leaf of 0
  256 -> 1     0    5     : 0 5      256=995 exits 5
  256 -> 1     0    1001  : 0 0      exits 0
  256 -> 1     0    0     : 0 0      by Bob
  # a new account has nothing that could leave
  0   -> 1     0    7     : 0 0      260=0 exits 0
  0   -> 1     0    0     : 0 0      260=0
  # 8: a receiver that does not exist costs amount and deposit, one of another token the amount
  256 -> 999   9    5     : 0 0
  256 -> 258   9    5     : 9 0      256=1009
  # a forced transfer takes effect, also to the sender itself
  256 -> 257   0    5     : 0 5      256=995 257=505
  256 -> 256   0    5     : 0 5
`.trim().split("\n").map((line) => line.trim()).filter((line) => !line.startsWith("#"))

/** Returns the queued transactions that rows describe. */
const queuedOf = (sent: ReadonlyArray<string>) =>
  ledgerBefore(104n).apply(blockOf(104n, {
    l1UserTransactions: sent.map((row, position) => {
      const [from, to, deposit, amount] = [...row.matchAll(/\d+/gu)].map(([digits]) =>
        Number(digits)
      )
      return l1Of(3, position, {
        fromAddress: row.includes("by Bob") ? bob.address : ann.address,
        fromPublicKey: from === 0 ? keyOf("9") : null,
        fromAccountIndex: from!,
        toAccountIndex: to!,
        tokenId: row.includes("token 1") ? 1 : 0,
        depositAmount: BigInt(deposit!),
        amount: BigInt(amount!)
      })
    })
  })).queued
const forge = (...sent: ReadonlyArray<string>) =>
  Result.getOrThrow(processBatch(ledgerBefore(104n), { ...batchOf(3), queue: queuedOf(sent) }))

describe("an L1 user transaction", () => {
  for (const row of rows) {
    it(`has the effect ${row.replaceAll(/\s+/gu, " ")}`, () => {
      const { accounts, exits, l1UserEffects } = forge(row)
      const [, deposit, amount] = /: (\d+) (\d+)/u.exec(row)!
      assert.deepStrictEqual(l1UserEffects, [{
        effectiveDepositAmount: BigInt(deposit!),
        effectiveAmount: BigInt(amount!),
        createdIndex: row.startsWith("0 ") ? 260 : null
      }])
      assert.deepStrictEqual(
        accounts.map(({ balance, index, nonce }) => `${index}=${balance} ${nonce}`),
        [...row.matchAll(/\d+=\d+/gu)].map(([update]) => `${update} 0`)
      )
      assert.deepStrictEqual(
        exits.map(({ accountIndex, balance }) => `${accountIndex} exits ${balance}`),
        [...row.matchAll(/exits \d+/gu)].map(([text]) =>
          `${row.startsWith("0 ") ? 260 : 256} ${text}`
        )
      )
    })
  }

  it("starts with the state that the one before leaves", () => {
    const outcome = forge("0 -> 0 9 0", "256 -> 260 0 1000", "256 -> 260 0 1")
    assert.deepStrictEqual(outcome.l1UserEffects.map(({ effectiveAmount }) => effectiveAmount), [
      0n,
      1000n,
      0n
    ])
    assert.strictEqual(outcome.createdAccounts[0]?.balance, 1009n)
  })
})
