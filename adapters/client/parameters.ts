/** The parameters of every list. */
export interface Paging {
  /** The page begins at this itemId, inclusive; an item with this itemId need not exist. */
  readonly fromItem?: number
  /** Order by itemId; ASC by default. */
  readonly order?: "ASC" | "DESC"
  /** Maximum number of items of the page: 1..2049. */
  readonly limit?: number
}

/** The parameters of an operation that has none. */
export type NoParameters = { readonly [name: string]: never }

/** A body that is JSON text already, as `bodyWriter` of the core writes it. */
export type JsonText = string

/** `Q` with at least one of the named parameters. */
export type AtLeastOne<Q, Names extends keyof Q> =
  & Q
  & { readonly [N in Names]: { readonly [M in N]-?: Exclude<Q[M], undefined> } }[Names]
