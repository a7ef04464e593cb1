import type {
  BatchFeed,
  BlockFeed,
  ExitFeed,
  HeadFeed,
  L1UserFeed,
  L2Feed
} from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import { FakeLedger } from "./_ledger.ts"
import { addressOf, hashOf, keyOf } from "./_network.ts"

/**
 * Three owners: Ann has account 256 and Bob 257, both of ether; Cleo has 258, of token 1. Account
 * 259, of token 1, is internal: it has a key but no address.
 */
export const ann = { address: addressOf("a"), key: keyOf("a") }
export const bob = { address: addressOf("b"), key: keyOf("b") }
export const cleo = { address: addressOf("c"), key: keyOf("c") }
export const internal = { address: INTERNAL_ADDRESS, key: keyOf("d") }

export const blockOf = (number: bigint, parts: Partial<BlockFeed> = {}): BlockFeed => ({
  number,
  hash: hashOf(number),
  parentHash: hashOf(number - 1n),
  timestampMs: Number(number) * 1000,
  ...parts
})

/** Returns a head at a block of `blockOf`; the chain is three blocks further. */
export const headOf = (number: bigint, parts: Partial<HeadFeed> = {}): HeadFeed => ({
  number,
  hash: hashOf(number),
  timestampMs: Number(number) * 1000,
  chainHead: number + 3n,
  ...parts
})

export const batchOf = (batchNum: number, parts: Partial<BatchFeed> = {}): BatchFeed => ({
  batchNum,
  forgerAddr: addressOf("f"),
  stateRoot: BigInt(batchNum),
  exitRoot: 0n,
  feeAccounts: [],
  forgeL1TransactionsNum: null,
  l1UserEffects: [],
  l1Coordinator: [],
  l2: [],
  exits: [],
  ...parts
})

export const l1Of = (
  queue: number,
  position: number,
  parts: Partial<L1UserFeed> = {}
): L1UserFeed => ({
  toForgeL1TransactionsNum: queue,
  position,
  fromAddress: ann.address,
  fromPublicKey: null,
  fromAccountIndex: 256,
  toAccountIndex: 0,
  tokenId: 0,
  depositAmount: 0n,
  amount: 0n,
  ...parts
})

export const l2Of = (
  fromAccountIndex: number,
  toAccountIndex: number,
  parts: Partial<L2Feed> = {}
): L2Feed => ({ fromAccountIndex, toAccountIndex, amount: 10n, fee: 0, nonce: 0n, ...parts })

export const exitOf = (exitRoot: bigint, accountIndex: number, balance: bigint): ExitFeed => ({
  accountIndex,
  balance,
  merkleProof: {
    root: exitRoot,
    siblings: [7n, 0n, 8n, 0n, 0n],
    oldKey: 0n,
    oldValue: 0n,
    isOld0: false,
    key: BigInt(accountIndex),
    value: 9n,
    fnc: 0
  }
})

/** An internal account of ether, which a coordinator creates. */
export const coordinatorCreation = {
  address: internal.address,
  publicKey: internal.key,
  tokenId: 0,
  signature: null
}

const creation = (
  owner: typeof ann,
  tokenId: number,
  depositAmount: bigint
): Partial<L1UserFeed> => ({
  fromAddress: owner.address,
  fromPublicKey: owner.key,
  fromAccountIndex: 0,
  tokenId,
  depositAmount
})

export const declared = ({ amount, depositAmount }: L1UserFeed) => ({
  effectiveDepositAmount: depositAmount,
  effectiveAmount: amount
})

const creations = [
  l1Of(1, 0, creation(ann, 0, 1000n)),
  l1Of(1, 1, creation(bob, 0, 500n)),
  l1Of(1, 2, creation(cleo, 1, 77n))
]
export const forcedExit = l1Of(2, 0, { toAccountIndex: 1, amount: 100n })

/** Registers a token and a coordinator, takes a bid and queues three account creations. */
export const block101 = blockOf(101n, {
  tokens: [{ id: 1, ethereumAddress: addressOf("e"), name: "One", symbol: "ONE", decimals: 2 }],
  prices: [
    { tokenId: 1, priceUSD: 3, timeMs: 101_000 },
    { tokenId: 0, priceUSD: 2, timeMs: 101_000 }
  ],
  coordinators: [
    { bidderAddr: bob.address, forgerAddr: addressOf("f"), url: "https://bob.example" }
  ],
  bids: [{ slotNum: 5, bidderAddr: bob.address, bidValue: 10n }],
  l1UserTransactions: creations
})
/** Forges the empty queue 0. */
export const block102 = blockOf(102n, { batches: [batchOf(1, { forgeL1TransactionsNum: 0 })] })
/** Forges the creations and adds an internal account; Ann requests an exit. */
export const block103 = blockOf(103n, {
  batches: [batchOf(2, {
    forgeL1TransactionsNum: 1,
    l1UserEffects: creations.map(declared),
    l1Coordinator: [{ ...coordinatorCreation, tokenId: 1 }]
  })],
  l1UserTransactions: [forcedExit]
})
/** Ann's exit, a transfer from Ann to Bob with a fee of 10.1 %, an exit of Bob. */
export const block104 = blockOf(104n, {
  batches: [batchOf(3, {
    exitRoot: 55n,
    feeAccounts: [257],
    forgeL1TransactionsNum: 2,
    l1UserEffects: [declared(forcedExit)],
    l2: [l2Of(256, 257, { amount: 100n, fee: 126 }), l2Of(257, 1, { amount: 5n })],
    exits: [exitOf(55n, 256, 100n), exitOf(55n, 257, 5n)]
  })]
})
/** Ann withdraws instantly, Bob requests a delayed withdrawal. */
export const block105 = blockOf(105n, {
  withdrawals: [
    { batchNum: 3, accountIndex: 256, instant: true },
    { batchNum: 3, accountIndex: 257, instant: false }
  ]
})
/** Bob collects it. */
export const block106 = blockOf(106n, { delayedWithdrawals: [{ owner: bob.address, tokenId: 0 }] })

export const chain: ReadonlyArray<BlockFeed> = [
  block101,
  block102,
  block103,
  block104,
  block105,
  block106
]

/** Returns a ledger with the blocks of the chain below a number. */
export function ledgerBefore(number: bigint): FakeLedger {
  const ledger = new FakeLedger()
  for (const block of chain) {
    if (block.number < number) ledger.apply(block)
  }
  return ledger
}
