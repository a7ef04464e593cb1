import type { ScalarName, ScalarValues } from "../scalars/mod.ts"

/** How a filter compares its value with the values of a row. */
export type Match =
  /** One of the row's values equals it. */
  | "equal"
  /** One of the row's values is in the set. */
  | "oneOf"
  /** The row's text contains it, literally and with the same case. */
  | "contains"
  | "greaterThan"
  | "lessThan"
  | "atLeast"
  | "atMost"
  /** `true` selects rows with the property; `false` selects all rows. */
  | "flag"
  /** `true` adds rows with the property, which the list leaves out otherwise. */
  | "adding"

/** The type of one value that a filter with this scalar compares. */
export type ComparedValue<S extends ScalarName> = ScalarValues[S] extends
  ReadonlyArray<infer Member> ? Member : ScalarValues[S]

/** One filter of a list; `Row` is the type of the list's rows. */
export interface Filter<S extends ScalarName = ScalarName, Row = never> {
  readonly scalar: S
  readonly match: Match
  /**
   * Functions that return the values of a row that the filter compares: one, or two for sender and
   * receiver. Null equals nothing. Filters that compare the same value have the same function.
   * Stores derive their indexes from them.
   */
  readonly compared: Compared<Row, ComparedValue<S>>
  /** Name of the parameter in the default network; a revision may rename it. */
  readonly parameter: string
  readonly doc: string
  /** The value refers to an item: if it was never registered, the answer is 404. */
  readonly references?: "token" | "account" | "batch"
  /** A flag of the list that a query with this filter has too. */
  readonly implies?: string
}

/** The functions that return the values of a row. */
export type Compared<Row, Value> =
  | readonly [(row: Row) => Value | null]
  | readonly [sender: (row: Row) => Value | null, receiver: (row: Row) => Value | null]

/** A filter of any scalar. */
type AnyFilter<Row> = { [S in ScalarName]: Filter<S, Row> }[ScalarName]

/** One list of the contract. Adapters, documentation and tests all interpret this declaration. */
export interface ListDeclaration<Row = never> {
  /** Property of the answer with the items. */
  readonly itemsProperty: string
  readonly title: string
  /** The meaning of ascending `itemId` in this list. */
  readonly order: string
  readonly filters: { readonly [name: string]: AnyFilter<Row> }
  /** Pairs of filters that exclude each other. */
  readonly exclusions: ReadonlyArray<readonly [string, string]>
  /**
   * Groups of filters of which at least one is required, unless a revision lifts the rule; none by
   * default.
   */
  readonly atLeastOne?: ReadonlyArray<ReadonlyArray<string>>
  /** Pairs of bounds: the first must not exceed the second; none by default. */
  readonly ordered?: ReadonlyArray<readonly [string, string]>
  /** False if every answer has all items that match, without paging and counts; true by default. */
  readonly isPaged?: boolean
}

/** The type of the value of a filter in a query. */
type FilterValue<F> = F extends { readonly scalar: infer S extends ScalarName } ? ScalarValues[S]
  : never

/** The filters of a declared list, each absent or a domain value. */
export type FilterValues<List extends ListDeclaration> = {
  readonly [F in keyof List["filters"]]?: FilterValue<List["filters"][F]>
}
