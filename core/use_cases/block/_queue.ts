import { Result } from "effect"
import {
  type Account,
  l1TransactionType,
  type L1UserFeed,
  type New,
  protocol,
  type TokenId,
  type Transaction,
  valueUSD,
  type BatchFeed
} from "../../domain/mod.ts"
import {
  type AccountIndex,
  encodeFloat40,
  EXIT_ACCOUNT,
  isUserAccount,
  l1UserTransactionId,
  NO_ACCOUNT
} from "../../encoding/mod.ts"
import { type BlockViolation, makeViolation, violationsIn } from "../violation/mod.ts"
import type { StagedBlock } from "./_staged_block.ts"
import type { L1UserEffect } from "../batch/mod.ts"

/** Adds the block's L1 user transactions to their queues. */
export function fillQueues(staged: StagedBlock): BlockViolation | undefined {
  const sizes = new Map<number, number>()
  let open = Math.max(staged.prior.lastOpenQueue ?? 0, (staged.prior.lastForgedQueue ?? -1) + 1)
  // the contract fills at most the queue after the one that it forges next, and opens another one
  // if that is full
  const reachable = (staged.prior.lastForgedQueue ?? -1) + forgedQueues(staged) + 2
  for (const [position, feed] of (staged.block.l1UserTransactions ?? []).entries()) {
    const pointer = `/l1UserTransactions/${position}`
    const refuse = violationsIn(feed, pointer)
    const queue = feed.toForgeL1TransactionsNum
    if (queue < open || queue > Math.max(open + 1, reachable)) {
      const expected = `an open queue from ${open} to ${Math.max(open + 1, reachable)}`
      return refuse("queue-number", "toForgeL1TransactionsNum", expected)
    }
    open = queue
    const size = sizes.get(queue) ?? staged.prior.queue(queue).length
    if (feed.position !== size) {
      return refuse("queue-position", "position", `${size}, the next position of queue ${queue}`)
    }
    if (size >= protocol.maxL1UserTx) {
      const expected = `at most ${protocol.maxL1UserTx} transactions in queue ${queue}`
      return makeViolation("queue-size", size + 1, expected, pointer)
    }
    sizes.set(queue, size + 1)
    const violation = checkQueued(staged, feed, pointer)
    if (violation !== undefined) return violation
    staged.queued.push(queuedRow(staged, feed))
  }
  return undefined
}

/**
 * Returns the rows of the queued transactions with their accounts, which batches of the same block
 * may have created.
 */
export const queuedRows = (staged: StagedBlock): ReadonlyArray<New<Transaction>> =>
  staged.queued.map((row) => ({
    ...row,
    ...ownersOfQueued(row, staged.account)
  }))

/** Returns an account; undefined if it does not exist. */
export type FindAccount = (index: AccountIndex) => New<Account> | undefined

const NO_OWNER = { address: null, publicKey: null }

/**
 * Returns the keys of both accounts of a queued transaction, and the address of its receiver; null if
 * it is no account, or does not exist yet. A transaction that creates its sender has the key itself.
 */
export const ownersOfQueued = (
  { fromAccountIndex, fromPublicKey, toAccountIndex }: New<Transaction>,
  account: FindAccount
): Pick<Transaction, "fromPublicKey" | "toAddress" | "toPublicKey"> => {
  const [sender, receiver] = [fromAccountIndex ?? NO_ACCOUNT, toAccountIndex].map((index) =>
    (isUserAccount(index) ? account(index) : undefined) ?? NO_OWNER
  )
  return {
    fromPublicKey: fromPublicKey ?? sender!.publicKey,
    toAddress: receiver!.address,
    toPublicKey: receiver!.publicKey
  }
}

/** Returns the value in US dollars in this block; null for a token without price. */
export function valueAt(staged: StagedBlock, tokenId: TokenId, amount: bigint): number | null {
  const token = staged.token(tokenId)
  return token === undefined ? null : valueUSD(token, amount)
}

const forgedQueues = ({ block }: StagedBlock): number =>
  (block.batches ?? []).filter(({ forgeL1TransactionsNum }) => forgeL1TransactionsNum !== null)
    .length

/**
 * Checks the rules of the contract for a queued transaction. Its accounts are checked when it is
 * forged.
 */
function checkQueued(
  staged: StagedBlock,
  feed: L1UserFeed,
  pointer: string
): BlockViolation | undefined {
  const refuse = violationsIn(feed, pointer)
  const { amount, depositAmount, fromAccountIndex: from, fromPublicKey, toAccountIndex: to } = feed
  const creates = from === NO_ACCOUNT
  if (staged.token(feed.tokenId) === undefined) {
    return refuse("token-exists", "tokenId", "a registered token")
  }
  if (!creates && !isUserAccount(from)) {
    return refuse("account-index", "fromAccountIndex", "0 for a new account or an index from 256")
  }
  if (to !== NO_ACCOUNT && to !== EXIT_ACCOUNT && !isUserAccount(to)) {
    return refuse(
      "account-index",
      "toAccountIndex",
      "0 for a deposit, 1 for an exit or an index from 256"
    )
  }
  if (creates !== (fromPublicKey !== null)) {
    return refuse(
      "public-key",
      "fromPublicKey",
      creates ? "the key of the new account" : "none, because the account exists"
    )
  }
  if (to === NO_ACCOUNT && amount !== 0n) {
    return refuse("amount", "amount", "0, because a deposit transfers nothing")
  }
  if (to === EXIT_ACCOUNT && depositAmount !== 0n) {
    return refuse("deposit-amount", "depositAmount", "0, because an exit deposits nothing")
  }
  if (depositAmount >= protocol.limitDepositAmount) {
    return refuse("deposit-amount", "depositAmount", "an amount below 2^128")
  }
  const deposit = encodeFloat40(depositAmount)
  if (Result.isFailure(deposit)) {
    return refuse("deposit-amount", "depositAmount", deposit.failure.rule)
  }
  // the greatest float40 is below 2^192
  const sent = encodeFloat40(amount)
  return Result.isFailure(sent) ? refuse("amount", "amount", sent.failure.rule) : undefined
}

function queuedRow(staged: StagedBlock, feed: L1UserFeed): New<Transaction> {
  const {
    amount,
    depositAmount,
    fromAccountIndex: from,
    position,
    toAccountIndex,
    toForgeL1TransactionsNum,
    tokenId
  } = feed
  // the members in the order of other transactions: all rows have one hidden class in V8
  return {
    id: l1UserTransactionId({ toForgeL1TransactionsNum, position }, staged.rules.keccak256),
    type: l1TransactionType(from, toAccountIndex, depositAmount),
    position,
    fromAccountIndex: from === NO_ACCOUNT ? null : from,
    fromAddress: feed.fromAddress,
    fromPublicKey: feed.fromPublicKey,
    toAccountIndex,
    toAddress: null,
    toPublicKey: null,
    tokenId,
    amount,
    batchNum: null,
    historicUSD: null,
    timestampMs: staged.block.timestampMs,
    l1: {
      toForgeL1TransactionsNum,
      userOrigin: true,
      depositAmount,
      amountSuccess: false,
      depositAmountSuccess: false,
      historicDepositAmountUSD: valueAt(staged, tokenId, depositAmount),
      ethereumBlockNum: staged.block.number,
      ethereumTxHash: feed.ethereumTxHash ?? null,
      l1Fee: feed.l1Fee ?? null
    },
    l2: null
  }
}

/**
 * Returns the transactions of the queue that a batch forges, by position. Pointers of violations
 * are relative to the batch.
 */
export function forgedQueue(
  staged: StagedBlock,
  batch: BatchFeed
): ReadonlyArray<New<Transaction>> | BlockViolation {
  const queue = batch.forgeL1TransactionsNum
  const rows = queue === null ? [] : rowsOf(staged, queue)
  if ("invariant" in rows) return rows
  const effects = batch.l1UserEffects
  const expected = `${rows.length}, one for each transaction of the forged queue`
  return effects === undefined || effects.length === rows.length
    ? rows
    : makeViolation("effect-count", effects.length, expected, "/l1UserEffects")
}

/** Compares the effects that the feed declares with the computed ones. */
export function checkEffects(
  { l1UserEffects }: BatchFeed,
  effects: ReadonlyArray<L1UserEffect>
): BlockViolation | undefined {
  if (l1UserEffects === undefined) return undefined
  for (const [position, { effectiveAmount, effectiveDepositAmount }] of effects.entries()) {
    // `forgedQueue` has compared their number
    const declared = l1UserEffects[position]!
    const refuse = violationsIn(declared, `/l1UserEffects/${position}`)
    if (declared.effectiveDepositAmount !== effectiveDepositAmount) {
      return refuse("effective-deposit", "effectiveDepositAmount", `${effectiveDepositAmount}`)
    }
    if (declared.effectiveAmount !== effectiveAmount) {
      return refuse("effective-amount", "effectiveAmount", `${effectiveAmount}`)
    }
  }
  return undefined
}

function rowsOf(
  staged: StagedBlock,
  queue: number
): ReadonlyArray<New<Transaction>> | BlockViolation {
  const pointer = "/forgeL1TransactionsNum"
  const next = (staged.lastForgedQueue ?? -1) + 1
  if (queue !== next) {
    return makeViolation("forged-queue", queue, `${next}, the next queue to forge`, pointer)
  }
  const added = staged.queued.filter(({ l1 }) => l1?.toForgeL1TransactionsNum === queue)
  // the contract closes a queue when it forges the previous one
  if (added.length > 0 && staged.batches.length === 0) {
    const expected =
      "a queue without transactions of this block, because the batch is the first one of the block"
    return makeViolation("queue-frozen", queue, expected, pointer)
  }
  return [...staged.prior.queue(queue), ...added]
}
