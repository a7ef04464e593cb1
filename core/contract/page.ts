import type { PageView } from "./items.ts"
import type { ListOperation, Operation, PoolListOperation } from "./operation.ts"
import { declaration, type Revision } from "./revision.ts"
import { count } from "./scalars/mod.ts"
import { field, reference, type Shape, shape, arrayOf } from "./wire_type.ts"

/** The property of a page that says how many items follow. */
export const pendingItems = field(
  count,
  ({ counts }: PageView) => counts.pendingItems,
  "Items that match and come after this page"
)

type AnyListOperation = ListOperation | PoolListOperation

const known = new WeakMap<Revision, Map<AnyListOperation, Shape<PageView>>>()

/** Returns the shape of the answer of an operation in a revision. */
export const answerShape = (operation: Operation, revision: Revision): Shape<never> =>
  "list" in operation
    ? pageShape(operation, revision) as Shape<never>
    : operation.kind === "health"
    ? operation.shape as Shape<never>
    : revision.shapes[operation.shape] as Shape<never>

/**
 * Returns the shape of a list's answer in a revision: items and counts. The same object on every
 * call, so that it has one writer.
 */
export const pageShape = (operation: AnyListOperation, revision: Revision): Shape<PageView> => {
  const shapes = known.get(revision) ?? new Map<AnyListOperation, Shape<PageView>>()
  known.set(revision, shapes)
  const shape = shapes.get(operation) ?? makePageShape(operation, revision)
  shapes.set(operation, shape)
  return shape
}

const makePageShape = (operation: AnyListOperation, revision: Revision): Shape<PageView> => {
  const { itemsProperty, title } = declaration(operation.list)
  return shape<PageView>(title, `Page of ${itemsProperty}`, {
    [itemsProperty]: field(
      arrayOf(reference(revision.shapes[operation.shape] as Shape<never>)),
      (page: PageView) => page.items
    ),
    ...revision.counts
  })
}
