import { Effect } from "effect"
import { limitDefault, type ListQuery, lists, rowFilter } from "../../../core/contract/mod.ts"
import type { Token } from "../../../core/domain/mod.ts"
import { NotRegistered, type Page, type StoreFailure } from "../../../core/ports/mod.ts"
import { findUnregistered } from "./_index_key_selection.ts"
import { headQuery, type RunQuery, tokenOf } from "./_run_query.ts"

/**
 * Returns a page of the tokens. `RunQuery` caches them, so the statement only returns the token
 * version of the ledger.
 */
export const listTokens = (
  runQuery: RunQuery,
  query: ListQuery<"tokens">
): Effect.Effect<Page<Token>, NotRegistered | StoreFailure> => {
  const { filters, fromItem, limit = limitDefault, order = "ASC" } = query
  return Effect.flatMap(
    runQuery(
      headQuery,
      ({ snapshotId }, tokens) =>
        findUnregistered("tokens", filters, (_, id) => tokenOf(tokens, id) !== null, snapshotId) ??
          { matching: tokens.all.filter(rowFilter(lists.tokens, filters)), snapshotId }
    ),
    (result) => {
      if (result instanceof NotRegistered) return Effect.fail(result)
      const { matching, snapshotId } = result
      const rest = order === "ASC"
        ? matching.filter(({ itemId }) => itemId >= (fromItem ?? 0))
        : matching.filter(({ itemId }) => itemId <= (fromItem ?? Infinity)).reverse()
      const items = rest.slice(0, limit)
      return Effect.succeed({
        items,
        counts: {
          pendingItems: rest.length - items.length,
          totalItems: matching.length,
          firstItem: matching[0]?.itemId ?? null,
          lastItem: matching.at(-1)?.itemId ?? null
        },
        snapshotId
      })
    }
  )
}
