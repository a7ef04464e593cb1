import { Result } from "effect"
import {
  feeUnits,
  isExpired,
  type L2Feed,
  type PostedAuthorization
} from "../../core/domain/mod.ts"
import { type AccountIndex, EXIT_ACCOUNT } from "../../core/encoding/mod.ts"
import {
  processBatch,
  type QueuedTransaction,
  type SelectedReceiver,
  type Selection
} from "../../core/use_cases/mod.ts"
import type { L2Source } from "./blocks/mod.ts"
import {
  authorizationsOf,
  planTransfers,
  type Replacement,
  signForNewcomer,
  signGroup,
  signPlanned,
  signReplacement,
  type SubmittedGroup
} from "./traffic/mod.ts"
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

/** Submissions of users, in this order: the transactions can need the authorizations. */
export interface UserSubmissions {
  readonly authorizations: ReadonlyArray<PostedAuthorization>
  readonly entries: ReadonlyArray<SubmittedTransaction>
  readonly groups: ReadonlyArray<SubmittedGroup>
  /** Each replaces a transaction of `entries`. */
  readonly replacements: ReadonlyArray<Replacement>
}

/** The transactions and new accounts that the coordinator forges in a batch. */
type BatchSelection = Pick<Selection, "batchNum" | "transactions" | "accounts">

/** Number of submitted transactions that are remembered; older ones are final or never forged. */
const REMEMBERED_MAX = 400

/** The submitted transactions of the users, and the next batch of the coordinator. */
export class LiveTraffic {
  readonly #context: Context
  readonly #world: () => World
  #submitted: ReadonlyArray<SubmittedTransaction> = []
  #nextBatch: BatchSelection | undefined

  constructor(context: Context, world: () => World) {
    this.#context = context
    this.#world = world
  }

  /**
   * Returns new submissions of the users, which continue from the nonces and balances of the pending
   * ones. Pass the accepted transactions to `rememberAccepted`.
   */
  nextSubmissions(): UserSubmissions {
    const context = this.#context
    const world = this.#world()
    const budgets = new Budgets(world, [])
    for (const entry of this.#submitted) {
      // a transaction that no batch can forge any more reserves nothing
      if (!isExpired(entry.transaction, world.lastBatchNum + 1)) reserve(budgets, entry)
    }
    const entries = signPlanned(
      context,
      world,
      planTransfers(context, world, budgets, context.settings.transactionsPerBlock)
    )
    const authorizations = authorizationsOf(context, world)
    const replacement = signReplacement(context, entries)
    const group = world.users > 0 && context.schedule.takeDue("group")
      ? signGroup(context, world, planTransfers(context, world, budgets, 2))
      : undefined
    const newcomers = world.users > 0 && context.schedule.takeDue("newcomer")
      ? planTransfers(context, world, budgets, 1).map((feed) =>
        signForNewcomer(context, world, feed)
      )
      : []
    return {
      authorizations: [...authorizations, ...newcomers.flatMap((each) => each.authorizations)],
      entries: [...entries, ...newcomers.flatMap((each) => each.entries)],
      groups: group === undefined ? [] : [group],
      replacements: replacement === undefined ? [] : [replacement]
    }
  }

  /** Stores accepted transactions, so that the next ones continue from their nonces and balances. */
  rememberAccepted(entries: ReadonlyArray<SubmittedTransaction>): void {
    this.#submitted = [...this.#submitted, ...entries].slice(-REMEMBERED_MAX)
  }

  /** Sets the transactions that the coordinator forges in the next batch; undefined for none. */
  setNextBatch(selection: BatchSelection | undefined): void {
    this.#nextBatch = selection
  }

  /** Returns the number of the next batch and the ids of its transactions; undefined for none. */
  nextBatch() {
    const selection = this.#nextBatch
    return selection && {
      batchNum: selection.batchNum,
      ids: selection.transactions.map(({ transaction }) => transaction.id)
    }
  }

  /** Fills the next batch with the selected transactions that are still valid after its queue. */
  readonly source: L2Source = {
    accountsToCreate: (batchNum) =>
      this.#nextBatch?.batchNum === batchNum ? this.#nextBatch.accounts : undefined,
    fill: ({ batchNum, queue }) => {
      const selection = this.#nextBatch
      if (selection?.batchNum !== batchNum) return []
      this.#nextBatch = undefined
      return forgeSelection(this.#world(), selection, queue)
    }
  }
}

/**
 * Deducts a transaction from the budget of its sender, if it has the next nonce and its accounts
 * are still the ones that it was signed for.
 */
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

/**
 * Whether an account still has this key and token: after a rollback the index can be another
 * account.
 */
const hasKeyAndToken = (budget: Budget | undefined, publicKey: string, tokenId: number): boolean =>
  budget?.account.publicKey === publicKey && budget.account.tokenId === tokenId

function forgeSelection(
  world: World,
  selection: BatchSelection,
  queue: ReadonlyArray<QueuedTransaction>
): ReadonlyArray<L2Feed> {
  const afterL1 = l1Effects(world, selection, queue)
  for (let remaining = selection.transactions;;) {
    const possible = applicable(world, afterL1, remaining)
    if (possible.length === remaining.length) return possible.map(({ feed }) => feed)
    // drops transactions that request another one of the same batch: the pool selects them again
    remaining = possible.flatMap((
      { selected }
    ) => (selected.transaction.request === null ? [selected] : []))
  }
}

/** Returns the accounts that the L1 transactions of the batch change. */
function l1Effects(
  world: World,
  { accounts, batchNum }: BatchSelection,
  queue: ReadonlyArray<QueuedTransaction>
) {
  const input = { batchNum, queue, l1Coordinator: accounts, l2: [], feeAccounts: [] }
  const { accounts: changed, createdAccounts } = Result.getOrThrow(
    processBatch(batchStateOf(world), input)
  )
  return {
    /** Index of the first account that the coordinator creates. */
    firstCreated: lastAccountIndex(world) + createdAccounts.length - accounts.length + 1,
    accounts: new Map(
      changed.map(({ balance, index, nonce }) => [index, { nonce, balance }])
    )
  }
}

/** Returns the transactions that are valid in this order, each with its feed record. */
function applicable(
  world: World,
  { accounts, firstCreated }: ReturnType<typeof l1Effects>,
  transactions: BatchSelection["transactions"]
) {
  const changed = new Map([...accounts].map(([index, account]) => [index, { ...account }]))
  const currentOf = (index: AccountIndex) => {
    const known = changed.get(index)
    if (known !== undefined) return known
    const { balance, nonce } = accountOf(world, index) ?? { nonce: 0n, balance: 0n }
    const copy = { nonce, balance }
    changed.set(index, copy)
    return copy
  }
  return transactions.flatMap((selected) => {
    const { amount, fee, fromAccountIndex, nonce } = selected.transaction
    const toAccountIndex = indexOf(selected.receiver, firstCreated)
    const sender = currentOf(fromAccountIndex)
    const debit = amount + feeUnits(selected.transaction)
    if (sender.nonce !== nonce || sender.balance < debit) return []
    sender.nonce++
    sender.balance -= debit
    if (toAccountIndex !== EXIT_ACCOUNT) currentOf(toAccountIndex).balance += amount
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
