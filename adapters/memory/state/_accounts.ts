import type { Account, New } from "../../../core/domain/mod.ts"
import { type AccountIndex, FIRST_USER_ACCOUNT } from "../../../core/encoding/mod.ts"
import { Table } from "../filter_index/mod.ts"
import { accountRow } from "./_rows.ts"
import { facetNumber, facetsOf } from "./list_facets.ts"

const publicKeyFacet = facetNumber("accounts", "publicKey")

/**
 * The accounts, and the values that updates replaced. Account indexes are consecutive, so an index
 * is a position.
 */
export class Accounts {
  readonly table = new Table(facetsOf("accounts"))
  // one entry for each update: parallel arrays take less memory than an array of objects
  private readonly updatedIndexes: Array<AccountIndex> = []
  /** Numbers are exact, since a nonce is less than 2^40. */
  private readonly noncesBefore: Array<number> = []
  private readonly balancesBefore: Array<bigint> = []

  /** 255 before the first account. */
  get lastIndex(): AccountIndex {
    return FIRST_USER_ACCOUNT - 1 + this.table.length
  }

  /** Number of updates that were made and not undone. */
  get updateCount(): number {
    return this.updatedIndexes.length
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
    this.updatedIndexes.push(index)
    this.noncesBefore.push(Number(before.nonce))
    this.balancesBefore.push(before.balance)
    this.replace(index, before, nonce, balance)
  }

  /** Undoes updates until `updateCount` are left, then removes the accounts from `length` on. */
  truncate(length: number, updateCount: number): void {
    while (this.updatedIndexes.length > updateCount) {
      const index = this.updatedIndexes.pop()!
      const nonce = BigInt(this.noncesBefore.pop()!)
      this.replace(index, this.find(index)!, nonce, this.balancesBefore.pop()!)
    }
    this.table.truncate(length)
  }

  private replace(index: AccountIndex, row: Account, nonce: bigint, balance: bigint): void {
    this.table.replace(index - FIRST_USER_ACCOUNT, accountRow(row.itemId, row, nonce, balance))
  }
}
