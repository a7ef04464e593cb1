import type { Account, New } from "../../../core/domain/mod.ts"
import { type AccountIndex, FIRST_USER_ACCOUNT } from "../../../core/encoding/mod.ts"
import { facetNumber, facetsOf } from "./list_facets.ts"
import { accountRow } from "./_rows.ts"
import { Table } from "../filter_index/mod.ts"

const publicKeyFacet = facetNumber("accounts", "publicKey")

/** The accounts and what each update overwrote. Indexes are consecutive, so an index is a position. */
export class Accounts {
  readonly table = new Table(facetsOf("accounts"))
  /** Parallel lists, one entry for each update: an object for each would cost three times as much. */
  private readonly updated: Array<AccountIndex> = []
  /** A nonce is below 2^40. */
  private readonly nonceBefore: Array<number> = []
  private readonly balanceBefore: Array<bigint> = []

  /** 255 before the first account. */
  get lastIndex(): AccountIndex {
    return FIRST_USER_ACCOUNT - 1 + this.table.length
  }

  get updates(): number {
    return this.updated.length
  }

  get publicKeys(): number {
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
    this.updated.push(index)
    this.nonceBefore.push(Number(before.nonce))
    this.balanceBefore.push(before.balance)
    this.table.replace(
      index - FIRST_USER_ACCOUNT,
      accountRow(before.itemId, before, nonce, balance)
    )
  }

  truncate(length: number, updates: number): void {
    while (this.updated.length > updates) {
      const index = this.updated.pop()!
      const row = this.find(index)!
      const before = accountRow(
        row.itemId,
        row,
        BigInt(this.nonceBefore.pop()!),
        this.balanceBefore.pop()!
      )
      this.table.replace(index - FIRST_USER_ACCOUNT, before)
    }
    this.table.truncate(length)
  }
}
