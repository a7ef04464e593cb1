import { Result } from "effect"
import type {
  Account,
  AccountValues,
  BatchFeed,
  BlockFeed,
  Transaction
} from "../../../core/domain/mod.ts"
import {
  feeAmount,
  type Keccak256,
  l1CoordinatorTransactionId,
  l2TransactionId
} from "../../../core/encoding/mod.ts"
import { type Draft, slotOf, worth } from "./_draft.ts"

/** The accounts by index while a batch is processed. */
type Accounts = Map<number, Account>
/** The amount that exits from each account. */
type Leaving = Map<number, bigint>

/**
 * Processes a batch: L1 user transactions by position, L1 coordinator transactions, L2
 * transactions, then the fees.
 */
export function forge(
  draft: Draft,
  batch: BatchFeed,
  block: BlockFeed,
  keccak256: Keccak256
): void {
  const accounts: Accounts = new Map(draft.accounts.map((account) => [account.index, account]))
  const before = accounts.size
  const leaving: Leaving = new Map()
  const queue = batch.forgeL1TransactionsNum === null
    ? []
    : draft.queued.filter(({ l1 }) => l1!.toForgeL1TransactionsNum === batch.forgeL1TransactionsNum)
      .sort((a, b) => a.position - b.position)
  const l1User = queue.map((transaction) =>
    applyL1User(draft, accounts, leaving, transaction, batch.batchNum)
  )
  const l1Coordinator = batch.l1Coordinator.map((feed, i): Transaction => {
    const account = create(accounts, { ...feed, batchNum: batch.batchNum })
    const position = queue.length + i
    return {
      itemId: 0,
      id: l1CoordinatorTransactionId({ batchNum: batch.batchNum, position }, keccak256),
      type: "CreateAccountDeposit",
      position,
      fromAccountIndex: account.index,
      fromAddress: feed.address,
      fromPublicKey: feed.publicKey,
      toAccountIndex: 0,
      toAddress: null,
      toPublicKey: null,
      tokenId: feed.tokenId,
      amount: 0n,
      batchNum: batch.batchNum,
      historicUSD: null,
      timestampMs: block.timestampMs,
      l1: {
        toForgeL1TransactionsNum: null,
        userOrigin: false,
        depositAmount: 0n,
        amountSuccess: true,
        depositAmountSuccess: true,
        historicDepositAmountUSD: null,
        ethereumBlockNum: block.number,
        ethereumTxHash: batch.ethereumTxHash ?? null,
        l1Fee: null
      },
      l2: null
    }
  })
  // the first fee account of a token collects its fees
  const collected = new Map(
    batch.feeAccounts.toReversed().map((
      index
    ) => [accounts.get(index)!.tokenId, { index, amount: 0n }])
  )
  const l2 = batch.l2.map((_, i) =>
    applyL2(draft, { accounts, leaving, collected, keccak256 }, batch, block, {
      i,
      position: queue.length + batch.l1Coordinator.length + i
    })
  )
  for (const { amount, index } of collected.values()) addBalance(accounts, index, amount)
  const forged = l1User.map((transaction) => ({
    ...transaction,
    fromPublicKey: transaction.fromPublicKey ??
      receiver(accounts, transaction.fromAccountIndex ?? 0).toPublicKey,
    ...receiver(accounts, transaction.toAccountIndex)
  }))
  draft.queued = draft.queued.filter((transaction) => !queue.includes(transaction))
  const after = [...accounts.values()].sort((a, b) => a.index - b.index)
  addChanges(draft, batch.batchNum, after)
  draft.accounts = after
  draft.transactions.push(...forged, ...l1Coordinator, ...l2)
  addExits(draft, batch, leaving)
  const collectedFees = [...collected].map(([tokenId, { amount }]) => [tokenId, amount] as const)
    .sort((a, b) => a[0] - b[0])
  draft.batches.push({
    itemId: 0,
    batchNum: batch.batchNum,
    ethereumBlockNum: block.number,
    ethereumBlockHash: block.hash,
    timestampMs: block.timestampMs,
    forgerAddr: batch.forgerAddr,
    collectedFees,
    historicTotalCollectedFeesUSD: collectedFees.reduce(
      (sum, [tokenId, amount]) => sum + (worth(draft.tokens[tokenId]!, amount) ?? 0),
      0
    ),
    stateRoot: batch.stateRoot,
    numAccounts: accounts.size - before,
    exitRoot: batch.exitRoot,
    forgeL1TransactionsNum: batch.forgeL1TransactionsNum,
    slotNum: slotOf(draft, block.number),
    ethereumTxHash: batch.ethereumTxHash ?? null,
    forgedTransactions: forged.length + l1Coordinator.length + l2.length
  })
}

/** Adds a change for each account that the batch created or changed. */
function addChanges(draft: Draft, batchNum: number, after: ReadonlyArray<Account>): void {
  for (const [at, account] of after.entries()) {
    const before = draft.accounts[at]
    if (before?.nonce === account.nonce && before.balance === account.balance) continue
    draft.accountChanges.push({
      batchNum,
      index: account.index,
      before: before === undefined ? null : valuesOf(before),
      after: valuesOf(account)
    })
  }
}

const valuesOf = ({ balance, nonce }: Account): AccountValues => ({ nonce, balance })

/** Follows the procedure of the contract step by step. */
function effectiveAmounts(
  accounts: Accounts,
  { amount, fromAccountIndex, fromAddress, l1, toAccountIndex, tokenId, type }: Transaction
) {
  const deposit = l1!.depositAmount
  const declared = { amount, deposit }
  const nothing = { amount: 0n, deposit: 0n }
  const onlyDeposit = { amount: 0n, deposit }
  const to = toAccountIndex < 256 ? undefined : accounts.get(toAccountIndex)
  if (type === "CreateAccountDeposit") return onlyDeposit
  if (type === "CreateAccountDepositTransfer") {
    if (amount > deposit) return onlyDeposit
    if (to === undefined) return nothing
    return to.tokenId === tokenId ? declared : onlyDeposit
  }
  const from = accounts.get(fromAccountIndex!)
  if (from === undefined || from.tokenId !== tokenId) return nothing
  if (amount > from.balance + deposit) return onlyDeposit
  const allowed = from.address === fromAddress ? declared : onlyDeposit
  if (type === "Deposit" || type === "ForceExit") return allowed
  if (to === undefined) return nothing
  return to.tokenId === tokenId ? allowed : onlyDeposit
}

function applyL1User(
  draft: Draft,
  accounts: Accounts,
  leaving: Leaving,
  transaction: Transaction,
  batchNum: number
): Transaction {
  const { amount, deposit } = effectiveAmounts(accounts, transaction)
  const fromAccountIndex = transaction.fromAccountIndex ??
    create(accounts, {
      address: transaction.fromAddress!,
      publicKey: transaction.fromPublicKey!,
      tokenId: transaction.tokenId,
      batchNum
    }).index
  addBalance(accounts, fromAccountIndex, deposit - (transaction.type === "Deposit" ? 0n : amount))
  // the declared amount decides whether there is a leaf
  if (
    transaction.toAccountIndex === 1 && transaction.amount > 0n && accounts.has(fromAccountIndex)
  ) {
    leaving.set(fromAccountIndex, (leaving.get(fromAccountIndex) ?? 0n) + amount)
  }
  if (transaction.toAccountIndex >= 256 && amount > 0n) {
    addBalance(accounts, transaction.toAccountIndex, amount)
  }
  const l1 = {
    ...transaction.l1!,
    amountSuccess: amount === transaction.amount,
    depositAmountSuccess: deposit === transaction.l1!.depositAmount
  }
  const historicUSD = worth(draft.tokens[transaction.tokenId]!, transaction.amount)
  return { ...transaction, fromAccountIndex, batchNum, historicUSD, l1 }
}

interface Work {
  readonly accounts: Accounts
  readonly leaving: Leaving
  readonly collected: Map<number, { readonly index: number; amount: bigint }>
  readonly keccak256: Keccak256
}

function applyL2(
  draft: Draft,
  { accounts, collected, keccak256, leaving }: Work,
  batch: BatchFeed,
  block: BlockFeed,
  { i, position }: { i: number; position: number }
): Transaction {
  const feed = batch.l2[i]!
  const { amount, fee, fromAccountIndex, toAccountIndex } = feed
  const sender = accounts.get(fromAccountIndex)!
  const { nonce, tokenId } = sender
  const charged = Result.getOrThrow(feeAmount(amount, fee))
  accounts.set(fromAccountIndex, {
    ...sender,
    nonce: sender.nonce + 1n,
    balance: sender.balance - amount - charged
  })
  if (toAccountIndex !== 1) addBalance(accounts, toAccountIndex, amount)
  else if (amount > 0n) {
    leaving.set(fromAccountIndex, (leaving.get(fromAccountIndex) ?? 0n) + amount)
  }
  const collector = collected.get(tokenId)
  if (collector !== undefined) collector.amount += charged
  return {
    itemId: 0,
    id: Result.getOrThrow(l2TransactionId({ ...feed, nonce, tokenId }, keccak256)),
    type: toAccountIndex === 1 ? "Exit" : "Transfer",
    position,
    fromAccountIndex,
    fromAddress: sender.address,
    fromPublicKey: sender.publicKey,
    toAccountIndex,
    ...receiver(accounts, toAccountIndex),
    tokenId,
    amount,
    batchNum: batch.batchNum,
    historicUSD: worth(draft.tokens[tokenId]!, amount),
    timestampMs: block.timestampMs,
    l1: null,
    l2: { fee, nonce, historicFeeUSD: worth(draft.tokens[tokenId]!, charged) }
  }
}

/** Creates an account with the next index; the first is 256. */
function create(
  accounts: Accounts,
  owner: Pick<Account, "address" | "publicKey" | "tokenId" | "batchNum">
): Account {
  const { address, batchNum, publicKey, tokenId } = owner
  const account = {
    itemId: 0,
    index: 256 + accounts.size,
    tokenId,
    batchNum,
    publicKey,
    address,
    nonce: 0n,
    balance: 0n
  }
  accounts.set(account.index, account)
  return account
}

function addBalance(accounts: Accounts, index: number, amount: bigint): void {
  const account = accounts.get(index)
  if (account !== undefined) accounts.set(index, { ...account, balance: account.balance + amount })
}

function receiver(
  accounts: Accounts,
  index: number
): Pick<Transaction, "toAddress" | "toPublicKey"> {
  const account = accounts.get(index)
  return { toAddress: account?.address ?? null, toPublicKey: account?.publicKey ?? null }
}

/**
 * Adds an exit for each account with an exit amount, ascending by index, with the proofs of the
 * feed.
 */
function addExits(draft: Draft, batch: BatchFeed, leaving: Leaving): void {
  for (const [accountIndex, balance] of [...leaving].sort((a, b) => a[0] - b[0])) {
    const account = draft.accounts.find(({ index }) => index === accountIndex)!
    const proof = batch.exits?.find((exit) => exit.accountIndex === accountIndex)?.merkleProof
    if (proof === undefined) {
      throw new Error(
        `Batch ${batch.batchNum} has no proof of account ${accountIndex}, expected one: the model computes no hashes`
      )
    }
    const siblings = [...proof.siblings]
    while (siblings.at(-1) === 0n) siblings.pop()
    draft.exits.push({
      itemId: 0,
      batchNum: batch.batchNum,
      accountIndex,
      tokenId: account.tokenId,
      address: account.address,
      publicKey: account.publicKey,
      merkleProof: { ...proof, siblings },
      balance,
      instantWithdrawn: null,
      delayedWithdrawRequest: null,
      delayedWithdrawn: null
    })
  }
}
