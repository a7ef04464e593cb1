import type { PageView } from "./items.ts"
import type {
  CurrencyListOperation,
  ListOperation,
  Operation,
  PoolListOperation
} from "./operation.ts"
import { declaration, type Revision } from "./revision.ts"
import { count } from "./scalars/mod.ts"
import {
  type AnyShape,
  arrayOf,
  field,
  reference,
  type Shape,
  shape,
  type WireType
} from "./wire_type.ts"

/** The property of a page that says how many items follow. */
export const pendingItems = field(
  count,
  ({ counts }: PageView) => counts.pendingItems,
  "Items that match and come after this page"
)

type AnyListOperation = CurrencyListOperation | ListOperation | PoolListOperation

const known = new WeakMap<Revision, Map<AnyListOperation, Shape<PageView>>>()

/** Returns the type of the answer of an operation in a revision. */
export const answerShape = (
  operation: Operation,
  revision: Revision
): AnyShape & WireType<never> => {
  if ("list" in operation) return pageShape(operation, revision)
  const shape = itemShape(operation, revision)
  if (operation.kind !== "group") return shape
  const doc = "The transactions of an atomic group, in their order"
  return { name: "AtomicGroup", ...arrayOf(reference(shape), { doc }) }
}

/** Returns the shape of the objects in the answers of an operation. */
const itemShape = ({ shape }: Operation, revision: Revision): Shape<never> =>
  typeof shape === "string" ? revision.shapes[shape] as Shape<never> : shape as Shape<never>

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
  const { isPaged = true, itemsProperty, title } = declaration(operation.list)
  const doc = `${isPaged ? "Page" : "List"} of ${itemsProperty}`
  return shape<PageView>(title, doc, {
    [itemsProperty]: field(
      arrayOf(reference(itemShape(operation, revision))),
      (page: PageView) => page.items
    ),
    ...isPaged ? revision.counts : {}
  })
}
