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
type SelectedTransaction = BatchSelection["transactions"][number]

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
  readonly nextSubmissions = (): UserSubmissions => {
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
    const replacements = signReplacement(context, entries)
    const groups = world.users > 0 && context.schedule.takeDue("group")
      ? signGroup(context, world, planTransfers(context, world, budgets, 2))
      : []
    const newcomers = world.users > 0 && context.schedule.takeDue("newcomer")
      ? planTransfers(context, world, budgets, 1).map((feed) =>
        signForNewcomer(context, world, feed)
      )
      : []
    return {
      authorizations: [...authorizations, ...newcomers.flatMap((each) => each.authorizations)],
      entries: [...entries, ...newcomers.map(({ entry }) => entry)],
      groups,
      replacements
    }
  }

  /** Stores accepted transactions, so that the next ones continue from their nonces and balances. */
  readonly rememberAccepted = (entries: ReadonlyArray<SubmittedTransaction>): void => {
    this.#submitted = [...this.#submitted, ...entries].slice(-REMEMBERED_MAX)
  }

  /** Sets the transactions that the coordinator forges in the next batch; undefined for none. */
  readonly setNextBatch = (selection: BatchSelection | undefined): void => {
    this.#nextBatch = selection
  }

  /** Returns the number of the next batch and the ids of its transactions; undefined for none. */
  readonly nextBatch = () => {
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

/**
 * Returns the feed records of the selected transactions that the state transition accepts in this
 * order. If it refuses one, those that request another one are left out too: the pool selects them
 * again.
 */
function forgeSelection(
  world: World,
  { accounts, batchNum, transactions }: BatchSelection,
  queue: ReadonlyArray<QueuedTransaction>
): ReadonlyArray<L2Feed> {
  const process = (l2: ReadonlyArray<L2Feed>) =>
    processBatch(batchStateOf(world), {
      batchNum,
      queue,
      l1Coordinator: accounts,
      l2,
      feeAccounts: []
    })
  const { createdAccounts } = Result.getOrThrow(process([]))
  const firstCreated = lastAccountIndex(world) + createdAccounts.length - accounts.length + 1
  const feedOf = (
    { receiver, transaction: { amount, fee, fromAccountIndex, nonce } }: SelectedTransaction
  ): L2Feed => {
    const toAccountIndex = indexOf(receiver, firstCreated)
    return { fromAccountIndex, toAccountIndex, amount, fee, nonce }
  }
  for (let left = transactions;;) {
    const accepted = [...left]
    let outcome = process(accepted.map(feedOf))
    for (; Result.isFailure(outcome); outcome = process(accepted.map(feedOf))) {
      const [, position] = /^\/l2\/(\d+)/u.exec(outcome.failure.pointer)!
      accepted.splice(Number(position), 1)
    }
    if (accepted.length === left.length) return accepted.map(feedOf)
    left = accepted.filter(({ transaction }) => transaction.request === null)
  }
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
