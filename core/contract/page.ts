import { Schema } from "effect"
import type { PageView } from "./items.ts"
import type { Operation } from "./operation.ts"
import { declaration, type Revision } from "./revision.ts"
import { count } from "./scalars/mod.ts"
import { documented, object, type Shape } from "./objects/mod.ts"

/** The property of a page that says how many items follow. */
export const pendingItems: Revision["counts"] = {
  fields: { pendingItems: documented(count, "Items that match and come after this page") },
  view: ({ counts }) => counts
}

/** Returns the type of the answer of an operation in a revision. */
export const answerShape = (operation: Operation, revision: Revision): Shape<never> => {
  const item = itemShape(operation, revision)
  const items = (all: ReadonlyArray<never>) => all.map((one) => item.view(one))
  if (operation.kind === "group") {
    const schema = Schema.Array(item.schema).annotate({
      identifier: "AtomicGroup",
      description: "The transactions of an atomic group, in their order"
    })
    return { schema, view: items }
  }
  if (!("list" in operation)) return item
  const { isPaged = true, itemsProperty, title } = declaration(operation.list)
  const { counts } = revision
  return {
    schema: object(title, `${isPaged ? "Page" : "List"} of ${itemsProperty}`, {
      [itemsProperty]: Schema.Array(item.schema),
      ...isPaged ? counts.fields : {}
    }) as Schema.Constraint as Schema.Codec<unknown>,
    view: (page: PageView) => ({
      ...isPaged ? counts.view(page) : {},
      [itemsProperty]: items(page.items)
    })
  }
}

/** Returns the shape of the objects in the answers of an operation. */
const itemShape = ({ shape }: Operation, revision: Revision): Shape<never> =>
  typeof shape === "string" ? revision.shapes[shape] : shape
