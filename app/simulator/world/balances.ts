import type { Account, New, Transaction } from "../../../core/domain/mod.ts"
import { type AccountIndex, NO_ACCOUNT } from "../../../core/encoding/mod.ts"
import { accountOf, type World } from "./world.ts"

/** What an account can still spend while a batch is planned, and its next nonce. */
export interface Purse {
  readonly account: New<Account>
  nonce: bigint
  available: bigint
}

/** Purses during the planning of a batch: they only empty, what comes in counts from the next batch on. */
export class Purses {
  readonly #world: World
  readonly #purses = new Map<AccountIndex, Purse>()

  /** The queue that the batch forges spends first. */
  constructor(world: World, queue: ReadonlyArray<New<Transaction>>) {
    this.#world = world
    for (const { amount, fromAccountIndex } of queue) {
      if (fromAccountIndex !== null && fromAccountIndex !== NO_ACCOUNT) {
        this.spend(fromAccountIndex, amount)
      }
    }
  }

  of(index: AccountIndex): Purse | undefined {
    const known = this.#purses.get(index)
    if (known !== undefined) return known
    const account = accountOf(this.#world, index)
    if (account === undefined) return undefined
    const purse = { account, nonce: account.nonce, available: account.balance }
    this.#purses.set(index, purse)
    return purse
  }

  spend(index: AccountIndex, amount: bigint): void {
    const purse = this.of(index)
    if (purse !== undefined) {
      purse.available = purse.available > amount
        ? purse.available - amount
        : 0n
    }
  }
}
