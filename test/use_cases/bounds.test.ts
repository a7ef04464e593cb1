/* Values at each bound are accepted; `decide_block.test.ts` exceeds the same bounds. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Account, BatchFeed, BlockFeed, MerkleProof, New } from "../../core/domain/mod.ts"
import { type BatchState, processBatch } from "../../core/use_cases/mod.ts"
import {
  ann,
  batchOf,
  block103,
  block104,
  blockOf,
  declared,
  exitOf,
  internal,
  l1Of,
  l2Of,
  ledgerBefore
} from "./_chain.ts"
import type { FakeLedger } from "./_ledger.ts"
import { hashOf } from "./_network.ts"

const accepted = (block: BlockFeed, prepare?: (ledger: FakeLedger) => void) => {
  const ledger = ledgerBefore(block.number)
  prepare?.(ledger)
  return ledger.apply(block)
}
/** Returns the first violation of a block: invariant, place and expected value. */
const refused = (block: BlockFeed, prepare?: (ledger: FakeLedger) => void) => {
  const ledger = ledgerBefore(block.number)
  prepare?.(ledger)
  const decision = ledger.decide(block)
  if (Result.isSuccess(decision)) return assert.fail("the block was accepted")
  const { expected, invariant, pointer } = decision.failure
  return [invariant, pointer, expected]
}
const first = block104.batches![0]!
const batch104 = (parts: Partial<BatchFeed>): BlockFeed => ({
  ...block104,
  batches: [{
    ...first,
    exits: [],
    exitRoot: 0n,
    l1UserEffects: [declared(l1Of(2, 0, { amount: 0n }))],
    ...parts
  }]
})
/** Forced exits of amount 0 leave no exit. */
const forcedNothing = (ledger: FakeLedger) => {
  for (const [id, row] of ledger.transactions) {
    if (row.batchNum === null) ledger.transactions.set(id, { ...row, amount: 0n })
  }
}
const fieldOrder = 21888242871839275222246405745257275088548364400416034343698204186575808495617n
const coordinator = {
  address: internal.address,
  publicKey: internal.key,
  tokenId: 0,
  signature: null
}
const nonceMax = (1n << 40n) - 1n

describe("a value at its bound is accepted:", () => {
  it("a block with the time of its parent, and itself as the newest Ethereum block", () => {
    assert.strictEqual(
      accepted({ ...block103, timestampMs: 102_000, lastEthereumBlock: 103n }).lastEthereumBlock,
      103n
    )
  })

  it("the last block of the last slot", () => {
    const number = 100n + 10n * (1n << 32n) - 1n
    const { batches } = accepted({
      ...blockOf(103n),
      number,
      hash: hashOf(number),
      parentHash: hashOf(number - 1n),
      batches: [batchOf(3)]
    }, (ledger) => {
      ledger.lastBlock = { number: number - 1n, hash: hashOf(number - 1n), timestampMs: 0 }
      ledger.lastBatchNum = 2
    })
    assert.strictEqual(batches[0]?.batch.slotNum, 2 ** 32 - 1)
  })

  it("2048 transactions, 256 of them of L1", () => {
    const l2 = Array.from(
      { length: 1792 },
      (_, nonce) => l2Of(256, 257, { amount: 0n, nonce: BigInt(nonce) })
    )
    const { batches } = accepted(
      batch104({ l1Coordinator: Array<typeof coordinator>(255).fill(coordinator), l2 }),
      forcedNothing
    )
    assert.deepStrictEqual([
      batches[0]?.transactions.length,
      batches[0]?.forged.length,
      batches[0]?.batch.numAccounts
    ], [2047, 1, 255])
    assert.strictEqual(batches[0]?.transactions.at(-1)?.position, 2047)
  })

  it("but not one more of either kind, of any sender", () => {
    const l1Coordinator = (count: number) => Array<typeof coordinator>(count).fill(coordinator)
    const l2 = Array<BatchFeed["l2"][number]>(1793).fill(l2Of(256, 257))
    assert.deepStrictEqual(refused(batch104({ l1Coordinator: l1Coordinator(255), l2 })), [
      "batch-size",
      "/batches/0",
      "at most 2048"
    ])
    assert.deepStrictEqual(refused(batch104({ l1Coordinator: l1Coordinator(256), l2: [] })), [
      "l1-size",
      "/batches/0/l1Coordinator",
      "at most 256, 1 of them from the forged queue"
    ])
  })

  it("the last nonce that leaves room for the next one, and the whole balance", () => {
    const l2 = [l2Of(257, 256, { amount: 500n, nonce: nonceMax - 1n })]
    const { accountUpdates } = accepted(batch104({ feeAccounts: [], l2 }), (ledger) => {
      forcedNothing(ledger)
      ledger.accounts.set(257, { ...ledger.accounts.get(257)!, nonce: nonceMax - 1n })
    }).batches[0]!
    assert.deepStrictEqual(accountUpdates.find(({ index }) => index === 257), {
      index: 257,
      nonce: nonceMax,
      balance: 0n
    })
  })

  it("the greatest balance of a leaf, which a deposit or a fee exceeds by one unit", () => {
    const rich = (missing: bigint) => (ledger: FakeLedger) => {
      forcedNothing(ledger)
      ledger.accounts.set(257, {
        ...ledger.accounts.get(257)!,
        balance: (1n << 192n) - 1n - missing
      })
    }
    const fee = batch104({
      feeAccounts: [257],
      l2: [l2Of(256, 1, { amount: 100n, fee: 172 })],
      exits: [exitOf(55n, 256, 100n)],
      exitRoot: 55n
    })
    assert.strictEqual(
      accepted(fee, rich(50n)).batches[0]?.accountUpdates.at(-1)?.balance,
      (1n << 192n) - 1n
    )
    assert.deepStrictEqual(refused(fee, rich(49n)), [
      "balance-limit",
      "/batches/0/feeAccounts/0",
      "a balance of account 257 below 2^192"
    ])

    const deposit = l1Of(2, 1, { fromAccountIndex: 257, depositAmount: 7n })
    const filled = (missing: bigint) => (ledger: FakeLedger) => {
      ledger.apply(blockOf(104n, { l1UserTransactions: [deposit] }))
      rich(missing)(ledger)
    }
    const forged: BlockFeed = {
      ...batch104({
        feeAccounts: [],
        l2: [],
        l1UserEffects: [declared(l1Of(2, 0)), declared(deposit)]
      }),
      ...blockOf(105n)
    }
    const ledgerOf = (missing: bigint) => {
      const ledger = ledgerBefore(104n)
      filled(missing)(ledger)
      return ledger
    }
    assert.strictEqual(
      ledgerOf(7n).apply(forged).batches[0]?.accountUpdates[0]?.balance,
      (1n << 192n) - 1n
    )
    const decision = ledgerOf(6n).decide(forged)
    assert.strictEqual(
      Result.isFailure(decision) && decision.failure.pointer,
      "/batches/0/l1UserEffects/1"
    )
  })

  it("64 fee accounts", () => {
    const account = (index: number): New<Account> | undefined => ({
      index,
      tokenId: index,
      batchNum: 1,
      publicKey: ann.key,
      address: ann.address,
      nonce: 0n,
      balance: 0n
    })
    const state: BatchState = { account, token: () => undefined, lastAccountIndex: 1000 }
    const feeAccounts = Array.from({ length: 64 }, (_, at) => 256 + at)
    assert.strictEqual(
      Result.getOrThrow(processBatch(state, { ...batchOf(1, { feeAccounts }), queue: [] }))
        .collectedFees.length,
      64
    )
  })

  it("the greatest element of the field as state root and in a proof, while the next number is refused", () => {
    const greatest = fieldOrder - 1n
    const proven = (parts: Partial<MerkleProof>, exitRoot = 55n) => {
      const exit = exitOf(exitRoot, 257, 5n)
      return batch104({
        feeAccounts: [],
        l2: [l2Of(257, 1, { amount: 5n })],
        exitRoot,
        exits: [{ ...exit, merkleProof: { ...exit.merkleProof!, ...parts } }]
      })
    }
    assert.strictEqual(
      accepted(batch104({ feeAccounts: [], l2: [], stateRoot: greatest }), forcedNothing).batches[0]
        ?.batch.stateRoot,
      greatest
    )
    assert.deepStrictEqual(
      accepted(proven({ siblings: [greatest], value: greatest }, greatest), forcedNothing)
        .batches[0]
        ?.exits[0]?.merkleProof.siblings,
      [greatest]
    )
    const expected = `a value from 0 and below ${fieldOrder}`
    assert.deepStrictEqual(refused(proven({ value: fieldOrder }), forcedNothing), [
      "field-element",
      "/batches/0/exits/0/merkleProof/value",
      expected
    ])
    assert.strictEqual(
      refused(proven({ siblings: [fieldOrder] }), forcedNothing)[1],
      "/batches/0/exits/0/merkleProof/siblings/0"
    )
    assert.deepStrictEqual(refused(proven({}, fieldOrder), forcedNothing), [
      "field-element",
      "/batches/0/exitRoot",
      expected
    ])
  })

  it("the second queue after the last one that the block forges, and the one after the open one", () => {
    const filling = (queue: number, block: BlockFeed) => ({
      ...block,
      l1UserTransactions: [l1Of(queue, 0)]
    })
    assert.strictEqual(accepted(filling(4, block104)).queued[0]?.l1?.toForgeL1TransactionsNum, 4)
    assert.deepStrictEqual(refused(filling(5, block104)), [
      "queue-number",
      "/l1UserTransactions/0/toForgeL1TransactionsNum",
      "an open queue from 2 to 4"
    ])
    assert.deepStrictEqual(refused(filling(4, blockOf(104n))), [
      "queue-number",
      "/l1UserTransactions/0/toForgeL1TransactionsNum",
      "an open queue from 2 to 3"
    ])
    const withoutQueue = { ...block104, batches: [...block104.batches!, batchOf(4)] }
    assert.strictEqual(refused(filling(5, withoutQueue))[2], "an open queue from 2 to 4")
    const emptied = (ledger: FakeLedger) => void (ledger.lastForgedQueue = 5)
    assert.strictEqual(refused(filling(5, blockOf(104n)), emptied)[2], "an open queue from 6 to 7")
    assert.strictEqual(refused(filling(2, blockOf(101n)))[2], "an open queue from 0 to 1")
    const open = (ledger: FakeLedger) => void (ledger.lastOpenQueue = 7)
    assert.strictEqual(
      accepted(filling(8, blockOf(104n)), open).queued[0]?.l1?.toForgeL1TransactionsNum,
      8
    )
  })
})

describe("a refusal names the right number:", () => {
  const expected = (block: BlockFeed) => refused(block)[2]

  it("the next number", () => {
    assert.strictEqual(
      expected({ ...block104, batches: [{ ...first, batchNum: 5 }] }),
      "3, the next batch"
    )
    assert.strictEqual(
      expected({ ...block104, batches: [{ ...first, forgeL1TransactionsNum: 3 }] }),
      "2, the next queue to forge"
    )
    assert.strictEqual(
      expected(
        blockOf(104n, {
          tokens: [{ id: 3, ethereumAddress: ann.address, name: "", symbol: "A", decimals: 0 }]
        })
      ),
      "2, the next token"
    )
    assert.strictEqual(
      expected(blockOf(104n, { l1UserTransactions: [l1Of(2, 2)] })),
      "1, the next position of queue 2"
    )
    const decision = ledgerBefore(104n).decide(blockOf(106n))
    assert.strictEqual(
      Result.isFailure(decision) && decision.failure.expected,
      "104, the next block"
    )
    assert.strictEqual(
      Result.isFailure(decision) && decision.failure.message.startsWith("Block 106: block number "),
      true
    )
  })

  it("the first queue to be forged is 0", () => {
    const decision = ledgerBefore(102n).decide(
      blockOf(102n, { batches: [batchOf(1, { forgeL1TransactionsNum: 1 })] })
    )
    assert.strictEqual(
      Result.isFailure(decision) && decision.failure.expected,
      "0, the next queue to forge"
    )
  })

  it("the account whose exit is next, or that there is none", () => {
    const exits = first.exits!
    assert.strictEqual(
      expected({ ...block104, batches: [{ ...first, exits: exits.toReversed() }] }),
      "256, the next account with an exit"
    )
    assert.strictEqual(
      expected({ ...block104, batches: [{ ...first, exits: [...exits, exitOf(55n, 258, 1n)] }] }),
      "no further exit"
    )
    assert.strictEqual(
      expected({ ...block104, batches: [{ ...first, exits: [exitOf(55n, 256, 99n), exits[1]!] }] }),
      "100, the sum of the exits of the account"
    )
  })

  it("the block of an earlier withdrawal, requested or instant", () => {
    for (const [accountIndex, instant] of [[256, true], [257, false]] as const) {
      const withdrawal = blockOf(106n, { withdrawals: [{ batchNum: 3, accountIndex, instant }] })
      assert.strictEqual(
        expected(withdrawal),
        "an exit of batch 3 that was not withdrawn in block 105 already"
      )
    }
  })

  it("no block number if the value is not a block", () => {
    const decision = ledgerBefore(104n).decide({ number: "7" } as unknown as BlockFeed)
    assert.strictEqual(
      Result.isFailure(decision) && decision.failure.message.slice(0, 22),
      "Block without number: "
    )
  })
})

describe("a token that a block registers", () => {
  const token = (id: number) => ({
    id,
    ethereumAddress: `0x${String(id).repeat(40)}`,
    name: "",
    symbol: "A",
    decimals: 0
  })

  it("has the price of the block with its time, and no time without a price", () => {
    const { tokens } = accepted(blockOf(104n, {
      tokens: [token(2), token(3), token(4)],
      prices: [{ tokenId: 3, priceUSD: 5, timeMs: 9 }, { tokenId: 2, priceUSD: null, timeMs: 9 }, {
        tokenId: 0,
        priceUSD: 1,
        timeMs: 9
      }]
    }))
    assert.deepStrictEqual(
      tokens.map(({ id, priceTimeMs, priceUSD }) => [id, priceUSD, priceTimeMs]),
      [[2, null, null], [3, 5, 9], [4, null, null]]
    )
  })
})
