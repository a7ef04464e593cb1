import { Effect } from "effect"
import { limitMax, type ListItems, type ListName, type ListQuery } from "../../core/contract/mod.ts"
import type { LedgerReader } from "../../core/ports/mod.ts"
import { holds, type LawViolation, show, violated } from "./law.ts"
import type { Facts } from "./facts.ts"

type Reader = LedgerReader["Service"]

/** Reads a page, or fails with a violation if the reader fails. */
export const page = <N extends ListName>(reader: Reader, list: N, query: ListQuery<N>) =>
  Effect.catch(
    reader.list(list, query),
    (failure) => violated(`GET ${list} with ${show(query)} failed: ${failure.message}`)
  )

/** Returns the number that the item is paged by. */
export function itemIdOf<N extends ListName>(list: N, item: ListItems[N]): number
export function itemIdOf(list: ListName, item: ListItems[ListName]): number {
  switch (list) {
    case "accounts":
      return (item as ListItems["accounts"]).account.itemId
    case "exits":
      return (item as ListItems["exits"]).exit.itemId
    case "transactions":
      return (item as ListItems["transactions"]).transaction.itemId
    case "bids":
      return (item as ListItems["bids"]).bid.itemId
    case "slots":
      return (item as ListItems["slots"]).slotNum
    default:
      return (item as ListItems["batches" | "tokens" | "coordinators"]).itemId
  }
}

/** Returns all items of a list, read in ascending pages of at most `limit` items. */
export const readAll = Effect.fnUntraced(function*<N extends ListName>(
  reader: Reader,
  list: N,
  filters: ListQuery<N>["filters"] = {},
  limit = limitMax
): Effect.fn.Return<ReadonlyArray<ListItems[N]>, LawViolation> {
  const items: Array<ListItems[N]> = []
  let fromItem = 0
  while (true) {
    const { counts, items: next } = yield* page(reader, list, { filters, fromItem, limit })
    const first = next[0]
    const start = fromItem
    yield* holds(
      first === undefined || itemIdOf(list, first) >= start,
      () => `A page of ${list} from ${start} begins with ${show(first)}`
    )
    items.push(...next)
    if (counts.pendingItems === 0) return items
    yield* holds(
      next.length > 0,
      () =>
        `A page of ${list} from ${fromItem} is empty though ${counts.pendingItems} items are pending`
    )
    fromItem = itemIdOf(list, next.at(-1)!) + 1
  }
})

/** The lists of stored items. `slots` is not one of them, because it has no end. */
export const storedLists = [
  "accounts",
  "exits",
  "transactions",
  "batches",
  "bids",
  "tokens",
  "coordinators"
] as const
export type StoredList = typeof storedLists[number]

/** Returns the itemIds that the store assigned, by list and in order. */
export const itemIds = Effect.fnUntraced(
  function*(
    reader: Reader
  ): Effect.fn.Return<{ readonly [L in StoredList]: ReadonlyArray<number> }, LawViolation> {
    const ids: Partial<{ [L in StoredList]: ReadonlyArray<number> }> = {}
    for (const list of storedLists) {
      ids[list] = (yield* readAll(reader, list)).map((item) => itemIdOf(list, item))
    }
    return ids as { readonly [L in StoredList]: ReadonlyArray<number> }
  }
)

/**
 * Returns the facts with the itemIds of a store. The n-th account of the store is the n-th account
 * of the model, and so on.
 */
export const withItemIds = Effect.fnUntraced(
  function*(reader: Reader, facts: Facts): Effect.fn.Return<Facts, LawViolation> {
    const ids = yield* itemIds(reader)
    const numbered: { [L in StoredList]?: ReadonlyArray<unknown> } = {}
    for (const list of storedLists) {
      yield* holds(
        ids[list].length === facts[list].length,
        () => `There are ${ids[list].length} ${list}, expected ${facts[list].length}`
      )
      const fall = ids[list].findIndex((id, i) => i > 0 && id <= ids[list][i - 1]!)
      yield* holds(
        fall < 0,
        () => `Item ${fall} of ${list} has itemId ${ids[list][fall]} after ${ids[list][fall - 1]}`
      )
      yield* holds(
        (ids[list][0] ?? 1) >= 1,
        () => `The first of ${list} has itemId ${ids[list][0]}, expected 1 or more`
      )
      numbered[list] = facts[list].map((row, i) => ({ ...row, itemId: ids[list][i]! }))
    }
    const queued = yield* Effect.forEach(facts.queued, (row) =>
      Effect.map(
        findItem(reader, "transaction", row.id),
        (view) => ({ ...row, itemId: view?.transaction.itemId ?? -1 })
      ))
    return { ...facts, ...numbered as Pick<Facts, StoredList>, queued }
  }
)

export const findItem = <N extends Parameters<Reader["find"]>[0]>(
  reader: Reader,
  name: N,
  key: Parameters<Reader["find"]>[1]
) =>
  Effect.map(
    Effect.catch(reader.find(name, key as never), (failure) =>
      violated(`The look-up of ${name} ${show(key)} failed: ${failure.message}`)),
    ({ item }) =>
      item as import("../../core/contract/mod.ts").Items[N] | null
  )
