import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import type { BatchFeed } from "../../core/domain/mod.ts"
import { type BatchOutcome, processBatch } from "../../core/use_cases/mod.ts"
import { forAll } from "../laws/_check.ts"
import { integer, oneOf } from "../laws/generators.ts"
import { same } from "../laws/law.ts"
import { replayOf } from "../rounds.ts"
import { batchOf, bob, l2Of, ledgerBefore } from "./_chain.ts"

const ledger = ledgerBefore(104n)
const forge = (parts: Partial<BatchFeed>) =>
  Result.getOrThrow(processBatch(ledger, { ...batchOf(3, parts), queue: [] }))

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
const balancesAfter = ({ accountUpdates }: Pick<BatchOutcome, "accountUpdates">) =>
  new Map([
    ...[256, 257, 258, 259].map((index) => [index, ledger.account(index)!.balance] as const),
    ...accountUpdates.map(({ balance, index }) => [index, balance] as const)
  ])

describe("processBatch", () => {
  it("a batch without transactions changes nothing", () => {
    assert.deepStrictEqual(forge({}), {
      l1UserEffects: [],
      createdAccounts: [],
      accountUpdates: [],
      exits: [],
      collectedFees: [],
      l2: []
    })
  })

  it("exits of one account are added up in one leaf, ascending by account", () => {
    const { exits } = forge({
      l2: [
        l2Of(257, 1, { amount: 3n }),
        l2Of(256, 1, { amount: 4n }),
        l2Of(257, 1, { amount: 5n, nonce: 1n })
      ]
    })
    assert.deepStrictEqual(exits, [{ accountIndex: 256, balance: 4n }, {
      accountIndex: 257,
      balance: 8n
    }])
  })

  it("an exit of amount 0 is allowed and makes no leaf", () => {
    const { accountUpdates, exits } = forge({ l2: [l2Of(257, 1, { amount: 0n })] })
    assert.deepStrictEqual(exits, [])
    assert.deepStrictEqual(accountUpdates, [{ index: 257, nonce: 1n, balance: 500n }])
  })

  it("fees are collected in the token of the sender and paid out at the end", () => {
    const { accountUpdates, collectedFees } = forge({
      feeAccounts: [258, 257],
      l2: [l2Of(256, 257, { amount: 100n, fee: 172 })]
    })
    assert.deepStrictEqual(collectedFees, [[0, 50n], [1, 0n]])
    assert.deepStrictEqual(accountUpdates, [{ index: 256, nonce: 1n, balance: 850n }, {
      index: 257,
      nonce: 0n,
      balance: 650n
    }])
  })

  it("the first of several fee accounts of a token collects, also if one is repeated", () => {
    const { accountUpdates, collectedFees } = forge({
      feeAccounts: [257, 256, 257, 258, 258],
      l2: [l2Of(256, 1, { amount: 100n, fee: 172 })]
    })
    assert.deepStrictEqual(collectedFees, [[0, 50n], [1, 0n]])
    assert.deepStrictEqual(accountUpdates, [{ index: 256, nonce: 1n, balance: 850n }, {
      index: 257,
      nonce: 0n,
      balance: 550n
    }])
    assert.deepStrictEqual(
      forge({ feeAccounts: Array<number>(64).fill(258) }).collectedFees,
      [[1, 0n]]
    )
  })

  it("a transfer of 0 does not look at its receiver, and takes the nonce", () => {
    // no account, another token, no destination, an index of no account
    for (const to of [9999, 258, 0, 77]) {
      const { accountUpdates, exits, l2 } = forge({ l2: [l2Of(256, to, { amount: 0n, fee: 126 })] })
      assert.deepStrictEqual(accountUpdates, [{ index: 256, nonce: 1n, balance: 1000n }])
      assert.deepStrictEqual(exits, [])
      assert.strictEqual(l2[0]?.receiver?.index ?? null, to === 258 ? 258 : null)
    }
  })

  it("the coordinator creates empty accounts, also with key 0", () => {
    const { createdAccounts } = forge({
      l1Coordinator: [
        { address: bob.address, publicKey: "0".repeat(64), tokenId: 1, signature: "0x01" }
      ]
    })
    assert.deepStrictEqual(createdAccounts, [{
      index: 260,
      tokenId: 1,
      batchNum: 3,
      publicKey: "0".repeat(64),
      address: bob.address,
      nonce: 0n,
      balance: 0n
    }])
  })

  it("fees without a collecting account are burned", () => {
    const { accountUpdates, collectedFees } = forge({
      feeAccounts: [258],
      l2: [l2Of(256, 257, { amount: 100n, fee: 172 })]
    })
    assert.deepStrictEqual(collectedFees, [[1, 0n]])
    assert.deepStrictEqual(accountUpdates.map(({ balance }) => balance), [850n, 600n])
  })

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
            [...balancesAfter({ accountUpdates: [] }).values()].reduce((sum, each) => sum + each),
            () => "the total"
          )
        }))
      assert.isAbove(Math.min(outcomes.forged, outcomes.refused), 100)
    }))

  it("a transfer to oneself pays the fee and increments the nonce", () => {
    const { accountUpdates } = forge({ l2: [l2Of(256, 256, { amount: 100n, fee: 172 })] })
    assert.deepStrictEqual(accountUpdates, [{ index: 256, nonce: 1n, balance: 950n }])
  })

  it("an account of the coordinator can receive and collect in the batch that creates it", () => {
    const { collectedFees, createdAccounts } = forge({
      l1Coordinator: [{ address: bob.address, publicKey: bob.key, tokenId: 0, signature: "0x01" }],
      feeAccounts: [260],
      l2: [l2Of(256, 260, { amount: 100n, fee: 172 })]
    })
    assert.deepStrictEqual(collectedFees, [[0, 50n]])
    assert.strictEqual(createdAccounts[0]?.balance, 150n)
  })

  it("an L2 transaction has its token, its nonce, its fee and its accounts", () => {
    const { l2: [transfer, exit] } = forge({
      l2: [l2Of(258, 259, { amount: 20n, fee: 172 }), l2Of(258, 1, { amount: 1n, nonce: 1n })]
    })
    assert.deepStrictEqual(
      [
        transfer?.sender.index,
        transfer?.receiver?.index,
        transfer?.tokenId,
        transfer?.nonce,
        transfer?.feeAmount
      ],
      [258, 259, 1, 0n, 10n]
    )
    assert.deepStrictEqual([exit?.sender.index, exit?.receiver, exit?.nonce, exit?.feeAmount], [
      258,
      null,
      1n,
      0n
    ])
  })
})
