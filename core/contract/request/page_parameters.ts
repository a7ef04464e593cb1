import { values } from "../../domain/mod.ts"
import { fromItemMax, limitDefault, limitMax } from "../list.ts"
import { integer, order, type Scalar } from "../scalars/mod.ts"

/** A parameter of every list. */
export interface PageParameter<T> extends Scalar<T> {
  readonly doc: string
}

/** The three parameters of every list. */
export const pageParameters: {
  readonly fromItem: PageParameter<number>
  readonly order: PageParameter<"ASC" | "DESC">
  readonly limit: PageParameter<number>
} = {
  fromItem: {
    ...integer(values.integer(0, fromItemMax), { example: 0 }),
    doc:
      "First itemId of the page, inclusive; an item with this itemId need not exist. By default the page starts at the first item of the order"
  },
  order: {
    ...withDefault(order, "ASC"),
    doc: "ASC from the smallest itemId, DESC from the greatest"
  },
  limit: {
    ...withDefault(integer(values.integer(1, limitMax), { example: limitDefault }), limitDefault),
    doc: "Maximum number of items in the page"
  }
}

function withDefault<T>(scalar: Scalar<T>, value: T): Scalar<T> {
  return {
    ...scalar,
    jsonSchema: (context) => ({ ...scalar.jsonSchema(context), default: value })
  }
}
