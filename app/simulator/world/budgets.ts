import type { Account, New } from "../../../core/domain/mod.ts"
import type { AccountIndex } from "../../../core/encoding/mod.ts"
import type { QueuedTransaction } from "../../../core/use_cases/mod.ts"
import { accountOf, type World } from "./world.ts"

/** An account while a batch is planned: its next nonce, and the balance that it can still spend. */
export interface Budget {
  readonly account: New<Account>
  nonce: bigint
  available: bigint
}

/**
 * Budgets of accounts while a batch is planned. Tokens received in the batch are spendable in the
 * next one.
 */
export class Budgets {
  readonly #world: World
  readonly #budgets = new Map<AccountIndex, Budget>()

  /** The transactions of the queue that the batch forges come first, and reduce the budgets. */
  constructor(world: World, queue: ReadonlyArray<QueuedTransaction>) {
    this.#world = world
    for (const { amount, fromAccountIndex } of queue) {
      const budget = fromAccountIndex === null ? undefined : this.of(fromAccountIndex)
      if (budget === undefined) continue
      budget.available = budget.available > amount ? budget.available - amount : 0n
    }
  }

  of(index: AccountIndex): Budget | undefined {
    const known = this.#budgets.get(index)
    if (known !== undefined) return known
    const account = accountOf(this.#world, index)
    if (account === undefined) return undefined
    const budget = { account, nonce: account.nonce, available: account.balance }
    this.#budgets.set(index, budget)
    return budget
  }
}
