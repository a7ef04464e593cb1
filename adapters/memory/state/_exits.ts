import { type Exit, isRequestedWithdraw, type TokenId } from "../../../core/domain/mod.ts"
import type { AccountIndex, EthereumAddress } from "../../../core/encoding/mod.ts"
import type { PlacedWithdrawal } from "../../../core/ports/mod.ts"
import { firstNot } from "../_binary_search.ts"
import { Table } from "../filter_index/mod.ts"
import { frozen } from "./_frozen.ts"
import type { LedgerLists, StoredWithdrawal } from "./ledger_image.ts"
import { indexKeysOf, lookupNumber } from "./list_index_keys.ts"

const requestedIndexKey = lookupNumber("exits")
const requestedKey = (owner: EthereumAddress, tokenId: TokenId): string => `${owner}:${tokenId}`
const requestedKeyOf = (exit: Exit): string | null =>
  isRequestedWithdraw(exit) ? requestedKey(exit.address, exit.tokenId) : null

/** The leaves of the exit trees, and their withdrawals in the order of blocks. */
export class Exits {
  readonly table = new Table(
    indexKeysOf("exits", [{ valueOf: requestedKeyOf, isMutable: true }])
  )
  /** One entry for each withdrawal that was made and not undone. */
  private withdrawals: Array<StoredWithdrawal> = []

  /** Number of withdrawals that were made and not undone. */
  get withdrawalCount(): number {
    return this.withdrawals.length
  }

  /** Returns the exits with a delayed withdrawal that was requested and not yet collected. */
  requestedBy(owner: EthereumAddress, tokenId: TokenId): ReadonlyArray<Exit> {
    return this.table.index.positionsOf(requestedIndexKey, requestedKey(owner, tokenId))
      .map((position) => this.table.rows[position]!)
  }

  /**
   * Returns the position of an account's exit among the exits [from, to) of a batch, which ascend
   * by account index; −1 if there is none.
   */
  positionIn([from, to]: readonly [number, number], accountIndex: AccountIndex): number {
    const { rows } = this.table
    const position = firstNot(from, to, (each) => rows[each]!.accountIndex < accountIndex)
    return position < to && rows[position]!.accountIndex === accountIndex ? position : -1
  }

  add(exit: Exit): void {
    this.table.append(frozen(exit))
  }

  withdraw({ after, field }: PlacedWithdrawal): void {
    const position = this.table.positionOf(after.itemId)
    this.withdrawals.push({ position, field })
    this.table.replace(position, frozen(after))
  }

  /** Undoes withdrawals until `withdrawalCount` are left. */
  undoWithdrawals(withdrawalCount: number): void {
    while (this.withdrawals.length > withdrawalCount) {
      const { field, position } = this.withdrawals.pop()!
      this.table.replace(position, frozen({ ...this.table.rows[position]!, [field]: null }))
    }
  }

  lists() {
    return { exits: [...this.table.rows], withdrawals: [...this.withdrawals] }
  }

  restore({ exits, withdrawals }: LedgerLists): void {
    this.table.restore(exits.map(frozen))
    this.withdrawals = [...withdrawals]
  }
}
