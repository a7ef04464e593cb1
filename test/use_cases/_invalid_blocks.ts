import type { BatchFeed, BlockFeed, ExitFeed, MerkleProof } from "../../core/domain/mod.ts"
import {
  ann,
  batchOf,
  block101,
  block103,
  block104,
  block106,
  blockOf,
  bob,
  cleo,
  declared,
  exitOf,
  internal,
  l1Of,
  l2Of
} from "./_chain.ts"
import type { FakeLedger } from "./_ledger.ts"
import { addressOf, genesis, hashOf } from "./_network.ts"

/** A block for the ledger before a number. */
export interface Attempt {
  readonly block: BlockFeed
  readonly before: bigint
  readonly prepare?: (ledger: FakeLedger) => void
}
/**
 * A block with one error, and how the refusal names it: the invariant, the place and the value;
 * then, in some rows, what was expected.
 */
export type InvalidBlock = readonly [attempt: Attempt, refusal: string, expected?: string]

const nonceMax = (1n << 40n) - 1n
export const fieldOrder =
  21888242871839275222246405745257275088548364400416034343698204186575808495617n

const [token] = block101.tokens!
const [bid] = block101.bids!
const [first, , third] = block101.l1UserTransactions!
const { rollup, withdrawalDelayer } = genesis.variables
const [bucket] = rollup.buckets
/** The first block whose slot has no number: slots have ten blocks, from block 100 on. */
const afterSlots = 100n + 10n * (1n << 32n)

const of101 = (parts: object): Attempt => ({ before: 101n, block: { ...block101, ...parts } })
const of102 = (parts: object): Attempt => ({ before: 102n, block: blockOf(102n, parts) })
const of103 = (parts: object): Attempt => ({ before: 103n, block: { ...block103, ...parts } })
const of104 = (parts: object): Attempt => ({ before: 104n, block: blockOf(104n, parts) })
const of105 = (parts: object): Attempt => ({ before: 105n, block: blockOf(105n, parts) })
const of106 = (parts: object): Attempt => ({ before: 106n, block: blockOf(106n, parts) })
const after = (prepare: (ledger: FakeLedger) => void, attempt: Attempt): Attempt => ({
  ...attempt,
  prepare
})
/** After the blocks 103 to 108 were left out as empty. */
const afterGap = (parts: object): Attempt =>
  after(
    (ledger) => ledger.apply(blockOf(109n, { previous: { number: 102n, hash: hashOf(102n) } })),
    of103(parts)
  )

const links: ReadonlyArray<InvalidBlock> = [
  [
    of101({ bids: [{ ...bid, bidderAddr: addressOf("B") }] }),
    `shape /bids/0/bidderAddr ${addressOf("B")}`
  ],
  [of103({ l1UserTransaction: [] }), "shape /l1UserTransaction 0 entries"],
  [of101({ tokens: [{ ...token, itemId: 7 }] }), "shape /tokens/0/itemId 7"],
  [
    of103({ rollupVariables: { ...rollup, buckets: [{ ...bucket, floorUSD: 1n }] } }),
    "shape /rollupVariables/buckets/0/floorUSD 1"
  ],
  [of103({ number: 1n << 64n }), `shape /number ${1n << 64n}`],
  [of103({ number: -1n }), "shape /number -1"],
  [of103({ lastEthereumBlock: 1n << 64n }), `shape /lastEthereumBlock ${1n << 64n}`],
  [
    of103({ bucketUpdates: [{ bucket: 0, blockStamp: 1n, withdrawals: 1n << 64n }] }),
    `shape /bucketUpdates/0/withdrawals ${1n << 64n}`
  ],
  [
    of103({
      withdrawalDelayerVariables: { ...withdrawalDelayer, emergencyModeStartingBlock: -1n }
    }),
    "shape /withdrawalDelayerVariables/emergencyModeStartingBlock -1"
  ],
  [
    after(
      (ledger) => {
        const number = afterSlots - 1n
        ledger.lastBlock = { ...ledger.lastBlock, number, hash: hashOf(number) }
      },
      of103({ number: afterSlots, hash: hashOf(afterSlots), parentHash: hashOf(afterSlots - 1n) })
    ),
    "slot-number /number 4294967296"
  ],
  [of103({ timestampMs: Date.UTC(9000, 0) }), `shape /timestampMs ${Date.UTC(9000, 0)}`],
  [of103({ timestampMs: NaN }), "shape /timestampMs NaN"],
  [of103({ number: 104n }), "block-number /number 104", "103, the next block"],
  [of103({ number: 50n }), "block-number /number 50", "103, the next block"],
  // a block after a gap names the last block
  [
    of103({ number: 109n, previous: { number: 101n, hash: hashOf(101n) } }),
    "previous-block /previous/number 101"
  ],
  [
    of103({ number: 109n, previous: { number: 102n, hash: hashOf(9n) } }),
    `previous-block /previous/hash ${hashOf(9n)}`
  ],
  // also with the previous block
  [
    of103({ parentHash: hashOf(9n), previous: { number: 102n, hash: hashOf(102n) } }),
    `parent-hash /parentHash ${hashOf(9n)}`
  ],
  [
    afterGap({ number: 105n }),
    "block-gap /number 105",
    "a block outside the gap between 102 and 109, whose blocks the feed left out as empty"
  ],
  [
    afterGap({ number: 105n, previous: { number: 102n, hash: hashOf(102n) } }),
    "block-gap /number 105"
  ],
  [of103({ number: 99n }), "block-number /number 99"],
  // stored with another hash
  [of103({ ...block101, hash: hashOf(9n) }), `block-hash /hash ${hashOf(9n)}`],
  [of103({ parentHash: hashOf(9n) }), `parent-hash /parentHash ${hashOf(9n)}`],
  [of103({ timestampMs: 101_999 }), "timestamp /timestampMs 101999"],
  [of103({ lastEthereumBlock: 102n }), "last-ethereum-block /lastEthereumBlock 102"]
]

const priceOf = (tokenId: number, priceUSD: number) =>
  of102({ prices: [{ tokenId, priceUSD, timeMs: 0 }] })
const tokens: ReadonlyArray<InvalidBlock> = [
  [priceOf(1, 1e12 + 1), "shape /prices/0/priceUSD 1000000000001"],
  [priceOf(2, 1), "token-exists /prices/0/tokenId 2"],
  [of101({ tokens: [{ ...token, id: 2 }] }), "token-id /tokens/0/id 2", "1, the next token"],
  [
    of101({ tokens: [{ ...token, ethereumAddress: addressOf("0") }] }),
    `token-address /tokens/0/ethereumAddress ${addressOf("0")}`
  ],
  [
    of101({ tokens: [token, { ...token, id: 2 }] }),
    `token-address /tokens/1/ethereumAddress ${token!.ethereumAddress}`
  ]
]

const auctions: ReadonlyArray<InvalidBlock> = [
  [
    of101({ bids: [{ ...bid, bidderAddr: ann.address }] }),
    `bidder-registered /bids/0/bidderAddr ${ann.address}`
  ],
  [of102({ bids: [bid] }), "bid-value /bids/0/bidValue 10"],
  [of102({ bids: [{ ...bid, slotNum: 6, bidValue: -1n }] }), "shape /bids/0/bidValue -1"],
  [of101({ bids: [bid, { ...bid, bidValue: 9n }] }), "bid-value /bids/1/bidValue 9"],
  [
    of102({ bucketUpdates: [{ bucket: 2, blockStamp: 1n, withdrawals: 1n }] }),
    "bucket-exists /bucketUpdates/0/bucket 2"
  ]
]

const queue = (...l1UserTransactions: ReadonlyArray<object>) => of104({ l1UserTransactions })
const queued = (parts: Parameters<typeof l1Of>[2]) => queue(l1Of(2, 1, parts))
const [large, fraction] = [10n ** 39n, (1n << 35n) + 1n]
const openFrom = "an open queue from 2 to 3"
const queues: ReadonlyArray<InvalidBlock> = [
  [
    queue(...Array.from({ length: 129 }, (_, position) => l1Of(3, position))),
    "queue-size /l1UserTransactions/128 129"
  ],
  [queue(l1Of(1, 0)), "queue-number /l1UserTransactions/0/toForgeL1TransactionsNum 1", openFrom],
  [queue(l1Of(4, 0)), "queue-number /l1UserTransactions/0/toForgeL1TransactionsNum 4", openFrom],
  [
    queue(l1Of(3, 0), l1Of(2, 1)),
    "queue-number /l1UserTransactions/1/toForgeL1TransactionsNum 2"
  ],
  [
    of101({ l1UserTransactions: [first, third] }),
    "queue-position /l1UserTransactions/1/position 2"
  ],
  [
    queue(l1Of(2, 0)),
    "queue-position /l1UserTransactions/0/position 0",
    "1, the next position of queue 2"
  ],
  [queued({ tokenId: 2 }), "token-exists /l1UserTransactions/0/tokenId 2"],
  [queued({ fromAccountIndex: 255 }), "account-index /l1UserTransactions/0/fromAccountIndex 255"],
  [queued({ toAccountIndex: 2 }), "account-index /l1UserTransactions/0/toAccountIndex 2"],
  // a creation that exits has no deposit
  [
    queued({
      fromAccountIndex: 0,
      toAccountIndex: 1,
      fromPublicKey: ann.key,
      depositAmount: 3n
    }),
    "deposit-amount /l1UserTransactions/0/depositAmount 3"
  ],
  [queued({ fromAccountIndex: 0 }), "public-key /l1UserTransactions/0/fromPublicKey null"],
  [
    queued({ fromPublicKey: ann.key }),
    `public-key /l1UserTransactions/0/fromPublicKey ${ann.key}`
  ],
  [queued({ amount: 1n }), "amount /l1UserTransactions/0/amount 1"],
  [
    queued({ toAccountIndex: 1, depositAmount: 1n }),
    "deposit-amount /l1UserTransactions/0/depositAmount 1"
  ],
  [
    queued({ depositAmount: large }),
    `deposit-amount /l1UserTransactions/0/depositAmount ${large}`
  ],
  [
    queued({ depositAmount: fraction }),
    `deposit-amount /l1UserTransactions/0/depositAmount ${fraction}`
  ],
  [
    queued({ toAccountIndex: 257, amount: fraction }),
    `amount /l1UserTransactions/0/amount ${fraction}`
  ],
  [
    of104({
      l1UserTransactions: [l1Of(2, 1)],
      batches: [batchOf(3, { forgeL1TransactionsNum: 2 })]
    }),
    "queue-frozen /batches/0/forgeL1TransactionsNum 2"
  ]
]

const withdrawal = { batchNum: 3, accountIndex: 256, instant: true }
const collection = { owner: bob.address, tokenId: 0 }
const taken = "an exit of batch 3 that was not withdrawn in block 105 already"
const withdrawals: ReadonlyArray<InvalidBlock> = [
  [
    of105({ withdrawals: [{ ...withdrawal, batchNum: 2 }] }),
    "exit-exists /withdrawals/0/accountIndex 256"
  ],
  [of106({ withdrawals: [withdrawal] }), "exit-open /withdrawals/0/accountIndex 256", taken],
  // requested
  [
    of106({ withdrawals: [{ ...withdrawal, accountIndex: 257, instant: false }] }),
    "exit-open /withdrawals/0/accountIndex 257",
    taken
  ],
  [
    of105({ withdrawals: [withdrawal, { ...withdrawal, instant: false }] }),
    "exit-open /withdrawals/1/accountIndex 256"
  ],
  [
    of105({ delayedWithdrawals: [collection] }),
    `withdrawal-requested /delayedWithdrawals/0 ${bob.address}`
  ],
  // requested in the same block
  [
    of105({
      withdrawals: [{ batchNum: 3, accountIndex: 257, instant: false }],
      delayedWithdrawals: [collection]
    }),
    `withdrawal-requested /delayedWithdrawals/0 ${bob.address}`
  ],
  [
    of106({ ...block106, delayedWithdrawals: [collection, collection] }),
    `withdrawal-requested /delayedWithdrawals/1 ${bob.address}`
  ]
]

const [batch3] = block104.batches!
const [creations] = block103.batches!
const exits = batch3!.exits!
/** Returns block 104 with another batch 3. */
const batch = (parts: object): Attempt => of104({ batches: [{ ...batch3, ...parts }] })
const l2 = (...transactions: BatchFeed["l2"]): Attempt => batch({ l2: transactions })
const proof = (parts: Partial<MerkleProof>): Attempt =>
  batch({
    exits: [{ ...exits[0]!, merkleProof: { ...exits[0]!.merkleProof!, ...parts } }, exits[1]!]
  })
const signature = `0x${"01".repeat(65)}`
const coordinator = {
  address: internal.address,
  publicKey: internal.key,
  tokenId: 0,
  signature: null
}
const account = (index: number, parts: object, attempt: Attempt): Attempt =>
  after(
    (ledger) => ledger.accounts.set(index, { ...ledger.accounts.get(index)!, ...parts }),
    attempt
  )

/** Blocks with an invalid batch. */
export const invalidBatches: ReadonlyArray<InvalidBlock> = [
  [batch({ batchNum: 4 }), "batch-number /batches/0/batchNum 4", "3, the next batch"],
  [
    l2(...Array<BatchFeed["l2"][number]>(2048).fill(l2Of(256, 257))),
    "batch-size /batches/0 2049",
    "at most 2048"
  ],
  [
    batch({ l1Coordinator: Array(256).fill(coordinator) }),
    "l1-size /batches/0/l1Coordinator 257",
    "at most 256, 1 of them from the forged queue"
  ],
  [
    batch({ exits: [{ ...exits[0]!, nullifier: 9n } as ExitFeed, exits[1]!] }),
    "shape /batches/0/exits/0/nullifier 9"
  ],
  [
    batch({ forgeL1TransactionsNum: 3 }),
    "forged-queue /batches/0/forgeL1TransactionsNum 3",
    "2, the next queue to forge"
  ],
  [
    of105({ batches: [batchOf(4, { forgeL1TransactionsNum: 2 })] }),
    "forged-queue /batches/0/forgeL1TransactionsNum 2"
  ],
  [
    of102({ batches: [batchOf(1, { forgeL1TransactionsNum: 1 })] }),
    "forged-queue /batches/0/forgeL1TransactionsNum 1",
    "0, the next queue to forge"
  ],
  [batch({ l1UserEffects: [] }), "effect-count /batches/0/l1UserEffects 0"],
  [batch({ forgeL1TransactionsNum: null }), "effect-count /batches/0/l1UserEffects 1"],
  [
    batch({ l1UserEffects: [{ effectiveAmount: 7n, effectiveDepositAmount: 0n }] }),
    "effective-amount /batches/0/l1UserEffects/0/effectiveAmount 7",
    "100"
  ],
  [
    batch({ l1UserEffects: [{ effectiveAmount: 100n, effectiveDepositAmount: 7n }] }),
    "effective-deposit /batches/0/l1UserEffects/0/effectiveDepositAmount 7",
    "0"
  ],
  [
    of103({
      batches: [{
        ...creations,
        l1UserEffects: block101.l1UserTransactions!.map((creation) => ({
          ...declared(creation),
          effectiveDepositAmount: 0n
        }))
      }]
    }),
    "effective-deposit /batches/0/l1UserEffects/0/effectiveDepositAmount 0"
  ],
  [
    batch({ l1Coordinator: [{ ...coordinator, tokenId: 2 }] }),
    "token-exists /batches/0/l1Coordinator/0/tokenId 2"
  ],
  [
    batch({ l1Coordinator: [{ ...coordinator, signature }] }),
    `signature /batches/0/l1Coordinator/0/signature ${signature}`
  ],
  [
    batch({ l1Coordinator: [{ ...coordinator, address: cleo.address }] }),
    "signature /batches/0/l1Coordinator/0/signature null"
  ],
  [batch({ stateRoot: -1n }), "shape /batches/0/stateRoot -1"],
  [batch({ stateRoot: fieldOrder }), `field-element /batches/0/stateRoot ${fieldOrder}`],

  [l2(l2Of(260, 257)), "account-exists /batches/0/l2/0/fromAccountIndex 260"],
  [l2(l2Of(1, 257)), "account-exists /batches/0/l2/0/fromAccountIndex 1"],
  [l2(l2Of(256, 260)), "account-exists /batches/0/l2/0/toAccountIndex 260"],
  [l2(l2Of(256, 255)), "account-exists /batches/0/l2/0/toAccountIndex 255"],
  [l2(l2Of(256, 0)), "account-exists /batches/0/l2/0/toAccountIndex 0"],
  [l2(l2Of(256, 258)), "account-token /batches/0/l2/0/toAccountIndex 258"],
  [l2(l2Of(256, 257), l2Of(256, 257)), "nonce /batches/0/l2/1/nonce 0"],
  [
    l2(l2Of(256, 257, { nonce: 3n })),
    "nonce /batches/0/l2/0/nonce 3",
    "0, the nonce of account 256"
  ],
  [
    account(257, { nonce: nonceMax }, l2(l2Of(257, 256, { nonce: nonceMax }))),
    `nonce /batches/0/l2/0/nonce ${nonceMax}`
  ],
  [l2(l2Of(256, 257, { amount: fraction })), `amount /batches/0/l2/0/amount ${fraction}`],
  [l2(l2Of(256, 257, { amount: 901n })), "balance /batches/0/l2/0/amount 901"],
  [l2(l2Of(256, 257, { amount: 900n, fee: 126 })), "balance /batches/0/l2/0/amount 900"],
  // a fee of more than 128 bits
  [l2(l2Of(256, 257, { amount: large, fee: 200 })), "fee /batches/0/l2/0/fee 200"],
  [
    account(257, { balance: (1n << 192n) - 10n }, l2(l2Of(256, 257))),
    `balance-limit /batches/0/l2/0/amount ${1n << 192n}`
  ],
  [batch({ feeAccounts: Array(65).fill(257) }), "fee-account-count /batches/0/feeAccounts 65"],
  [batch({ feeAccounts: [257, 260] }), "account-exists /batches/0/feeAccounts/1 260"],

  [of104({ batches: [batchOf(3, { exitRoot: 55n })] }), "exit-root /batches/0/exitRoot 55"],
  [batch({ exitRoot: 0n }), "exit-root /batches/0/exitRoot 0"],
  [batch({ exits: [exits[0]] }), "exit-account /batches/0/exits/1/accountIndex null"],
  [
    batch({ exits: [...exits, exitOf(55n, 258, 1n)] }),
    "exit-account /batches/0/exits/2/accountIndex 258",
    "no further exit"
  ],
  [
    batch({ exits: exits.toReversed() }),
    "exit-account /batches/0/exits/0/accountIndex 257",
    "256, the next account with an exit"
  ],
  [
    batch({ exits: [exitOf(55n, 256, 99n), exits[1]!] }),
    "exit-balance /batches/0/exits/0/balance 99",
    "100, the sum of the exits of the account"
  ],
  // a proof that is none of the inclusion of this leaf under this root
  [proof({ root: 56n }), "exit-proof /batches/0/exits/0/merkleProof/root 56"],
  [proof({ key: 257n }), "exit-proof /batches/0/exits/0/merkleProof/key 257"],
  [proof({ fnc: 1 }), "exit-proof /batches/0/exits/0/merkleProof/fnc 1"],
  [proof({ oldKey: 257n }), "exit-proof /batches/0/exits/0/merkleProof/oldKey 257"],
  [proof({ oldValue: 1n }), "exit-proof /batches/0/exits/0/merkleProof/oldValue 1"],
  [proof({ isOld0: true }), "exit-proof /batches/0/exits/0/merkleProof/isOld0 true"],
  [
    proof({ siblings: [1n, fieldOrder] }),
    `field-element /batches/0/exits/0/merkleProof/siblings/1 ${fieldOrder}`,
    `a value from 0 and below ${fieldOrder}`
  ],
  [
    proof({ value: fieldOrder }),
    `field-element /batches/0/exits/0/merkleProof/value ${fieldOrder}`
  ]
]

/** Blocks with one error each. */
export const invalidBlocks: ReadonlyArray<InvalidBlock> = [
  ...links,
  ...tokens,
  ...auctions,
  ...queues,
  ...invalidBatches,
  ...withdrawals
]
