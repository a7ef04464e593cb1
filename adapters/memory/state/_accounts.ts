import type { Account, New } from "../../../core/domain/mod.ts"
import { type AccountIndex, FIRST_USER_ACCOUNT } from "../../../core/encoding/mod.ts"
import { Table } from "../filter_index/mod.ts"
import { accountUpdateCodec, SegmentedRows } from "../segments/mod.ts"
import { accountRow } from "./_rows.ts"
import type { LedgerLists } from "./ledger_image.ts"
import { facetNumber, facetsOf } from "./list_facets.ts"

const publicKeyFacet = facetNumber("accounts", "publicKey")

/**
 * The accounts, and the values that updates replaced. Account indexes are consecutive, so an index
 * is a position.
 */
export class Accounts {
  readonly table = new Table<Account>(facetsOf("accounts"))
  private readonly updates = new SegmentedRows(accountUpdateCodec)

  /** 255 before the first account. */
  get lastIndex(): AccountIndex {
    return FIRST_USER_ACCOUNT - 1 + this.table.length
  }

  /** Number of updates that were made and not undone. */
  get updateCount(): number {
    return this.updates.length
  }

  /** Number of different public keys. */
  get publicKeyCount(): number {
    return this.table.index.keyCount(publicKeyFacet)
  }

  find(index: AccountIndex): Account | undefined {
    return this.table.rows[index - FIRST_USER_ACCOUNT]
  }

  add(account: New<Account>): void {
    this.table.append(accountRow(this.table.itemIds.take(), account))
  }

  update(index: AccountIndex, nonce: bigint, balance: bigint): void {
    const before = this.find(index)!
    this.updates.push({ index, nonceBefore: Number(before.nonce), balanceBefore: before.balance })
    this.replace(index, before, nonce, balance)
  }

  /** Undoes updates until `updateCount` are left, then removes the accounts from `length` on. */
  truncate(length: number, updateCount: number): void {
    while (this.updates.length > updateCount) {
      const { balanceBefore, index, nonceBefore } = this.updates.pop()!
      this.replace(index, this.find(index)!, BigInt(nonceBefore), balanceBefore)
    }
    this.table.truncate(length)
  }

  lists() {
    return {
      accounts: [...this.table.rows],
      accountUpdateSegments: [...this.updates.segments],
      accountUpdates: [...this.updates.tail]
    }
  }

  restore({ accounts, accountUpdates, accountUpdateSegments }: LedgerLists): void {
    this.table.restore(accounts.map((account) => accountRow(account.itemId, account)))
    this.updates.restore(accountUpdateSegments, accountUpdates)
  }

  private replace(index: AccountIndex, row: Account, nonce: bigint, balance: bigint): void {
    this.table.replace(index - FIRST_USER_ACCOUNT, accountRow(row.itemId, row, nonce, balance))
  }
}
