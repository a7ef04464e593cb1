import type { PageCounts } from "./items.ts"
import type { ListOperation } from "./operation.ts"
import { declaration, type Revision } from "./revision.ts"
import { type Field, field, reference, type Shape, shape } from "./shape.ts"
import { arrayOf } from "./wire_type.ts"

/** A page before serialization. */
export interface PageView {
  readonly items: ReadonlyArray<never>
  readonly counts: PageCounts
}

const known = new WeakMap<Revision, Map<ListOperation, Shape<PageView>>>()

/**
 * Returns the shape of a list's answer in a revision: items and counts. The same object on every
 * call, so that it has one writer.
 */
export const pageShape = (operation: ListOperation, revision: Revision): Shape<PageView> => {
  const shapes = known.get(revision) ?? new Map<ListOperation, Shape<PageView>>()
  known.set(revision, shapes)
  const shape = shapes.get(operation) ?? makePageShape(operation, revision)
  shapes.set(operation, shape)
  return shape
}

const makePageShape = (operation: ListOperation, revision: Revision): Shape<PageView> => {
  const { itemsProperty, title } = declaration(operation.list)
  const counts: { [name: string]: Field<PageView> } = {}
  for (const [name, of] of Object.entries(revision.counts)) {
    counts[name] = { ...of, get: (page) => of.get(page.counts) }
  }
  return shape<PageView>(title, `Page of ${itemsProperty}`, {
    [itemsProperty]: field(
      arrayOf(reference(revision.shapes[operation.shape] as Shape<never>)),
      (page: PageView) => page.items
    ),
    ...counts
  })
}
