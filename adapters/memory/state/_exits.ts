import type { BlockChanges, Exit, New, TokenId } from "../../../core/domain/mod.ts"
import type { AccountIndex, EthereumAddress } from "../../../core/encoding/mod.ts"
import { facetsOf, lookupNumber } from "./list_facets.ts"
import { exitRow } from "./_rows.ts"
import { firstNot } from "../_binary_search.ts"
import { Table } from "../filter_index/mod.ts"

type Withdrawal = BlockChanges["withdrawals"][number]

const requestedFacet = lookupNumber("exits")
const requestedKey = (owner: EthereumAddress, tokenId: TokenId): string => `${owner}:${tokenId}`
const requested = (exit: Exit): string | null =>
  exit.delayedWithdrawRequest !== null && exit.delayedWithdrawn === null
    ? requestedKey(exit.address, exit.tokenId)
    : null

/** The leaves of the exit trees and what each withdrawal overwrote. */
export class Exits {
  readonly table = new Table(facetsOf("exits", [{ kind: "key", keys: [requested], changes: true }]))
  private readonly withdrawn: Array<number> = []
  private readonly before: Array<Exit> = []

  get withdrawals(): number {
    return this.withdrawn.length
  }

  /** Exits with a delayed withdrawal that was requested and not collected. */
  requestedBy(owner: EthereumAddress, tokenId: TokenId): ReadonlyArray<Exit> {
    return this.table.index.positions(requestedFacet, requestedKey(owner, tokenId)).map((
      position
    ) => this.table.rows[position]!)
  }

  /** The position of an exit among those of its batch, which ascend by account; -1 where it has none. */
  positionIn([from, to]: readonly [number, number], accountIndex: AccountIndex): number {
    const { rows } = this.table
    const position = firstNot(from, to, (each) => rows[each]!.accountIndex < accountIndex)
    return position < to && rows[position]!.accountIndex === accountIndex ? position : -1
  }

  add(exit: New<Exit>): void {
    this.table.append(exitRow(this.table.itemIds.take(), exit))
  }

  withdraw(position: number, field: Withdrawal["field"], blockNum: bigint): void {
    const before = this.table.rows[position]!
    this.withdrawn.push(position)
    this.before.push(before)
    this.table.replace(position, exitRow(before.itemId, { ...before, [field]: blockNum }))
  }

  undoWithdrawals(withdrawals: number): void {
    while (this.withdrawn.length > withdrawals) {
      this.table.replace(this.withdrawn.pop()!, this.before.pop()!)
    }
  }
}
