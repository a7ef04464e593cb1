import { Result } from "effect"
import {
  feeUnits,
  type L1CoordinatorFeed,
  type L2Feed,
  type New,
  type PostedAuthorization,
  type Transaction
} from "../../core/domain/mod.ts"
import { type AccountIndex, EXIT_ACCOUNT, type TransactionId } from "../../core/encoding/mod.ts"
import { processBatch, type SelectedReceiver, type Selection } from "../../core/use_cases/mod.ts"
import type { L2Source } from "./blocks/mod.ts"
import { authorizationsOf, planTransfers, signForNewcomer, signPlanned } from "./traffic/mod.ts"
import {
  accountOf,
  batchStateOf,
  type Context,
  lastAccountIndex,
  type SubmittedTransaction,
  type Budget,
  Budgets,
  type World
} from "./world/mod.ts"

/** What users hand in at once; authorizations before the transactions that need them. */
export interface UserSubmissions {
  readonly authorizations: ReadonlyArray<PostedAuthorization>
  readonly entries: ReadonlyArray<SubmittedTransaction>
}

type BatchSelection = Pick<Selection, "batchNum" | "transactions" | "accounts">

/** Posted transactions that wallets remember; older ones are forged for good or left alone. */
const REMEMBERED_MAX = 400

/** What wallets remember of what they posted, and what the coordinator is about to forge. */
export class LiveTraffic {
  readonly #context: Context
  readonly #world: () => World
  #posted: ReadonlyArray<SubmittedTransaction> = []
  #announcement: BatchSelection | undefined

  constructor(context: Context, world: () => World) {
    this.#context = context
    this.#world = world
  }

  /** New transactions go on from the nonces and balances that the waiting ones leave. */
  nextSubmissions(): UserSubmissions {
    const context = this.#context
    const world = this.#world()
    const budgets = new Budgets(world, [])
    for (const entry of this.#posted) reserve(budgets, entry)
    const entries = signPlanned(
      context,
      world,
      planTransfers(context, world, budgets, context.settings.transactionsPerBlock)
    )
    const authorizations = authorizationsOf(context, world)
    if (world.users === 0 || !context.schedule.takeDue("newcomer")) {
      return { authorizations, entries }
    }
    const forNewcomers = planTransfers(context, world, budgets, 1).map((feed) =>
      signForNewcomer(context, world, feed)
    )
    return {
      authorizations: [...authorizations, ...forNewcomers.flatMap((posts) => posts.authorizations)],
      entries: [...entries, ...forNewcomers.flatMap((posts) => posts.entries)]
    }
  }

  rememberAccepted(entries: ReadonlyArray<SubmittedTransaction>): void {
    this.#posted = [...this.#posted, ...entries].slice(-REMEMBERED_MAX)
  }

  setNextBatch(announcement: BatchSelection | undefined): void {
    this.#announcement = announcement
  }

  get nextBatch():
    | { readonly batchNum: number; readonly ids: ReadonlyArray<TransactionId> }
    | undefined
  {
    const announcement = this.#announcement
    return announcement &&
      {
        batchNum: announcement.batchNum,
        ids: announcement.transactions.map(({ transaction }) => transaction.id)
      }
  }

  /** Forges what was announced, as far as it is still possible after the queue of the batch. */
  readonly source: L2Source = {
    accountsToCreate: (batchNum) =>
      this.#announcement?.batchNum === batchNum ? this.#announcement.accounts : undefined,
    fill: ({ batchNum, queue }) => {
      const announcement = this.#announcement
      if (announcement?.batchNum !== batchNum) return []
      this.#announcement = undefined
      return forgeSelection(this.#world(), announcement, queue)
    }
  }
}

/** Takes a posted transaction out of the budget of its sender, if it still means what its sender meant and is the next one. */
function reserve(
  budgets: Budgets,
  { receiver, sender, toAccountIndex, transaction }: SubmittedTransaction
): void {
  const { amount, fromAccountIndex, nonce, tokenId } = transaction
  const budget = budgets.of(fromAccountIndex)
  const debit = amount + feeUnits(transaction)
  if (
    budget?.nonce !== nonce || budget.available < debit || !hasKeyAndToken(budget, sender, tokenId)
  ) return
  if (receiver !== null && !hasKeyAndToken(budgets.of(toAccountIndex), receiver, tokenId)) return
  budget.nonce++
  budget.available -= debit
}

/** On a fork the same index can be another account. */
const hasKeyAndToken = (budget: Budget | undefined, publicKey: string, tokenId: number): boolean =>
  budget?.account.publicKey === publicKey && budget.account.tokenId === tokenId

function forgeSelection(
  world: World,
  { accounts, batchNum, transactions }: BatchSelection,
  queue: ReadonlyArray<New<Transaction>>
): ReadonlyArray<L2Feed> {
  const afterL1 = l1Effects(world, { accounts, batchNum, queue })
  for (let wanted = transactions;;) {
    const possible = applicable(world, afterL1, wanted)
    if (possible.length === wanted.length) return possible.map(({ feed }) => feed)
    // what requires another one must not come without it: the pool selects it again
    wanted = possible.flatMap((
      { selected }
    ) => (selected.transaction.request === null ? [selected] : []))
  }
}

interface L1Effects {
  /** Of the accounts that the coordinator creates. */
  readonly firstCreated: AccountIndex
  readonly accounts: ReadonlyMap<AccountIndex, { readonly nonce: bigint; readonly balance: bigint }>
}

/** The accounts as the L1 part of the batch leaves them. */
function l1Effects(
  world: World,
  { accounts, batchNum, queue }: {
    readonly accounts: ReadonlyArray<L1CoordinatorFeed>
    readonly batchNum: number
    readonly queue: ReadonlyArray<New<Transaction>>
  }
): L1Effects {
  const input = { batchNum, queue, l1Coordinator: accounts, l2: [], feeAccounts: [] }
  const { accountUpdates, createdAccounts } = Result.getOrThrow(
    processBatch(batchStateOf(world), input)
  )
  return {
    firstCreated: lastAccountIndex(world) + createdAccounts.length - accounts.length + 1,
    accounts: new Map(
      accountUpdates.map(({ balance, index, nonce }) => [index, { nonce, balance }])
    )
  }
}

function applicable(
  world: World,
  { accounts, firstCreated }: L1Effects,
  wanted: BatchSelection["transactions"]
) {
  const changed = new Map([...accounts].map(([index, account]) => [index, { ...account }]))
  const holdings = (index: AccountIndex) => {
    const known = changed.get(index)
    if (known !== undefined) return known
    const { balance, nonce } = accountOf(world, index) ?? { nonce: 0n, balance: 0n }
    const fresh = { nonce, balance }
    changed.set(index, fresh)
    return fresh
  }
  return wanted.flatMap((selected) => {
    const { amount, fee, fromAccountIndex, nonce } = selected.transaction
    const toAccountIndex = indexOf(selected.receiver, firstCreated)
    const sender = holdings(fromAccountIndex)
    const debit = amount + feeUnits(selected.transaction)
    if (sender.nonce !== nonce || sender.balance < debit) return []
    sender.nonce++
    sender.balance -= debit
    if (toAccountIndex !== EXIT_ACCOUNT) holdings(toAccountIndex).balance += amount
    return [{ selected, feed: { fromAccountIndex, toAccountIndex, amount, fee, nonce } }]
  })
}

function indexOf(receiver: SelectedReceiver, firstCreated: AccountIndex): AccountIndex {
  switch (receiver.kind) {
    case "exit":
      return EXIT_ACCOUNT
    case "account":
      return receiver.index
    case "created":
      return firstCreated + receiver.position
  }
}
