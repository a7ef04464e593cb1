import type { EthereumAddress } from "../encoding/mod.ts"
import type { TokenId } from "./token.ts"
import type { TransactionView } from "./transaction.ts"

/** A forged batch. */
export interface Batch {
  readonly itemId: number
  /** From 1. */
  readonly batchNum: number
  readonly ethereumBlockNum: bigint
  /** 0x and 64 hexadecimal digits. */
  readonly ethereumBlockHash: string
  readonly timestampMs: number
  readonly forgerAddr: EthereumAddress
  /** Units collected by token, ascending by token id, at most 64 entries. */
  readonly collectedFees: ReadonlyArray<readonly [TokenId, bigint]>
  readonly historicTotalCollectedFeesUSD: number
  readonly stateRoot: bigint
  /** Accounts created in this batch. */
  readonly numAccounts: number
  readonly exitRoot: bigint
  /** Queue of L1 user transactions that this batch forged; null if it forged none. */
  readonly forgeL1TransactionsNum: number | null
  readonly slotNum: number
}

/** A batch with all its transactions, ascending by position. */
export interface FullBatch {
  readonly batch: Batch
  readonly transactions: ReadonlyArray<TransactionView>
}

/** Maximum number of transactions in a batch (domain §3.11). */
export const transactionsPerBatchMax = 2048
