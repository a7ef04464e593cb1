import { assert, describe, it } from "@effect/vitest"
import { type Account, protocol, transactionsPerBatchMax } from "../../core/domain/mod.ts"
import { ann, batchOf, blockOf, internal, l1Of, l2Of } from "../use_cases/_chain.ts"
import { FakeLedger } from "../use_cases/_ledger.ts"

describe("the transaction ids published in domain appendix A come out of blocks", () => {
  it("L1 user: queue 123456, position 71", () => {
    const ledger = new FakeLedger()
    ledger.lastForgedQueue = 123_455
    const l1UserTransactions = Array.from({ length: 72 }, (_, position) => l1Of(123_456, position))
    assert.strictEqual(
      ledger.apply(blockOf(101n, { l1UserTransactions })).queued[71]?.id,
      "0x00a6cbae3b8661fb75b0919ca6605a02cfb04d9c6dd16870fa0fcdf01befa32768"
    )
  })

  it("L1 coordinator: batch 51966, position 88", () => {
    const ledger = new FakeLedger()
    ledger.lastBatchNum = 51_965
    const l1Coordinator = Array(89).fill({
      address: internal.address,
      publicKey: internal.key,
      tokenId: 0,
      signature: null
    })
    assert.strictEqual(
      ledger.apply(blockOf(101n, { batches: [batchOf(51_966, { l1Coordinator })] })).batches[0]
        ?.transactions[88]?.id,
      "0x01274482d73df4dab34a1b6740adfca347a462513aa14e82f27b12f818d1b68c84"
    )
  })

  it("L2: from 87654, token 5, amount 4, nonce 144, fee 0", () => {
    const ledger = new FakeLedger()
    ledger.tokens.set(5, { ...ledger.tokens.get(0)!, id: 5 })
    const account: Account = {
      itemId: 1,
      index: 87_654,
      tokenId: 5,
      batchNum: 1,
      publicKey: ann.key,
      address: ann.address,
      nonce: 144n,
      balance: 100n
    }
    ledger.accounts.set(87_654, account)
    const l2 = [l2Of(87_654, 87_654, { amount: 4n, nonce: 144n })]
    assert.strictEqual(
      ledger.apply(blockOf(101n, { batches: [batchOf(1, { l2 })] })).batches[0]?.transactions[0]
        ?.id,
      "0x022669acda59b827d20ef5354a3eebd1dffb3972b0a6bf89d18bfd2efa0ab9f41e"
    )
  })

  it("a batch takes as many transactions as it has room for", () => {
    const l1Coordinator = Array(protocol.maxL1Tx).fill({
      address: internal.address,
      publicKey: internal.key,
      tokenId: 0,
      signature: null
    })
    const l2 = Array.from(
      { length: transactionsPerBatchMax - protocol.maxL1Tx },
      (_, nonce) => l2Of(256, 257, { amount: 0n, nonce: BigInt(nonce) })
    )
    const { batch, transactions } = new FakeLedger().apply(
      blockOf(101n, { batches: [batchOf(1, { l1Coordinator, l2 })] })
    ).batches[0]!
    assert.deepStrictEqual([batch.numAccounts, transactions.length], [256, 2048])
  })

  it("a queue takes as many transactions as it has room for", () => {
    const l1UserTransactions = Array.from(
      { length: protocol.maxL1UserTx },
      (_, position) => l1Of(1, position)
    )
    assert.strictEqual(
      new FakeLedger().apply(blockOf(101n, { l1UserTransactions })).queued.length,
      128
    )
  })
})
