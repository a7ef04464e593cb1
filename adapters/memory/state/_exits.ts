import type { Exit, TokenId } from "../../../core/domain/mod.ts"
import type { AccountIndex, EthereumAddress } from "../../../core/encoding/mod.ts"
import type { PlacedWithdrawal } from "../../../core/ports/mod.ts"
import { firstNot } from "../_binary_search.ts"
import { Table } from "../filter_index/mod.ts"
import { frozen } from "./_frozen.ts"
import type { LedgerLists, ReplacedWithdrawals } from "./ledger_image.ts"
import { indexKeysOf, lookupNumber } from "./list_index_keys.ts"

const requestedIndexKey = lookupNumber("exits")
const requestedKey = (owner: EthereumAddress, tokenId: TokenId): string => `${owner}:${tokenId}`
const requestedKeyOf = (exit: Exit): string | null =>
  exit.delayedWithdrawRequest !== null && exit.delayedWithdrawn === null
    ? requestedKey(exit.address, exit.tokenId)
    : null

/** The leaves of the exit trees, and the withdrawals before each change. */
export class Exits {
  readonly table = new Table(
    indexKeysOf("exits", [{ valueOf: requestedKeyOf, isMutable: true }])
  )
  /** One entry for each withdrawal that was made and not undone. */
  private undo: Array<ReplacedWithdrawals> = []

  /** Number of withdrawals that were made and not undone. */
  get withdrawalCount(): number {
    return this.undo.length
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

  withdraw({ after, before }: PlacedWithdrawal): void {
    const { delayedWithdrawn, delayedWithdrawRequest, instantWithdrawn, itemId } = before
    const position = this.table.positionOf(itemId)
    this.undo.push({ position, instantWithdrawn, delayedWithdrawRequest, delayedWithdrawn })
    this.table.replace(position, frozen(after))
  }

  /** Undoes withdrawals until `withdrawalCount` are left. */
  undoWithdrawals(withdrawalCount: number): void {
    while (this.undo.length > withdrawalCount) {
      const { position, ...withdrawals } = this.undo.pop()!
      const row = this.table.rows[position]!
      this.table.replace(position, frozen({ ...row, ...withdrawals }))
    }
  }

  lists() {
    return { exits: [...this.table.rows], replacedWithdrawals: [...this.undo] }
  }

  restore({ exits, replacedWithdrawals }: LedgerLists): void {
    this.table.restore(exits.map(frozen))
    this.undo = [...replacedWithdrawals]
  }
}
