import { Effect } from "effect"
import {
  fromItemMax,
  itemIds,
  type ListItems,
  type ListName,
  type ListQuery
} from "../contract/mod.ts"
import type { LedgerReader, StoreFailure } from "../ports/mod.ts"

/**
 * Reads a list page by page until `find` returns a value for the items of a page, and returns this
 * value; null if there is none, or if a filter names something that is not registered.
 */
export const findInPages = <N extends ListName, A>(
  reader: LedgerReader["Service"],
  name: N,
  query: Omit<ListQuery<N>, "fromItem">,
  find: (items: ReadonlyArray<ListItems[N]>) => A | undefined
): Effect.Effect<A | null, StoreFailure> =>
  Effect.gen(function*() {
    const step = query.order === "DESC" ? -1 : 1
    for (let fromItem = step > 0 ? 0 : fromItemMax;;) {
      const { counts, items } = yield* reader.list(name, { ...query, fromItem } as ListQuery<N>)
      const found = find(items)
      if (found !== undefined) return found
      const last = items.at(-1)
      if (last === undefined || counts.pendingItems === 0) return null
      fromItem = itemIds[name](last) + step
      yield* Effect.yieldNow
    }
  }).pipe(Effect.catchTag("NotRegistered", () => Effect.succeed(null)))
