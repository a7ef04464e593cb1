import type { Answer } from "./outcome.ts"

interface Item {
  readonly itemId: number
}
type Page = { readonly [itemsProperty: string]: ReadonlyArray<Item> }
type Values = { readonly [name: string]: unknown }

const limitDefault = 200
/** Greatest itemId that can be asked for. */
const fromItemMax = 4294967295

/**
 * Pages of a list from the one that is asked for to its end. The next one begins beside the last item that was given, not after a number
 * of items: a rollback takes items away at one end only and gives none of their places to others, so nothing is skipped.
 */
export async function* pagesOf(
  itemsProperty: string,
  ask: (parameters: Values) => Promise<Answer<Page>>,
  parameters: Values
): AsyncGenerator<Answer<Page>, void, void> {
  const limit = Number(parameters.limit ?? limitDefault)
  const step = parameters.order === "DESC" ? -1 : 1
  let fromItem = parameters.fromItem
  for (;;) {
    const answer = await ask({ ...parameters, limit, fromItem })
    const items = answer.value[itemsProperty]!
    yield answer
    if (items.length < limit || isLast(answer.value, items.at(-1)!.itemId, step)) return
    const next = items.at(-1)!.itemId + step
    if (next < 0 || next > fromItemMax) return
    fromItem = next
  }
}

interface Counts {
  readonly pendingItems?: number
  readonly pagination?: { readonly firstItem: number | null; readonly lastItem: number | null }
}

/** Whether nothing follows, as either revision says it. */
const isLast = (page: unknown, itemId: number, step: number): boolean => {
  const { pagination, pendingItems } = page as Counts
  return pendingItems === 0 ||
    (pagination !== undefined && itemId === (step > 0 ? pagination.lastItem : pagination.firstItem))
}
