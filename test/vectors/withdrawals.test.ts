import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { unknownProof } from "../../core/use_cases/block/_exits.ts"
import type { WithdrawalCase } from "./batch_cases.ts"
import { verifyCases } from "./mod.ts"
import { blockOf } from "../use_cases/_chain.ts"
import { FakeLedger } from "../use_cases/_ledger.ts"
import { genesis } from "../use_cases/_network.ts"

const BATCH = 1
const FIRST_BLOCK = 201n

function ledgerWith({ exits, withdrawalDelaySeconds: withdrawalDelay }: WithdrawalCase) {
  const ledger = new FakeLedger()
  const { withdrawalDelayer } = genesis.variables
  ledger.apply({
    ...blockOf(FIRST_BLOCK - 1n, {
      withdrawalDelayerVariables: { ...withdrawalDelayer, withdrawalDelay }
    }),
    previous: { number: genesis.block.number, hash: genesis.block.hash }
  })
  for (const { accountIndex, owner, tokenId } of exits) {
    ledger.exits.set(`${BATCH}:${accountIndex}`, {
      itemId: accountIndex,
      batchNum: BATCH,
      accountIndex,
      tokenId,
      address: owner,
      publicKey: "",
      balance: 7n,
      merkleProof: unknownProof,
      instantWithdrawn: null,
      delayedWithdrawRequest: null,
      delayedWithdrawn: null
    })
  }
  return ledger
}

describe("withdrawals", () => {
  it("are collected in the block of their request only if the delay is 0", () => {
    verifyCases<WithdrawalCase>("delayed-withdrawals", 10, (vector) => {
      const ledger = ledgerWith(vector)
      const blocks = vector.blocks.map(({ delayedWithdrawals, withdrawals }, position) =>
        blockOf(FIRST_BLOCK + BigInt(position), {
          withdrawals: withdrawals.map((each) => ({ ...each, batchNum: BATCH })),
          delayedWithdrawals
        })
      )
      const last = blocks.pop()!
      for (const block of blocks) ledger.apply(block)
      assert.strictEqual(vector.negative, vector.expected === null)
      if (vector.expected === null) {
        const decided = ledger.decide(last)
        const invariant = Result.isFailure(decided) ? decided.failure.invariant : null
        assert.strictEqual(invariant, "withdrawal-requested")
        return
      }
      ledger.apply(last)
      const shown = vector.exits.map(({ accountIndex }) => {
        const { delayedWithdrawn, delayedWithdrawRequest, instantWithdrawn } = ledger.exit(
          BATCH,
          accountIndex
        )!
        return [instantWithdrawn, delayedWithdrawRequest, delayedWithdrawn].map((block) =>
          block === null ? null : Number(block)
        )
      })
      assert.deepStrictEqual(shown, vector.expected.map((each) => [...each]))
    })
  })
})
