import { Effect } from "effect"
import type { ListItems, ListName, ListQuery } from "../../contract/mod.ts"
import type { LedgerReader, Page, StoreFailure } from "../../ports/mod.ts"

/** Returns a page of a list whose filters name only things that are registered. */
export const listOrDie = <N extends ListName>(
  reader: LedgerReader["Service"],
  name: N,
  query: ListQuery<N>
): Effect.Effect<Page<ListItems[N]>, StoreFailure> =>
  Effect.catchTag(reader.list(name, query), "NotRegistered", Effect.die)
