/** What every list takes. */
export interface Paging {
  /** The itemId with which the page begins, inclusive; there need not be such an item. */
  readonly fromItem?: number
  /** ASC, from the smallest itemId, is the default. */
  readonly order?: "ASC" | "DESC"
  /** Items of the page: 1..2049. */
  readonly limit?: number
}

/** An operation that takes none. */
export type NoParameters = { readonly [name: string]: never }

/** A body that is written already, as `bodyWriter` of the core does. */
export type JsonText = string

/** `Q` with one of the named parameters at least. */
export type AtLeastOne<Q, Names extends keyof Q> =
  & Q
  & { readonly [N in Names]: { readonly [M in N]-?: Exclude<Q[M], undefined> } }[Names]
