import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import { type BatchOutcome, processBatch } from "../../core/use_cases/mod.ts"
import { forAll } from "../laws/_check.ts"
import { integer, oneOf } from "../laws/generators.ts"
import { same } from "../laws/law.ts"
import { replayOf } from "../rounds.ts"
import { batchOf, ledgerBefore } from "./_chain.ts"

const ledger = ledgerBefore(104n)
const seed = process.env.SEED ?? "1"
const replay = replayOf(seed, "test/use_cases/process_batch.test.ts")

/** Batches of which about half can be forged: accounts spend what they have, and a little more. */
const batches = Arbitrary.all({
  feeAccounts: Arbitrary.array(oneOf([256, 257, 258, 259]), { maxLength: 3 }),
  l2: Arbitrary.array(
    Arbitrary.all({
      fromAccountIndex: oneOf([256, 257, 258]),
      toAccountIndex: oneOf([1, 256, 257, 257, 259]),
      amount: Arbitrary.map(integer(0, 600), BigInt),
      fee: oneOf([0, 126, 172, 192])
    }),
    { minLength: 1, maxLength: 5 }
  )
})

/** Returns the balance of each account after a batch. */
const balancesAfter = ({ accounts }: Pick<BatchOutcome, "accounts">) =>
  new Map([
    ...[256, 257, 258, 259].map((index) => [index, ledger.account(index)!.balance] as const),
    ...accounts.map(({ balance, index }) => [index, balance] as const)
  ])

describe("processBatch", () => {
  it.effect(`a fee cannot be spent in the batch that earns it, and only burned fees change the total (${replay})`, () =>
    Effect.gen(function*() {
      const outcomes = { forged: 0, refused: 0 }
      yield* forAll(batches, { seed, runs: 1000 }, ({ feeAccounts, l2 }) =>
        Effect.gen(function*() {
          const [without, earning] = [[], feeAccounts].map((feeAccounts) =>
            processBatch(ledger, { ...batchOf(3, { feeAccounts, l2 }), queue: [] })
          )
          if (Result.isFailure(without!)) {
            outcomes.refused++
            const violation = earning && Result.isFailure(earning) ? earning.failure : undefined
            return yield* same(
              [violation?.invariant, violation?.pointer, violation?.expected],
              [without.failure.invariant, without.failure.pointer, without.failure.expected],
              () => "the first invalid transaction"
            )
          }
          outcomes.forged++
          const plain = without!.success
          const { collectedFees, exits, ...forged } = Result.getOrThrow(earning!)
          const collected = new Map(collectedFees)
          const balances = balancesAfter(plain)
          for (const index of feeAccounts) {
            const { tokenId } = ledger.account(index)!
            balances.set(index, balances.get(index)! + (collected.get(tokenId) ?? 0n))
            collected.delete(tokenId)
          }
          yield* same(balancesAfter(forged), balances, () => "the balances with the fees")
          yield* same(exits, plain.exits, () => "the exits")
          const burned = plain.l2.reduce(
            (sum, { feeAmount, tokenId }) =>
              new Map(collectedFees).has(tokenId) ? sum : sum + feeAmount,
            0n
          )
          yield* same(
            [...balances.values(), ...exits.map(({ balance }) => balance), burned]
              .reduce((sum, each) => sum + each, 0n),
            [...balancesAfter({ accounts: [] }).values()].reduce((sum, each) => sum + each),
            () => "the total"
          )
        }))
      assert.isAbove(Math.min(outcomes.forged, outcomes.refused), 100)
    }))
})
