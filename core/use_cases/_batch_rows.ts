import { Result } from "effect"
import {
  type BatchFeed, type L2Feed, l2TransactionType, type New, type Transaction, valueUSD
} from "../domain/mod.ts"
import { feeFactor, l1CoordinatorTransactionId, l2TransactionId, NO_ACCOUNT } from "../encoding/mod.ts"
import type { BlockWork } from "./_block_work.ts"
import type { BatchOutcome, L2Resolution } from "./batch_transition.ts"
import { type BlockViolation, violation } from "./block_violation.ts"

/** Coordinator L1 transactions as history shows them: deposits of nothing into accounts that they create. */
export function coordinatorRows(work: BlockWork, batch: BatchFeed, { createdAccounts, l1UserEffects }: BatchOutcome): Array<New<Transaction>> {
  const firstCreated = createdAccounts.length - batch.l1Coordinator.length
  return batch.l1Coordinator.map(({ address, publicKey, tokenId }, index) => {
    const position = l1UserEffects.length + index
    return {
      id: l1CoordinatorTransactionId({ batchNum: batch.batchNum, position }, work.rules.keccak256),
      type: "CreateAccountDeposit",
      position,
      fromAccountIndex: createdAccounts[firstCreated + index]?.index ?? null,
      fromAddress: address,
      fromPublicKey: publicKey,
      toAccountIndex: NO_ACCOUNT,
      toAddress: null,
      toPublicKey: null,
      tokenId,
      amount: 0n,
      batchNum: batch.batchNum,
      historicUSD: null,
      timestampMs: work.block.timestampMs,
      l1: {
        toForgeL1TransactionsNum: null,
        userOrigin: false,
        depositAmount: 0n,
        // nothing was declared and nothing came of it, which counts as success (domain §3.6)
        amountSuccess: true,
        depositAmountSuccess: true,
        historicDepositAmountUSD: null,
        ethereumBlockNum: work.block.number
      },
      l2: null
    }
  })
}

/** Appends the L2 transactions, which are numbered after the L1 ones. */
export function addL2Rows(
  work: BlockWork, batch: BatchFeed, outcome: BatchOutcome, rows: Array<New<Transaction>>
): BlockViolation | undefined {
  const firstPosition = outcome.l1UserEffects.length + batch.l1Coordinator.length
  for (const [index, feed] of batch.l2.entries()) {
    const resolution = outcome.l2[index]!
    const id = l2TransactionId({ ...feed, tokenId: resolution.tokenId }, work.rules.keccak256)
    // amount and fee were checked when the transaction was processed, so it is the nonce that does not fit
    if (Result.isFailure(id)) return violation("nonce", id.failure.value, id.failure.rule, `/l2/${index}/nonce`)
    rows.push(l2Row(work, feed, resolution, { id: id.success, position: firstPosition + index, batchNum: batch.batchNum }))
  }
  return undefined
}

function l2Row(
  work: BlockWork, feed: L2Feed, { receiver, sender, tokenId }: L2Resolution, place: Pick<Transaction, "id" | "position" | "batchNum">
): New<Transaction> {
  const token = work.token(tokenId)
  const historicUSD = token === undefined ? null : valueUSD(token, feed.amount)
  return {
    id: place.id,
    type: l2TransactionType(feed.toAccountIndex),
    position: place.position,
    fromAccountIndex: feed.fromAccountIndex,
    fromAddress: sender.address,
    fromPublicKey: sender.publicKey,
    toAccountIndex: feed.toAccountIndex,
    toAddress: receiver === null ? null : receiver.address,
    toPublicKey: receiver === null ? null : receiver.publicKey,
    tokenId,
    amount: feed.amount,
    batchNum: place.batchNum,
    historicUSD,
    timestampMs: work.block.timestampMs,
    l1: null,
    l2: {
      fee: feed.fee,
      historicFeeUSD: historicUSD === null || feed.fee === 0 ? null : historicUSD * feeFactor(feed.fee),
      nonce: feed.nonce
    }
  }
}
