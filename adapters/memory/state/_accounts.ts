import type { Account, AccountValues } from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  FIRST_USER_ACCOUNT,
  type PublicKey
} from "../../../core/encoding/mod.ts"
import type { AccountChange, PlacedAccount } from "../../../core/ports/mod.ts"
import { accountRow } from "../../../core/use_cases/mod.ts"
import { Table } from "../filter_index/mod.ts"
import { type AccountUpdate, accountUpdateCodec, GroupedRows } from "../row_groups/mod.ts"
import type { LedgerLists } from "./ledger_image.ts"
import { indexKeyNumber, indexKeysOf } from "./list_index_keys.ts"

const publicKeyIndexKey = indexKeyNumber("accounts", "publicKey")

/**
 * The accounts, and the values after each update. Account indexes are consecutive, so an index is a
 * position. The batch that creates an account makes its first update.
 */
export class Accounts {
  readonly table = new Table<Account>(indexKeysOf("accounts"))
  private readonly updates = new GroupedRows(accountUpdateCodec)
  /** By position of the account: the position of its last update; −1 before the first one. */
  private lastUpdates: Array<number> = []

  /** 255 before the first account. */
  get lastIndex(): AccountIndex {
    return FIRST_USER_ACCOUNT - 1 + this.table.length
  }

  /** Number of updates that were made and not undone. */
  get updateCount(): number {
    return this.updates.length
  }

  /** Returns whether an account has the public key. */
  hasPublicKey(key: PublicKey): boolean {
    return this.table.index.positionsOf(publicKeyIndexKey, key).length > 0
  }

  find(index: AccountIndex): Account | undefined {
    return this.table.rows[index - FIRST_USER_ACCOUNT]
  }

  /** Adds a created account, or replaces the row of a changed one. */
  change({ after, before, index }: PlacedAccount): void {
    const position = index - FIRST_USER_ACCOUNT
    const previous = before === null ? -1 : this.lastUpdates[position]!
    this.lastUpdates[position] = this.updates.length
    this.updates.push({ index, nonce: Number(after.nonce), balance: after.balance, previous })
    if (before === null) this.table.append(after)
    else this.table.replace(position, after)
  }

  /** Returns the updates at the positions [from, to) with the values before them. */
  changes(from: number, to: number): Array<AccountChange> {
    return this.updates.slice(from, to).map((update) => ({
      index: update.index,
      before: this.valuesBefore(update),
      after: valuesOf(update)
    }))
  }

  /** Undoes updates until `updateCount` are left, then removes the accounts from `length` on. */
  truncate(length: number, updateCount: number): void {
    while (this.updates.length > updateCount) {
      const update = this.updates.pop()!
      const position = update.index - FIRST_USER_ACCOUNT
      const before = this.valuesBefore(update)
      this.lastUpdates[position] = update.previous
      if (before !== null) {
        const row = this.table.rows[position]!
        this.table.replace(position, accountRow(row.itemId, row, before.nonce, before.balance))
      }
    }
    this.table.truncate(length)
    this.lastUpdates.length = length
  }

  lists() {
    return {
      accounts: [...this.table.rows],
      accountUpdateRowGroups: [...this.updates.rowGroups],
      accountUpdates: [...this.updates.tail]
    }
  }

  restore({ accounts, accountUpdates, accountUpdateRowGroups }: LedgerLists): void {
    this.table.restore(accounts.map((account) => accountRow(account.itemId, account)))
    this.updates.restore(accountUpdateRowGroups, accountUpdates)
    this.lastUpdates = accounts.map(() => -1)
    let position = 0
    for (const { indexes } of accountUpdateRowGroups) {
      for (const index of indexes) this.lastUpdates[index - FIRST_USER_ACCOUNT] = position++
    }
    for (const { index } of accountUpdates) {
      this.lastUpdates[index - FIRST_USER_ACCOUNT] = position++
    }
  }

  /** Returns the values before an update; null if it created the account. */
  private valuesBefore({ previous }: AccountUpdate): AccountValues | null {
    return previous < 0 ? null : valuesOf(this.updates.at(previous)!)
  }
}

const valuesOf = ({ balance, nonce }: AccountUpdate): AccountValues => ({
  nonce: BigInt(nonce),
  balance
})
