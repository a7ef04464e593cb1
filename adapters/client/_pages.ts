import type { Answer } from "./outcome.ts"

interface Item {
  readonly itemId: number
}
type Page = { readonly [list: string]: ReadonlyArray<Item> }
type Values = { readonly [name: string]: unknown }

const limitDefault = 200
/** The greatest itemId that a request may contain. */
const fromItemMax = 4294967295

/**
 * Yields the pages of a list from the requested one to its end. Each page begins next to the last
 * item, not after a number of items: a rollback removes items only at one end and does not reuse
 * their itemIds, so no item is skipped.
 */
export async function* pagesOf(
  list: string,
  request: (parameters: Values) => Promise<Answer<Page>>,
  parameters: Values
): AsyncGenerator<Answer<Page>, void, void> {
  const limit = Number(parameters.limit ?? limitDefault)
  const step = parameters.order === "DESC" ? -1 : 1
  let fromItem = parameters.fromItem
  for (;;) {
    const answer = await request({ ...parameters, limit, fromItem })
    const items = answer.value[list]!
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

/** Returns whether a page is the last one, in either revision. */
const isLast = (page: unknown, itemId: number, step: number): boolean => {
  const { pagination, pendingItems } = page as Counts
  return pendingItems === 0 ||
    (pagination !== undefined && itemId === (step > 0 ? pagination.lastItem : pagination.firstItem))
}
