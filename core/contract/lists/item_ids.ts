import type { ListItems } from "../items.ts"
import type { ListName } from "./list.ts"

/** Return the item id of an item, by list. */
export const itemIds: { readonly [N in ListName]: (item: ListItems[N]) => number } = {
  accounts: ({ account }) => account.itemId,
  exits: ({ exit }) => exit.itemId,
  transactions: ({ transaction }) => transaction.itemId,
  batches: ({ itemId }) => itemId,
  slots: ({ slotNum }) => slotNum,
  bids: ({ bid }) => bid.itemId,
  tokens: ({ itemId }) => itemId,
  coordinators: ({ itemId }) => itemId
}
