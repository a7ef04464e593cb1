import { Result } from "effect"
import type { MemoryLedger } from "../../adapters/memory/mod.ts"
import type {
  Account,
  BatchChanges,
  Bid,
  BlockChanges,
  New,
  Transaction,
  TransactionType
} from "../../core/domain/mod.ts"
import type { PriorLedger } from "../../core/ports/mod.ts"

/*
 * Rows and changes of blocks for tests of stores. They meet the assumptions of a store, but not all
 * rules of the protocol.
 */

export const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`
export const keyOf = (n: number): string => n.toString(16).padStart(64, "0")
export const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`

/** Returns the changes of an empty block, 15 seconds after the last one. */
export const emptyBlock = ({ lastBlock }: PriorLedger): BlockChanges => ({
  block: {
    number: lastBlock.number + 1n,
    hash: hashOf(Number(lastBlock.number) + 1),
    timestampMs: lastBlock.timestampMs + 15_000
  },
  lastEthereumBlock: lastBlock.number + 3n,
  prices: [],
  coordinators: [],
  bids: [],
  tokens: [],
  batches: [],
  queued: [],
  variables: {},
  withdrawals: []
})

export const newAccount = (index: number, batchNum: number, owner = index): New<Account> => ({
  index,
  tokenId: 0,
  batchNum,
  publicKey: keyOf(owner),
  address: addressOf(owner),
  nonce: 0n,
  balance: 0n
})

/** Returns a batch of the next block that contains nothing. */
export const newBatch = (
  prior: PriorLedger,
  batchNum: number,
  parts: Partial<BatchChanges> = {}
): BatchChanges => {
  const { block } = emptyBlock(prior)
  return {
    batch: {
      batchNum,
      ethereumBlockNum: block.number,
      ethereumBlockHash: block.hash,
      timestampMs: block.timestampMs,
      forgerAddr: addressOf(0xf0),
      collectedFees: [],
      historicTotalCollectedFeesUSD: 0,
      stateRoot: BigInt(batchNum),
      numAccounts: 0,
      exitRoot: 0n,
      forgeL1TransactionsNum: null,
      slotNum: 0,
      forgedTransactions: 0,
      ethereumTxHash: null
    },
    accounts: [],
    transactions: [],
    exits: [],
    ...parts
  }
}

let sequence = 0
/** Returns an L2 transaction with an id that is unique in the process. */
export const newTransaction = (
  from: New<Account>,
  to: New<Account>,
  type: TransactionType
): New<Transaction> => ({
  id: `0x02${(++sequence).toString(16).padStart(64, "0")}`,
  type,
  position: 0,
  fromAccountIndex: from.index,
  fromAddress: from.address,
  fromPublicKey: from.publicKey,
  toAccountIndex: to.index,
  toAddress: to.address,
  toPublicKey: to.publicKey,
  tokenId: from.tokenId,
  amount: 1n,
  batchNum: 1,
  historicUSD: null,
  timestampMs: 1,
  l1: null,
  l2: { fee: 1, historicFeeUSD: null, nonce: 0n }
})

export const newBid = (slotNum: number, bidderAddr: string, bidValue: bigint): New<Bid> => ({
  slotNum,
  bidderAddr,
  withdrawAddr: bidderAddr,
  bidValue,
  ethereumBlockNum: 1n,
  timestampMs: 1
})

/** Applies the next block with these changes. Throws if the store does. */
export const applyBlock = (
  ledger: MemoryLedger,
  make: (prior: PriorLedger) => Partial<BlockChanges> = () => ({})
) =>
  Result.getOrThrow(
    ledger.apply((prior) =>
      Result.succeed({ kind: "store", changes: { ...emptyBlock(prior), ...make(prior) } })
    )
  )

export const rollBackTo = (ledger: MemoryLedger, toBlock: bigint) =>
  Result.getOrThrow(ledger.rollBack(toBlock, () => Result.succeed(undefined), { timeMs: 0 }))
