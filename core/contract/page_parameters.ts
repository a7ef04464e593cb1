import { fromItemMax, limitDefault, limitMax } from "./list.ts"
import { integer, oneOf, type Scalar } from "./scalar.ts"

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
    ...integer(0, fromItemMax, 0),
    doc:
      "The itemId with which the page begins, inclusive; there need not be such an item. By default the page begins at the end that order names"
  },
  order: {
    ...withDefault(oneOf(["ASC", "DESC"]), "ASC"),
    doc: "ASC from the smallest itemId, DESC from the greatest"
  },
  limit: {
    ...withDefault(integer(1, limitMax, limitDefault), limitDefault),
    doc: "Items of the page at most"
  }
}

function withDefault<T>(scalar: Scalar<T>, value: T): Scalar<T> {
  return {
    parse: scalar.parse,
    jsonSchema: (network) => ({ ...scalar.jsonSchema(network), default: value })
  }
}
