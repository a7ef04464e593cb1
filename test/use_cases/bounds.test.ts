/* Values at each bound are accepted, and one more is not; `_invalid_blocks.ts` exceeds the others. */
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
  coordinatorCreation,
  declared,
  exitOf,
  l1Of,
  l2Of,
  ledgerBefore
} from "./_chain.ts"
import { fieldOrder } from "./_invalid_blocks.ts"
import type { FakeLedger } from "./_ledger.ts"
import { hashOf } from "./_network.ts"

type Prepare = (ledger: FakeLedger) => void

const accepted = (block: BlockFeed, prepare?: Prepare) => {
  const ledger = ledgerBefore(block.number)
  prepare?.(ledger)
  return ledger.apply(block)
}
/** Returns the first violation of a block: invariant, place and expected value. */
const refused = (block: BlockFeed, prepare?: Prepare) => {
  const ledger = ledgerBefore(block.number)
  prepare?.(ledger)
  const decision = ledger.decide(block)
  if (Result.isSuccess(decision)) return assert.fail("the block was accepted")
  const { expected, invariant, pointer } = decision.failure
  return [invariant, pointer, expected]
}
const batch104 = (parts: Partial<BatchFeed>): BlockFeed => ({
  ...block104,
  batches: [{
    ...block104.batches![0]!,
    exits: [],
    exitRoot: 0n,
    l1UserEffects: [declared(l1Of(2, 0))],
    ...parts
  }]
})
/** Forced exits of amount 0 leave no exit; account 257 gets other values. */
const with257 = (parts: Partial<Account>): Prepare => (ledger) => {
  for (const [id, row] of ledger.transactions) {
    if (row.batchNum === null) ledger.transactions.set(id, { ...row, amount: 0n })
  }
  ledger.accounts.set(257, { ...ledger.accounts.get(257)!, ...parts })
}
const created = (count: number) =>
  Array<typeof coordinatorCreation>(count).fill(coordinatorCreation)
const [nonceMax, balanceMax] = [(1n << 40n) - 1n, (1n << 192n) - 1n]

describe("a block at a bound is accepted:", () => {
  it("with the time of its parent, and itself as the newest Ethereum block", () => {
    const { lastEthereumBlock } = accepted({
      ...block103,
      timestampMs: 102_000,
      lastEthereumBlock: 103n
    })
    assert.strictEqual(lastEthereumBlock, 103n)
  })

  it("the last block of the last slot", () => {
    const number = 100n + 10n * (1n << 32n) - 1n
    const { batches } = accepted(
      { ...blockOf(number), timestampMs: 0, batches: [batchOf(3)] },
      (ledger) => {
        ledger.lastBlock = { number: number - 1n, hash: hashOf(number - 1n), timestampMs: 0 }
        ledger.lastBatchNum = 2
      }
    )
    assert.strictEqual(batches[0]?.batch.slotNum, 2 ** 32 - 1)
  })

  it("2048 transactions, 256 of them of L1, and not one more", () => {
    const transfers = (count: number) =>
      Array.from(
        { length: count },
        (_, nonce) => l2Of(256, 257, { amount: 0n, nonce: BigInt(nonce) })
      )
    const full = batch104({ l1Coordinator: created(255), l2: transfers(1792) })
    const [placed] = accepted(full, with257({})).batches
    assert.deepStrictEqual([
      placed?.transactions.length,
      placed?.transactions.filter(({ l1 }) => l1?.userOrigin).length,
      placed?.batch.numAccounts,
      placed?.transactions.at(-1)?.position
    ], [2048, 1, 255, 2047])
    assert.strictEqual(
      refused(batch104({ l1Coordinator: created(255), l2: transfers(1793) }))[0],
      "batch-size"
    )
    assert.strictEqual(refused(batch104({ l1Coordinator: created(256), l2: [] }))[0], "l1-size")
  })

  it("128 transactions in a queue", () => {
    const l1UserTransactions = Array.from({ length: 128 }, (_, position) => l1Of(3, position))
    assert.lengthOf(accepted(blockOf(104n, { l1UserTransactions })).queued, 128)
  })

  it("the last nonce that leaves room for the next one, and the whole balance", () => {
    const l2 = [l2Of(257, 256, { amount: 500n, nonce: nonceMax - 1n })]
    const { accounts } = accepted(
      batch104({ feeAccounts: [], l2 }),
      with257({ nonce: nonceMax - 1n })
    ).batches[0]!
    const { balance, nonce } = accounts.find(({ index }) => index === 257)!
    assert.deepStrictEqual([nonce, balance], [nonceMax, 0n])
  })

  it("the greatest balance of a leaf, which a fee or a deposit exceeds by one unit", () => {
    const fee = batch104({
      feeAccounts: [257],
      l2: [l2Of(256, 1, { amount: 100n, fee: 172 })],
      exits: [exitOf(55n, 256, 100n)],
      exitRoot: 55n
    })
    const balanceAfter = (block: BlockFeed, prepare: Prepare) =>
      accepted(block, prepare).batches[0]?.accounts.find(({ index }) => index === 257)
        ?.balance
    assert.strictEqual(balanceAfter(fee, with257({ balance: balanceMax - 50n })), balanceMax)
    assert.deepStrictEqual(refused(fee, with257({ balance: balanceMax - 49n })), [
      "balance-limit",
      "/batches/0/feeAccounts/0",
      "a balance of account 257 below 2^192"
    ])
    const deposit = l1Of(2, 1, { fromAccountIndex: 257, depositAmount: 7n })
    const forged: BlockFeed = {
      ...batch104({
        feeAccounts: [],
        l2: [],
        l1UserEffects: [declared(l1Of(2, 0)), declared(deposit)]
      }),
      ...blockOf(105n)
    }
    const queued = (missing: bigint): Prepare => (ledger) => {
      // block 104 queues a deposit and forges nothing
      const behind = ledgerBefore(104n)
      behind.apply(blockOf(104n, { l1UserTransactions: [deposit] }))
      Object.assign(ledger, behind)
      with257({ balance: balanceMax - missing })(ledger)
    }
    assert.strictEqual(balanceAfter(forged, queued(7n)), balanceMax)
    assert.strictEqual(refused(forged, queued(6n))[1], "/batches/0/l1UserEffects/1")
  })

  it("64 fee accounts", () => {
    const account = (index: number): New<Account> => ({
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
    const { collectedFees } = Result.getOrThrow(
      processBatch(state, { ...batchOf(1, { feeAccounts }), queue: [] })
    )
    assert.strictEqual(collectedFees.length, 64)
  })

  it("the greatest element of the field as state root, exit root and in a proof", () => {
    const greatest = fieldOrder - 1n
    const proven = (parts: Partial<MerkleProof>, exitRoot: bigint) => {
      const exit = exitOf(exitRoot, 257, 5n)
      return batch104({
        feeAccounts: [],
        l2: [l2Of(257, 1, { amount: 5n })],
        stateRoot: greatest,
        exitRoot,
        exits: [{ ...exit, merkleProof: { ...exit.merkleProof!, ...parts } }]
      })
    }
    const { batches: [placed] } = accepted(
      proven({ siblings: [greatest], value: greatest }, greatest),
      with257({})
    )
    assert.strictEqual(placed?.batch.stateRoot, greatest)
    assert.deepStrictEqual(placed?.exits[0]?.merkleProof.siblings, [greatest])
    assert.deepStrictEqual(refused(proven({}, fieldOrder), with257({})).slice(0, 2), [
      "field-element",
      "/batches/0/exitRoot"
    ])
  })

  it("the second queue after the last one that the block forges, and the one after the open one", () => {
    const filling = (queue: number, block: BlockFeed) => ({
      ...block,
      l1UserTransactions: [l1Of(queue, 0)]
    })
    const open = (ledger: FakeLedger) => void (ledger.lastOpenQueue = 7)
    assert.strictEqual(accepted(filling(4, block104)).queued.length, 1)
    assert.strictEqual(accepted(filling(8, blockOf(104n)), open).queued.length, 1)
    const emptied = (ledger: FakeLedger) => void (ledger.lastForgedQueue = 5)
    for (
      const [block, queues, prepare] of [
        [filling(5, block104), "2 to 4"],
        [filling(5, { ...block104, batches: [...block104.batches!, batchOf(4)] }), "2 to 4"],
        [filling(5, blockOf(104n)), "6 to 7", emptied],
        [filling(2, blockOf(101n)), "0 to 1"]
      ] as const
    ) {
      assert.deepStrictEqual(refused(block, prepare), [
        "queue-number",
        "/l1UserTransactions/0/toForgeL1TransactionsNum",
        `an open queue from ${queues}`
      ])
    }
  })
})
