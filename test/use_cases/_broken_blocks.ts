import type { BlockFeed } from "../../core/domain/mod.ts"
import type { Invariant } from "../../core/use_cases/mod.ts"
import { ann, batchOf, block101, block103, block106, blockOf, bob, l1Of } from "./_chain.ts"
import type { FakeLedger } from "./_ledger.ts"
import { addressOf, genesis, hashOf } from "./_network.ts"

/** A block with one error, and how the refusal names it. */
export interface BrokenBlock {
  readonly fact: string
  readonly block: BlockFeed
  readonly refusal: readonly [invariant: Invariant, place: string, value: string]
  /** The number of the block of the chain that it replaces, if its own number is the error. */
  readonly standsFor?: bigint
  readonly prepare?: (ledger: FakeLedger) => void
}

const token = block101.tokens![0]!
const bid = block101.bids![0]!
const queued = block101.l1UserTransactions!
const { rollup } = genesis.variables
/** The blocks 103 to 108 are left out as empty. */
const afterGap = blockOf(109n, { previous: { number: 102n, hash: hashOf(102n) } })
/** The first block whose slot has no number: slots have ten blocks, from block 100 on. */
const afterSlots = 100n + 10n * (1n << 32n)

export const brokenLinks: ReadonlyArray<BrokenBlock> = [
  {
    fact: "an address with upper-case digits is refused",
    block: { ...block101, bids: [{ ...bid, bidderAddr: addressOf("B") }] },
    refusal: ["shape", "/bids/0/bidderAddr", addressOf("B")]
  },
  {
    fact: "an unknown member of a block is refused",
    block: { ...block103, l1UserTransaction: [] } as BlockFeed,
    refusal: ["shape", "/l1UserTransaction", "0 entries"]
  },
  {
    fact: "an unknown member of a token is refused",
    block: { ...block101, tokens: [{ ...token, itemId: 7 } as typeof token] },
    refusal: ["shape", "/tokens/0/itemId", "7"]
  },
  {
    fact: "an unknown member of a bucket is refused",
    block: {
      ...block103,
      rollupVariables: {
        ...rollup,
        buckets: [{ ...rollup.buckets[0]!, floorUSD: 1n } as typeof rollup.buckets[number]]
      }
    },
    refusal: ["shape", "/rollupVariables/buckets/0/floorUSD", "1"]
  },
  {
    fact: "a block number of more than 64 bits is refused",
    block: { ...block103, number: 1n << 64n },
    standsFor: 103n,
    refusal: ["shape", "/number", String(1n << 64n)]
  },
  {
    fact: "a negative block number is refused",
    block: { ...block103, number: -1n },
    standsFor: 103n,
    refusal: ["shape", "/number", "-1"]
  },
  {
    fact: "a newest Ethereum block of more than 64 bits is refused",
    block: { ...block103, lastEthereumBlock: 1n << 64n },
    refusal: ["shape", "/lastEthereumBlock", String(1n << 64n)]
  },
  {
    fact: "a bucket with more than 2^64 - 1 withdrawals is refused",
    block: { ...block103, bucketUpdates: [{ bucket: 0, blockStamp: 1n, withdrawals: 1n << 64n }] },
    refusal: ["shape", "/bucketUpdates/0/withdrawals", String(1n << 64n)]
  },
  {
    fact: "an emergency that starts at a negative block is refused",
    block: {
      ...block103,
      withdrawalDelayerVariables: {
        ...genesis.variables.withdrawalDelayer,
        emergencyModeStartingBlock: -1n
      }
    },
    refusal: ["shape", "/withdrawalDelayerVariables/emergencyModeStartingBlock", "-1"]
  },
  {
    fact: "a block after the last slot is refused",
    block: { ...blockOf(afterSlots), timestampMs: 103_000 },
    standsFor: 103n,
    refusal: ["slot-number", "/number", "4294967296"],
    prepare: (ledger) => {
      ledger.lastBlock = {
        ...ledger.lastBlock,
        number: afterSlots - 1n,
        hash: hashOf(afterSlots - 1n)
      }
    }
  },
  {
    fact: "a time after the year 8999 is refused",
    block: { ...block103, timestampMs: Date.UTC(9000, 0) },
    refusal: ["shape", "/timestampMs", String(Date.UTC(9000, 0))]
  },
  {
    fact: "an invalid time is refused",
    block: { ...block103, timestampMs: NaN },
    refusal: ["shape", "/timestampMs", "NaN"]
  },
  {
    fact: "a gap in the block numbers is refused",
    block: { ...block103, number: 104n },
    standsFor: 103n,
    refusal: ["block-number", "/number", "104"]
  },
  {
    fact: "a block after a gap whose previous block is not the last one is refused",
    block: { ...block103, number: 109n, previous: { number: 101n, hash: hashOf(101n) } },
    standsFor: 103n,
    refusal: ["previous-block", "/previous/number", "101"]
  },
  {
    fact: "a block after a gap whose previous block has another hash is refused",
    block: { ...block103, number: 109n, previous: { number: 102n, hash: hashOf(9n) } },
    standsFor: 103n,
    refusal: ["previous-block", "/previous/hash", hashOf(9n)]
  },
  {
    fact:
      "a block with the next number that names a wrong parent is refused, also with the previous block",
    block: {
      ...block103,
      parentHash: hashOf(9n),
      previous: { number: 102n, hash: hashOf(102n) }
    },
    refusal: ["parent-hash", "/parentHash", hashOf(9n)]
  },
  {
    fact: "a block in a gap is refused",
    block: { ...block103, number: 105n },
    standsFor: 103n,
    refusal: ["block-gap", "/number", "105"],
    prepare: (ledger) => ledger.apply(afterGap)
  },
  {
    fact: "a block in a gap is refused, whatever its previous block is",
    block: { ...block103, number: 105n, previous: { number: 102n, hash: hashOf(102n) } },
    standsFor: 103n,
    refusal: ["block-gap", "/number", "105"],
    prepare: (ledger) => ledger.apply(afterGap)
  },
  {
    fact: "a block below the first one is refused",
    block: { ...block103, number: 99n },
    standsFor: 103n,
    refusal: ["block-number", "/number", "99"]
  },
  {
    fact: "a different block with a stored number is refused",
    block: { ...block101, hash: hashOf(9n) },
    standsFor: 103n,
    refusal: ["block-hash", "/hash", hashOf(9n)]
  },
  {
    fact: "a block with another parent is refused",
    block: { ...block103, parentHash: hashOf(9n) },
    refusal: ["parent-hash", "/parentHash", hashOf(9n)]
  },
  {
    fact: "a block older than its parent is refused",
    block: { ...block103, timestampMs: 101_999 },
    refusal: ["timestamp", "/timestampMs", "101999"]
  },
  {
    fact: "a newest Ethereum block below the block is refused",
    block: { ...block103, lastEthereumBlock: 102n },
    refusal: ["last-ethereum-block", "/lastEthereumBlock", "102"]
  }
]

export const brokenTokens: ReadonlyArray<BrokenBlock> = [
  {
    fact: "a price above 10^12 dollars is refused",
    block: blockOf(102n, { prices: [{ tokenId: 1, priceUSD: 1e12 + 1, timeMs: 0 }] }),
    refusal: ["shape", "/prices/0/priceUSD", "1000000000001"]
  },
  {
    fact: "a gap in the token ids is refused",
    block: { ...block101, tokens: [{ ...token, id: 2 }] },
    refusal: ["token-id", "/tokens/0/id", "2"]
  },
  {
    fact: "the address of another token is refused",
    block: { ...block101, tokens: [{ ...token, ethereumAddress: addressOf("0") }] },
    refusal: ["token-address", "/tokens/0/ethereumAddress", addressOf("0")]
  },
  {
    fact: "two tokens of one address in a block are refused",
    block: { ...block101, tokens: [token, { ...token, id: 2 }] },
    refusal: ["token-address", "/tokens/1/ethereumAddress", token.ethereumAddress]
  },
  {
    fact: "the price of a token that does not exist is refused",
    block: blockOf(102n, { prices: [{ tokenId: 2, priceUSD: 1, timeMs: 0 }] }),
    refusal: ["token-exists", "/prices/0/tokenId", "2"]
  }
]

export const brokenAuctions: ReadonlyArray<BrokenBlock> = [
  {
    fact: "a bid of an unregistered bidder is refused",
    block: { ...block101, bids: [{ ...bid, bidderAddr: ann.address }] },
    refusal: ["bidder-registered", "/bids/0/bidderAddr", ann.address]
  },
  {
    fact: "a bid that equals the last one is refused",
    block: blockOf(102n, { bids: [bid] }),
    refusal: ["bid-value", "/bids/0/bidValue", "10"]
  },
  {
    fact: "a negative bid is refused",
    block: blockOf(102n, { bids: [{ ...bid, slotNum: 6, bidValue: -1n }] }),
    refusal: ["shape", "/bids/0/bidValue", "-1"]
  },
  {
    fact: "decreasing bids of one block are refused",
    block: { ...block101, bids: [bid, { ...bid, bidValue: 9n }] },
    refusal: ["bid-value", "/bids/1/bidValue", "9"]
  },
  {
    fact: "the update of a bucket that does not exist is refused",
    block: blockOf(102n, { bucketUpdates: [{ bucket: 2, blockStamp: 1n, withdrawals: 1n }] }),
    refusal: ["bucket-exists", "/bucketUpdates/0/bucket", "2"]
  }
]

const queue = (...l1UserTransactions: ReadonlyArray<ReturnType<typeof l1Of>>) =>
  blockOf(104n, { l1UserTransactions })

export const brokenQueues: ReadonlyArray<BrokenBlock> = [
  {
    fact: "a queue with more than 128 transactions is refused",
    block: queue(...Array.from({ length: 129 }, (_, position) => l1Of(3, position))),
    refusal: ["queue-size", "/l1UserTransactions/128", "129"]
  },
  {
    fact: "a transaction for a forged queue is refused",
    block: queue(l1Of(1, 0)),
    refusal: ["queue-number", "/l1UserTransactions/0/toForgeL1TransactionsNum", "1"]
  },
  {
    fact: "a queue that cannot be open yet is refused",
    block: queue(l1Of(4, 0)),
    refusal: ["queue-number", "/l1UserTransactions/0/toForgeL1TransactionsNum", "4"]
  },
  {
    fact: "a queue before the last open one is refused",
    block: queue(l1Of(3, 0), l1Of(2, 1)),
    refusal: ["queue-number", "/l1UserTransactions/1/toForgeL1TransactionsNum", "2"]
  },
  {
    fact: "a gap in the positions of a queue is refused",
    block: { ...block101, l1UserTransactions: [queued[0]!, queued[2]!] },
    refusal: ["queue-position", "/l1UserTransactions/1/position", "2"]
  },
  {
    fact: "a used position is refused",
    block: queue(l1Of(2, 0)),
    refusal: ["queue-position", "/l1UserTransactions/0/position", "0"]
  },
  {
    fact: "an L1 transaction of an unknown token is refused",
    block: queue(l1Of(2, 1, { tokenId: 2 })),
    refusal: ["token-exists", "/l1UserTransactions/0/tokenId", "2"]
  },
  {
    fact: "a reserved sender is refused",
    block: queue(l1Of(2, 1, { fromAccountIndex: 255 })),
    refusal: ["account-index", "/l1UserTransactions/0/fromAccountIndex", "255"]
  },
  {
    fact: "a reserved destination is refused",
    block: queue(l1Of(2, 1, { toAccountIndex: 2 })),
    refusal: ["account-index", "/l1UserTransactions/0/toAccountIndex", "2"]
  },
  {
    fact: "an exit from a new account is refused",
    block: queue(l1Of(2, 1, { fromAccountIndex: 0, toAccountIndex: 1, fromPublicKey: ann.key })),
    refusal: ["account-index", "/l1UserTransactions/0/toAccountIndex", "1"]
  },
  {
    fact: "a new account without key is refused",
    block: queue(l1Of(2, 1, { fromAccountIndex: 0 })),
    refusal: ["public-key", "/l1UserTransactions/0/fromPublicKey", "null"]
  },
  {
    fact: "a key for an account that exists is refused",
    block: queue(l1Of(2, 1, { fromPublicKey: ann.key })),
    refusal: ["public-key", "/l1UserTransactions/0/fromPublicKey", ann.key]
  },
  {
    fact: "a deposit with an amount to transfer is refused",
    block: queue(l1Of(2, 1, { amount: 1n })),
    refusal: ["amount", "/l1UserTransactions/0/amount", "1"]
  },
  {
    fact: "a forced exit with a deposit is refused",
    block: queue(l1Of(2, 1, { toAccountIndex: 1, depositAmount: 1n })),
    refusal: ["deposit-amount", "/l1UserTransactions/0/depositAmount", "1"]
  },
  {
    fact: "a deposit of 2^128 units or more is refused",
    block: queue(l1Of(2, 1, { depositAmount: 10n ** 39n })),
    refusal: ["deposit-amount", "/l1UserTransactions/0/depositAmount", String(10n ** 39n)]
  },
  {
    fact: "a deposit without a float40 encoding is refused",
    block: queue(l1Of(2, 1, { depositAmount: (1n << 35n) + 1n })),
    refusal: ["deposit-amount", "/l1UserTransactions/0/depositAmount", "34359738369"]
  },
  {
    fact: "an L1 amount without a float40 encoding is refused",
    block: queue(l1Of(2, 1, { toAccountIndex: 257, amount: (1n << 35n) + 1n })),
    refusal: ["amount", "/l1UserTransactions/0/amount", "34359738369"]
  },
  {
    fact: "the first batch of a block cannot forge transactions that the block queues",
    block: blockOf(104n, {
      l1UserTransactions: [l1Of(2, 1)],
      batches: [batchOf(3, { forgeL1TransactionsNum: 2 })]
    }),
    refusal: ["queue-frozen", "/batches/0/forgeL1TransactionsNum", "2"]
  }
]

const withdrawal = { batchNum: 3, accountIndex: 256, instant: true }
const collection = { owner: bob.address, tokenId: 0 }

export const brokenWithdrawals: ReadonlyArray<BrokenBlock> = [
  {
    fact: "the withdrawal of an exit that does not exist is refused",
    block: blockOf(105n, { withdrawals: [{ ...withdrawal, batchNum: 2 }] }),
    refusal: ["exit-exists", "/withdrawals/0/accountIndex", "256"]
  },
  {
    fact: "the second withdrawal of an exit is refused",
    block: blockOf(106n, { withdrawals: [withdrawal] }),
    refusal: ["exit-open", "/withdrawals/0/accountIndex", "256"]
  },
  {
    fact: "the withdrawal of a requested exit is refused",
    block: blockOf(106n, { withdrawals: [{ ...withdrawal, accountIndex: 257 }] }),
    refusal: ["exit-open", "/withdrawals/0/accountIndex", "257"]
  },
  {
    fact: "two withdrawals of one exit in a block are refused",
    block: blockOf(105n, { withdrawals: [withdrawal, { ...withdrawal, instant: false }] }),
    refusal: ["exit-open", "/withdrawals/1/accountIndex", "256"]
  },
  {
    fact: "the collection of a withdrawal that was not requested is refused",
    block: blockOf(105n, { delayedWithdrawals: [collection] }),
    refusal: ["withdrawal-requested", "/delayedWithdrawals/0", bob.address]
  },
  {
    fact: "the collection of a withdrawal that the same block requests is refused",
    block: blockOf(105n, {
      withdrawals: [{ batchNum: 3, accountIndex: 257, instant: false }],
      delayedWithdrawals: [collection]
    }),
    refusal: ["withdrawal-requested", "/delayedWithdrawals/0", bob.address]
  },
  {
    fact: "the second collection is refused",
    block: { ...block106, delayedWithdrawals: [collection, collection] },
    refusal: ["withdrawal-requested", "/delayedWithdrawals/1", bob.address]
  }
]
