import type { BatchFeed, BlockFeed, ExitFeed } from "../../core/domain/mod.ts"
import {
  ann,
  batchOf,
  block101,
  block103,
  block104,
  block105,
  block106,
  blockOf,
  bob,
  cleo,
  coordinatorCreation,
  exitOf,
  l1Of,
  l2Of
} from "./_chain.ts"
import type { FakeLedger } from "./_ledger.ts"
import { addressOf, genesis, hashOf } from "./_network.ts"

/** A block with one error, and the ledger that it is for. */
export interface InvalidBlock {
  readonly block: BlockFeed
  /** The ledger has the blocks of the chain below this number. */
  readonly before: bigint
  readonly prepare?: (ledger: FakeLedger) => void
  /** The invariant, the place and the value, as the refusal names them. */
  readonly refusal: string
  readonly expected?: string
}

const nonceMax = (1n << 40n) - 1n
export const fieldOrder =
  21888242871839275222246405745257275088548364400416034343698204186575808495617n

const [token] = block101.tokens!
const [bid] = block101.bids!
const { rollup, withdrawalDelayer } = genesis.variables
const [batch3] = block104.batches!
const exits = batch3!.exits!
const linked = { previous: { number: 102n, hash: hashOf(102n) } }
/** Block 103 with every part that is optional. */
const whole103 = {
  ...block103,
  bucketUpdates: [{ bucket: 0, blockStamp: 1n, withdrawals: 1n }],
  rollupVariables: rollup,
  withdrawalDelayerVariables: withdrawalDelayer
}
const bidding = { ...block101, bids: [bid!, { ...bid!, bidValue: 11n }] }
const priced = blockOf(102n, { prices: [{ tokenId: 1, priceUSD: 1, timeMs: 0 }] })
const afterGap = { ...block103, number: 109n, ...linked }
const queued = (parts: Parameters<typeof l1Of>[2] = {}) =>
  blockOf(104n, { l1UserTransactions: [l1Of(2, 1, parts)] })
const creation = queued({ fromAccountIndex: 0, toAccountIndex: 1, fromPublicKey: ann.key })
/** Block 104 with another batch 3. */
const batch = (parts: object) => blockOf(104n, { batches: [{ ...batch3!, ...parts }] })
const l2 = (...transactions: BatchFeed["l2"]) => batch({ l2: transactions })
const transfer = l2(l2Of(256, 257))
const creating = (parts: object) => batch({ l1Coordinator: [{ ...coordinatorCreation, ...parts }] })
const [large, fraction] = [10n ** 39n, (1n << 35n) + 1n]
const openFrom = "an open queue from 2 to 3"
const signature = `0x${"01".repeat(65)}`

/** A valid block, the place of one value, a wrong value, the invariant, and what was expected. */
type WrongValue = readonly [BlockFeed, place: string, value: unknown, invariant: string, string?]

const wrongValues: ReadonlyArray<WrongValue> = [
  [bidding, "/bids/0/bidderAddr", addressOf("B"), "shape"],
  [bidding, "/tokens/0/itemId", 7, "shape"],
  [whole103, "/rollupVariables/buckets/0/floorUSD", 1n, "shape"],
  [whole103, "/number", 1n << 64n, "shape"],
  [whole103, "/number", -1n, "shape"],
  [whole103, "/lastEthereumBlock", 1n << 64n, "shape"],
  [whole103, "/bucketUpdates/0/withdrawals", 1n << 64n, "shape"],
  [whole103, "/withdrawalDelayerVariables/emergencyModeStartingBlock", -1n, "shape"],
  [whole103, "/timestampMs", Date.UTC(9000, 0), "shape"],
  [whole103, "/timestampMs", NaN, "shape"],
  [whole103, "/number", 104n, "block-number", "103, the next block"],
  [whole103, "/number", 50n, "block-number", "103, the next block"],
  [whole103, "/number", 99n, "block-number"],
  [whole103, "/parentHash", hashOf(9n), "parent-hash"],
  [whole103, "/timestampMs", 101_999, "timestamp"],
  [whole103, "/lastEthereumBlock", 102n, "last-ethereum-block"],
  [whole103, "/bucketUpdates/0/bucket", 2, "bucket-exists"],
  // a block after a gap names the last block, and one without a gap may
  [afterGap, "/previous/number", 101n, "previous-block"],
  [afterGap, "/previous/hash", hashOf(9n), "previous-block"],
  [{ ...whole103, ...linked }, "/parentHash", hashOf(9n), "parent-hash"],

  [priced, "/prices/0/priceUSD", 1e12 + 1, "shape"],
  [priced, "/prices/0/tokenId", 2, "token-exists"],
  [bidding, "/tokens/0/id", 2, "token-id", "1, the next token"],
  [bidding, "/tokens/0/ethereumAddress", addressOf("0"), "token-address"],
  [bidding, "/bids/0/bidderAddr", ann.address, "bidder-registered"],
  [bidding, "/bids/1/bidValue", 9n, "bid-value"],
  [blockOf(102n, { bids: [{ ...bid!, bidValue: 11n }] }), "/bids/0/bidValue", 10n, "bid-value"],
  [blockOf(102n, { bids: [{ ...bid!, slotNum: 6 }] }), "/bids/0/bidValue", -1n, "shape"],

  [queued(), "/l1UserTransactions/0/toForgeL1TransactionsNum", 1, "queue-number", openFrom],
  [queued(), "/l1UserTransactions/0/toForgeL1TransactionsNum", 4, "queue-number", openFrom],
  [bidding, "/l1UserTransactions/1/position", 2, "queue-position"],
  [
    queued(),
    "/l1UserTransactions/0/position",
    0,
    "queue-position",
    "1, the next position of queue 2"
  ],
  [queued(), "/l1UserTransactions/0/tokenId", 2, "token-exists"],
  [queued(), "/l1UserTransactions/0/fromAccountIndex", 255, "account-index"],
  [queued(), "/l1UserTransactions/0/toAccountIndex", 2, "account-index"],
  // a creation that exits has no deposit
  [creation, "/l1UserTransactions/0/depositAmount", 3n, "deposit-amount"],
  [creation, "/l1UserTransactions/0/fromPublicKey", null, "public-key"],
  [queued(), "/l1UserTransactions/0/fromPublicKey", ann.key, "public-key"],
  [queued(), "/l1UserTransactions/0/amount", 1n, "amount"],
  [queued({ toAccountIndex: 257 }), "/l1UserTransactions/0/amount", fraction, "amount"],
  [queued({ toAccountIndex: 1 }), "/l1UserTransactions/0/depositAmount", 1n, "deposit-amount"],
  [queued(), "/l1UserTransactions/0/depositAmount", large, "deposit-amount"],
  [queued(), "/l1UserTransactions/0/depositAmount", fraction, "deposit-amount"],

  [block104, "/batches/0/batchNum", 4, "batch-number", "3, the next batch"],
  [block104, "/batches/0/exits/0/nullifier", 9n, "shape"],
  [block104, "/batches/0/forgeL1TransactionsNum", 3, "forged-queue", "2, the next queue to forge"],
  [block104, "/batches/0/l1UserEffects/0/effectiveAmount", 7n, "effective-amount", "100"],
  [block104, "/batches/0/l1UserEffects/0/effectiveDepositAmount", 7n, "effective-deposit", "0"],
  [block103, "/batches/0/l1UserEffects/0/effectiveDepositAmount", 0n, "effective-deposit"],
  [creating({}), "/batches/0/l1Coordinator/0/tokenId", 2, "token-exists"],
  [creating({}), "/batches/0/l1Coordinator/0/signature", signature, "signature"],
  [creating({ address: cleo.address }), "/batches/0/l1Coordinator/0/signature", null, "signature"],
  [block104, "/batches/0/stateRoot", -1n, "shape"],
  [block104, "/batches/0/stateRoot", fieldOrder, "field-element"],
  [transfer, "/batches/0/l2/0/fromAccountIndex", 260, "account-exists"],
  [transfer, "/batches/0/l2/0/fromAccountIndex", 1, "account-exists"],
  [transfer, "/batches/0/l2/0/toAccountIndex", 260, "account-exists"],
  [transfer, "/batches/0/l2/0/toAccountIndex", 255, "account-exists"],
  [transfer, "/batches/0/l2/0/toAccountIndex", 0, "account-exists"],
  [transfer, "/batches/0/l2/0/toAccountIndex", 258, "account-token"],
  [transfer, "/batches/0/l2/0/nonce", 3n, "nonce", "0, the nonce of account 256"],
  [l2(l2Of(256, 257), l2Of(256, 257, { nonce: 1n })), "/batches/0/l2/1/nonce", 0n, "nonce"],
  [transfer, "/batches/0/l2/0/amount", fraction, "amount"],
  [transfer, "/batches/0/l2/0/amount", 901n, "balance"],
  [l2(l2Of(256, 257, { fee: 126 })), "/batches/0/l2/0/amount", 900n, "balance"],
  // a fee of more than 128 bits
  [l2(l2Of(256, 257, { amount: large })), "/batches/0/l2/0/fee", 200, "fee"],
  [batch({ feeAccounts: [257, 256] }), "/batches/0/feeAccounts/1", 260, "account-exists"],
  [blockOf(104n, { batches: [batchOf(3)] }), "/batches/0/exitRoot", 55n, "exit-root"],
  [block104, "/batches/0/exitRoot", 0n, "exit-root"],
  [
    block104,
    "/batches/0/exits/0/balance",
    99n,
    "exit-balance",
    "100, the sum of the exits of the account"
  ],
  // a proof that is none of the inclusion of this leaf under this root
  [block104, "/batches/0/exits/0/merkleProof/root", 56n, "exit-proof"],
  [block104, "/batches/0/exits/0/merkleProof/key", 257n, "exit-proof"],
  [block104, "/batches/0/exits/0/merkleProof/fnc", 1, "exit-proof"],
  [block104, "/batches/0/exits/0/merkleProof/oldKey", 257n, "exit-proof"],
  [block104, "/batches/0/exits/0/merkleProof/oldValue", 1n, "exit-proof"],
  [block104, "/batches/0/exits/0/merkleProof/isOld0", true, "exit-proof"],
  [
    block104,
    "/batches/0/exits/0/merkleProof/siblings/1",
    fieldOrder,
    "field-element",
    `a value from 0 and below ${fieldOrder}`
  ],
  [block104, "/batches/0/exits/0/merkleProof/siblings/0", fieldOrder, "field-element"],
  [block104, "/batches/0/exits/0/merkleProof/value", fieldOrder, "field-element"]
]

/** Returns a copy of a value with another one at a place. */
const changed = (old: unknown, [key, ...keys]: ReadonlyArray<string>, value: unknown): unknown => {
  if (key === undefined) return value
  const inside = changed(Object(old)[key], keys, value)
  return Array.isArray(old) ? old.with(Number(key), inside) : { ...old as object, [key]: inside }
}

type Row = readonly [refusal: string, block: BlockFeed, expected?: string]

/** Blocks for the ledger before their number, which the refusal names by another value. */
const wrongBlocks: ReadonlyArray<Row> = [
  ["shape /l1UserTransaction 0 entries", { ...block103, l1UserTransaction: [] } as BlockFeed],
  [
    `token-address /tokens/1/ethereumAddress ${token!.ethereumAddress}`,
    { ...block101, tokens: [token!, { ...token!, id: 2 }] }
  ],
  [
    "queue-size /l1UserTransactions/128 129",
    blockOf(104n, {
      l1UserTransactions: Array.from({ length: 129 }, (_, position) => l1Of(3, position))
    })
  ],
  [
    "queue-number /l1UserTransactions/1/toForgeL1TransactionsNum 2",
    blockOf(104n, { l1UserTransactions: [l1Of(3, 0), l1Of(2, 1)] })
  ],
  [
    "queue-frozen /batches/0/forgeL1TransactionsNum 2",
    { ...queued(), batches: [batchOf(3, { forgeL1TransactionsNum: 2 })] }
  ],
  [
    "batch-size /batches/0 2049",
    l2(...Array<BatchFeed["l2"][number]>(2048).fill(l2Of(256, 257))),
    "at most 2048"
  ],
  [
    "l1-size /batches/0/l1Coordinator 257",
    batch({ l1Coordinator: Array(256).fill(coordinatorCreation) }),
    "at most 256, 1 of them from the forged queue"
  ],
  [
    "forged-queue /batches/0/forgeL1TransactionsNum 2",
    blockOf(105n, { batches: [batchOf(4, { forgeL1TransactionsNum: 2 })] })
  ],
  [
    "forged-queue /batches/0/forgeL1TransactionsNum 1",
    blockOf(102n, { batches: [batchOf(1, { forgeL1TransactionsNum: 1 })] }),
    "0, the next queue to forge"
  ],
  ["effect-count /batches/0/l1UserEffects 0", batch({ l1UserEffects: [] })],
  ["effect-count /batches/0/l1UserEffects 1", batch({ forgeL1TransactionsNum: null })],
  ["fee-account-count /batches/0/feeAccounts 65", batch({ feeAccounts: Array(65).fill(257) })],
  ["exit-account /batches/0/exits/1/accountIndex null", batch({ exits: [exits[0]] })],
  [
    "exit-account /batches/0/exits/2/accountIndex 258",
    batch({ exits: [...exits, exitOf(55n, 258, 1n)] satisfies ReadonlyArray<ExitFeed> }),
    "no further exit"
  ],
  [
    "exit-account /batches/0/exits/0/accountIndex 257",
    batch({ exits: exits.toReversed() }),
    "256, the next account with an exit"
  ]
]

const withdrawal = { batchNum: 3, accountIndex: 256, instant: true }
const [delayedWithdrawal] = block106.delayedWithdrawals!
const taken = "an exit of batch 3 that was not withdrawn in block 105 already"
const wrongWithdrawals: ReadonlyArray<Row> = [
  [
    "exit-exists /withdrawals/0/accountIndex 256",
    blockOf(105n, { withdrawals: [{ ...withdrawal, batchNum: 2 }] })
  ],
  [
    "exit-open /withdrawals/0/accountIndex 256",
    blockOf(106n, { withdrawals: [withdrawal] }),
    taken
  ],
  // requested
  [
    "exit-open /withdrawals/0/accountIndex 257",
    blockOf(106n, { withdrawals: [{ ...withdrawal, accountIndex: 257, instant: false }] }),
    taken
  ],
  [
    "exit-open /withdrawals/1/accountIndex 256",
    blockOf(105n, { withdrawals: [withdrawal, { ...withdrawal, instant: false }] })
  ],
  [
    `withdrawal-requested /delayedWithdrawals/0 ${bob.address}`,
    blockOf(105n, { delayedWithdrawals: [delayedWithdrawal!] })
  ],
  // requested in the same block
  [
    `withdrawal-requested /delayedWithdrawals/0 ${bob.address}`,
    { ...block105, delayedWithdrawals: [delayedWithdrawal!] }
  ],
  [
    `withdrawal-requested /delayedWithdrawals/1 ${bob.address}`,
    { ...block106, delayedWithdrawals: [delayedWithdrawal!, delayedWithdrawal!] }
  ]
]

/** The first block whose slot has no number: slots have ten blocks, from block 100 on. */
const afterSlots = 100n + 10n * (1n << 32n)
/** Leaves out the blocks 103 to 108 as empty. */
const leaveGap = (ledger: FakeLedger) => void ledger.apply(blockOf(109n, linked))
const withAccount257 = (parts: object) => (ledger: FakeLedger) =>
  void ledger.accounts.set(257, { ...ledger.accounts.get(257)!, ...parts })

/** Blocks for another ledger. */
const inOtherLedgers: ReadonlyArray<InvalidBlock> = [
  {
    refusal: "slot-number /number 4294967296",
    block: {
      ...block103,
      number: afterSlots,
      hash: hashOf(afterSlots),
      parentHash: hashOf(afterSlots - 1n)
    },
    before: 103n,
    prepare: (ledger) => {
      const number = afterSlots - 1n
      ledger.lastBlock = { ...ledger.lastBlock, number, hash: hashOf(number) }
    }
  },
  {
    refusal: "block-gap /number 105",
    block: { ...block103, number: 105n },
    before: 103n,
    prepare: leaveGap,
    expected: "a block outside the gap between 102 and 109, whose blocks the feed left out as empty"
  },
  {
    refusal: "block-gap /number 105",
    block: { ...block103, number: 105n, ...linked },
    before: 103n,
    prepare: leaveGap
  },
  // stored with another hash
  {
    refusal: `block-hash /hash ${hashOf(9n)}`,
    block: { ...block101, hash: hashOf(9n) },
    before: 103n
  },
  {
    refusal: `nonce /batches/0/l2/0/nonce ${nonceMax}`,
    block: l2(l2Of(257, 256, { nonce: nonceMax })),
    before: 104n,
    prepare: withAccount257({ nonce: nonceMax })
  },
  {
    refusal: `balance-limit /batches/0/l2/0/amount ${1n << 192n}`,
    block: transfer,
    before: 104n,
    prepare: withAccount257({ balance: (1n << 192n) - 10n })
  }
]

/** Blocks with one error each. */
export const invalidBlocks: ReadonlyArray<InvalidBlock> = [
  ...wrongValues.map(([valid, place, value, invariant, expected]): InvalidBlock => ({
    block: changed(valid, place.split("/").slice(1), value) as BlockFeed,
    before: valid === afterGap ? 103n : valid.number,
    refusal: `${invariant} ${place} ${value}`,
    ...expected === undefined ? {} : { expected }
  })),
  ...[...wrongBlocks, ...wrongWithdrawals].map(([refusal, block, expected]): InvalidBlock => ({
    block,
    before: block.number,
    refusal,
    ...expected === undefined ? {} : { expected }
  })),
  ...inOtherLedgers
]
