import { Result } from "effect"
import {
  type Batch,
  type BatchFeed,
  type L1CoordinatorFeed,
  type L2Feed,
  type New,
  protocol,
  slotOfBlock,
  type TokenId,
  type Transaction,
  transactionsPerBatchMax
} from "../../domain/mod.ts"
import {
  type AccountIndex,
  EXIT_ACCOUNT,
  type Keccak256,
  l1CoordinatorTransactionId,
  l2TransactionId,
  NO_ACCOUNT
} from "../../encoding/mod.ts"
import {
  type BatchOutcome,
  type L1UserEffect,
  type L2Resolution,
  processBatch
} from "../batch/mod.ts"
import type { StagedBlock } from "./_staged_block.ts"
import {
  type BlockViolation,
  makeViolation,
  violationsIn,
  violationWithin
} from "../violation/mod.ts"
import { checkExits, checkRoots, exitRows } from "./_exits.ts"
import { checkEffects, type FindAccount, forgedQueue, ownersOfQueued, valueAt } from "./_queue.ts"

/** Applies the batches of the block in order. */
export function forgeBatches(staged: StagedBlock): BlockViolation | undefined {
  for (const [index, batch] of (staged.block.batches ?? []).entries()) {
    const violation = forgeBatch(staged, batch)
    if (violation !== undefined) return violationWithin(violation, `/batches/${index}`)
  }
  return undefined
}

function forgeBatch(staged: StagedBlock, batch: BatchFeed): BlockViolation | undefined {
  if (batch.batchNum !== staged.lastBatchNum + 1) {
    const expected = `${staged.lastBatchNum + 1}, the next batch`
    return violationsIn(batch, "")("batch-number", "batchNum", expected)
  }
  const queue = forgedQueue(staged, batch)
  if ("invariant" in queue) return queue
  const size = queue.length + batch.l1Coordinator.length + batch.l2.length
  if (size > transactionsPerBatchMax) {
    return makeViolation("batch-size", size, `at most ${transactionsPerBatchMax}`, "")
  }
  const l1Size = queue.length + batch.l1Coordinator.length
  if (l1Size > protocol.maxL1Tx) {
    const expected = `at most ${protocol.maxL1Tx}, ${queue.length} of them from the forged queue`
    return makeViolation("l1-size", l1Size, expected, "/l1Coordinator")
  }
  const processed = processBatch(staged, { ...batch, queue })
  if (Result.isFailure(processed)) return processed.failure
  const outcome = processed.success
  const violation = checkRoots(batch) ?? checkEffects(batch, outcome.l1UserEffects) ??
    checkExits(batch, outcome.exits)
  if (violation !== undefined) return violation
  applyOutcome(staged, batch, queue, outcome)
  return undefined
}

function applyOutcome(
  staged: StagedBlock,
  batch: BatchFeed,
  queue: ReadonlyArray<New<Transaction>>,
  outcome: BatchOutcome
): void {
  staged.apply(outcome)
  const exits = exitRows(staged, batch, outcome.exits)
  for (const exit of exits) staged.setExit(exit)
  const row = batchRow(staged, batch, outcome)
  const transactions = transactionRows(staged, queue, batch, row, outcome)
  staged.batches.push({
    batch: { ...row, forgedTransactions: transactions.length },
    accounts: outcome.accounts,
    transactions,
    exits
  })
  staged.lastBatchNum = batch.batchNum
  staged.lastForgedQueue = batch.forgeL1TransactionsNum ?? staged.lastForgedQueue
}

function batchRow(
  staged: StagedBlock,
  batch: BatchFeed,
  { collectedFees, createdAccounts }: BatchOutcome
): Omit<New<Batch>, "forgedTransactions"> {
  const { hash, number, timestampMs } = staged.block
  return {
    batchNum: batch.batchNum,
    ethereumBlockNum: number,
    ethereumBlockHash: hash,
    timestampMs,
    forgerAddr: batch.forgerAddr,
    collectedFees,
    historicTotalCollectedFeesUSD: collectedFees.reduce(
      (sum, [tokenId, amount]) => sum + (valueAt(staged, tokenId, amount) ?? 0),
      0
    ),
    stateRoot: batch.stateRoot,
    numAccounts: createdAccounts.length,
    exitRoot: batch.exitRoot,
    forgeL1TransactionsNum: batch.forgeL1TransactionsNum,
    slotNum: slotOfBlock(staged.rules.constants.auction, number),
    ethereumTxHash: batch.ethereumTxHash ?? null
  }
}

/** Returns the rows of the transactions of a batch, by position. */
function transactionRows(
  staged: StagedBlock,
  queue: ReadonlyArray<New<Transaction>>,
  { l1Coordinator, l2 }: BatchFeed,
  batch: Omit<New<Batch>, "forgedTransactions">,
  outcome: BatchOutcome
): ReadonlyArray<New<Transaction>> {
  const { keccak256 } = staged.rules
  const { createdAccounts, l1UserEffects } = outcome
  const firstCreated = createdAccounts.length - l1Coordinator.length
  const firstL2 = l1UserEffects.length + l1Coordinator.length
  const valueOf: ValueOf = (tokenId, units) => valueAt(staged, tokenId, units)
  return [
    ...queue.map((row, position) =>
      forgedRow(batch.batchNum, row, l1UserEffects[position]!, staged.account, valueOf)
    ),
    ...l1Coordinator.map((feed, i) => {
      const place = { batch, position: l1UserEffects.length + i }
      return coordinatorRow(place, feed, createdAccounts[firstCreated + i]!.index, keccak256)
    }),
    ...outcome.l2.map((resolution, i) =>
      l2Row({ batch, position: firstL2 + i }, l2[i]!, resolution, valueOf, keccak256)
    )
  ]
}

/** The batch of a transaction, and the position of the transaction in it. */
export interface BatchPlace {
  readonly batch: Pick<Batch, "batchNum" | "timestampMs" | "ethereumBlockNum" | "ethereumTxHash">
  readonly position: number
}

/** Returns the value of units of a token in US dollars; null if it is unknown. */
type ValueOf = (tokenId: TokenId, units: bigint) => number | null

/** Returns the row of a forged user transaction. It gets another item id than the queued one. */
export const forgedRow = (
  batchNum: number,
  { itemId: _itemId, ...queued }: New<Transaction> & { readonly itemId?: number },
  { createdIndex, effectiveAmount, effectiveDepositAmount }: L1UserEffect,
  account: FindAccount,
  valueOf: ValueOf
): New<Transaction> => ({
  ...queued,
  ...ownersOfQueued(queued, account),
  fromAccountIndex: createdIndex ?? queued.fromAccountIndex ?? NO_ACCOUNT,
  batchNum,
  historicUSD: valueOf(queued.tokenId, queued.amount),
  l1: queued.l1 && {
    ...queued.l1,
    amountSuccess: effectiveAmount === queued.amount,
    depositAmountSuccess: effectiveDepositAmount === queued.l1.depositAmount
  }
})

/** Returns the row of a coordinator L1 transaction: a deposit of zero into the account it creates. */
export const coordinatorRow = (
  { batch, position }: BatchPlace,
  { address, publicKey, tokenId }: Omit<L1CoordinatorFeed, "signature">,
  created: AccountIndex,
  keccak256: Keccak256
): New<Transaction> => ({
  id: l1CoordinatorTransactionId({ batchNum: batch.batchNum, position }, keccak256),
  type: "CreateAccountDeposit",
  position,
  fromAccountIndex: created,
  fromAddress: address,
  fromPublicKey: publicKey,
  toAccountIndex: NO_ACCOUNT,
  toAddress: null,
  toPublicKey: null,
  tokenId,
  amount: 0n,
  batchNum: batch.batchNum,
  historicUSD: null,
  timestampMs: batch.timestampMs,
  l1: {
    toForgeL1TransactionsNum: null,
    userOrigin: false,
    depositAmount: 0n,
    // amounts of zero count as success
    amountSuccess: true,
    depositAmountSuccess: true,
    historicDepositAmountUSD: null,
    ethereumBlockNum: batch.ethereumBlockNum,
    ethereumTxHash: batch.ethereumTxHash,
    l1Fee: null
  },
  l2: null
})

/** Returns the row of an L2 transaction. */
export const l2Row = (
  { batch, position }: BatchPlace,
  { amount, fee, fromAccountIndex, toAccountIndex }: L2Feed,
  { feeAmount, nonce, receiver, sender, tokenId }: L2Resolution,
  valueOf: ValueOf,
  keccak256: Keccak256
): New<Transaction> => ({
  // cannot fail: `processBatch` has checked every field
  id: Result.getOrThrow(
    l2TransactionId({ amount, fee, fromAccountIndex, nonce, tokenId }, keccak256)
  ),
  // a transfer to an address or a key becomes a transfer to the receiving account
  type: toAccountIndex === EXIT_ACCOUNT ? "Exit" : "Transfer",
  position,
  fromAccountIndex,
  fromAddress: sender.address,
  fromPublicKey: sender.publicKey,
  toAccountIndex,
  toAddress: receiver === null ? null : receiver.address,
  toPublicKey: receiver === null ? null : receiver.publicKey,
  tokenId,
  amount,
  batchNum: batch.batchNum,
  historicUSD: valueOf(tokenId, amount),
  timestampMs: batch.timestampMs,
  l1: null,
  l2: { fee, historicFeeUSD: valueOf(tokenId, feeAmount), nonce }
})
