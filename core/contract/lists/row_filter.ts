import type { Filter, FilterValues, ListDeclaration } from "./filter.ts"

/** The type of the rows of a declared list. */
type RowOf<List extends ListDeclaration> = List extends ListDeclaration<infer Row> ? Row : never

/**
 * Returns a function that tells whether a row of a list matches every filter of a query. It applies
 * what a filter implies, and leaves out the rows that only a filter adds. The filters must not
 * exclude each other.
 *
 * @example
 * ```ts
 * import { lists, rowFilter } from "rollup-node-api"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * await using node = await openNode({ genesis, store: { memory: true } })
 * for (let i = 0; i < 40; i++) await node.applyRecord(next())
 * const filters = { tokenIds: [0] }
 * const { items } = await node.list("accounts", { limit: 2000 })
 * const ofEther = items.map(({ account }) => account).filter(rowFilter(lists.accounts, filters))
 * const { counts } = await node.list("accounts", { filters })
 * console.log(ofEther.length > 0, ofEther.length === counts.totalItems) // => true true
 * ```
 */
export const rowFilter = <const List extends ListDeclaration>(
  list: List,
  filters: { readonly [F in keyof FilterValues<List>]: FilterValues<List>[F] | undefined }
): (row: RowOf<List>) => boolean => {
  const values = new Map<string, unknown>(Object.entries(filters))
  for (const [name, { implies, match }] of Object.entries<Filter>(list.filters)) {
    if (match === "adding" && values.get(name) === undefined) values.set(name, false)
    if (implies !== undefined && values.get(name) !== undefined) values.set(implies, true)
  }
  const conditions = [...values].flatMap(([name, value]) => {
    const filter = list.filters[name]
    return filter === undefined || value === undefined ? [] : [conditionOf(filter, value)]
  })
  return (row) => conditions.every((matches) => matches(row))
}

type Unchecked = (value: unknown) => unknown

const conditionOf = ({ compared, match }: Filter, value: unknown): (row: unknown) => boolean => {
  const matches = (comparisons[match] as Unchecked)(value) as Unchecked
  return (row) =>
    compared.some((valueOf) => {
      const own = comparedValue(valueOf, row)
      return own !== null && matches(own) === true
    })
}

/**
 * Returns a value of a row that a filter compares. The types of the declaration ensure that rows are
 * those of the filter.
 */
export const comparedValue = (valueOf: Filter["compared"][number], row: unknown): unknown =>
  valueOf(row as never)

const comparisons: {
  readonly [M in Filter["match"]]: (wanted: never) => (own: never) => boolean
} = {
  equal: (wanted: unknown) => (own: unknown) => own === wanted,
  oneOf: (wanted: ReadonlyArray<unknown>) => {
    const set = new Set(wanted)
    return (own: unknown) => set.has(own)
  },
  contains: (wanted: string) => (own: string) => own.includes(wanted),
  greaterThan: (wanted: number) => (own: number) => own > wanted,
  lessThan: (wanted: number) => (own: number) => own < wanted,
  atLeast: (wanted: number) => (own: number) => own >= wanted,
  atMost: (wanted: number) => (own: number) => own <= wanted,
  flag: (wanted: boolean) => (own: boolean) => own || !wanted,
  adding: (wanted: boolean) => (own: boolean) => wanted || !own
}
