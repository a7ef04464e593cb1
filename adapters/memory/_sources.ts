import type { FiltersOf, ListItems, ListName } from "../../core/contract/mod.ts"
import { lastOpenSlot, slotNumMax } from "../../core/domain/mod.ts"
import type { ListRows } from "./state/mod.ts"
import type { LedgerState } from "./state/mod.ts"
import type { FilterIndex } from "./filter_index/mod.ts"
import { slotAt } from "./_slot_at.ts"
import type { Table } from "./filter_index/mod.ts"
import { accountView, exitView, transactionView } from "./_views.ts"

/** Where a list takes its items from. */
export interface Source<Row, Item> {
  readonly index: FilterIndex<Row>
  /** All positions are below. */
  readonly end: number
  /** The first position whose item id is not below. */
  readonly positionOf: (itemId: number) => number
  readonly itemIdAt: (position: number) => number
  readonly itemAt: (position: number) => Item
}

const rowsOf = <Row extends { readonly itemId: number }, Item>(
  table: Table<Row>,
  show: (row: Row) => Item
): Source<Row, Item> => ({
  index: table.index,
  end: table.length,
  positionOf: (itemId) => table.positionOf(itemId),
  itemIdAt: (position) => table.rows[position]!.itemId,
  itemAt: (position) => show(table.rows[position]!)
})

const itself = <Row>(row: Row): Row => row

export const sources: {
  readonly [N in ListName]: (
    ledger: LedgerState,
    filters: FiltersOf<N>
  ) => Source<ListRows[N], ListItems[N]>
} = {
  accounts: (ledger) =>
    rowsOf(ledger.history.accounts.table, (account) => accountView(ledger.tokens, account)),
  exits: (ledger) => rowsOf(ledger.history.exits.table, (exit) => exitView(ledger.tokens, exit)),
  transactions: (ledger) =>
    rowsOf(
      ledger.history.transactions,
      (transaction) => transactionView(ledger.tokens, transaction)
    ),
  batches: (ledger) => rowsOf(ledger.history.batches, itself),
  // every number is a slot and its own item id
  slots: (ledger, { maxSlotNum }) => {
    const { clock } = ledger
    return {
      index: ledger.auction.slots,
      end: Math.min(slotNumMax, maxSlotNum ?? lastOpenSlot(clock)) + 1,
      positionOf: itself,
      itemIdAt: itself,
      itemAt: (slotNum) => slotAt(ledger, clock, slotNum)
    }
  },
  bids: (ledger) => rowsOf(ledger.auction.bids, (bid) => bid.view),
  tokens: (ledger) => rowsOf(ledger.tokens.table, itself),
  coordinators: (ledger) => rowsOf(ledger.auction.coordinators, itself)
}
