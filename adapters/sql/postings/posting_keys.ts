import type { PostingList } from "./posting_lists.ts"

const bytesOf = (text: string): string =>
  `'\\x${[...text].map((letter) => letter.charCodeAt(0).toString(16)).join("")}'::bytea`

/**
 * Returns SQL for the keys of a row `r`: that of all rows, and one for each value of each facet.
 */
export const keysOfRow = ({ facets, letter }: PostingList): ReadonlyArray<string> => [
  bytesOf(`${letter}*`),
  ...Object.values(facets).flatMap((facet) =>
    facet.values.map((value) => `${bytesOf(letter + facet.letter)} || ${value}`)
  )
]

/**
 * Returns SQL for the keys of a row `r` that begin with `key`, its key in the facet of `filter`:
 * one for each combination with other filters.
 */
export const combinedKeys = (
  list: PostingList,
  filter: string,
  key: string
): ReadonlyArray<string> =>
  combinations(list.facets[filter]!.combinableFilters).map((names) =>
    [
      key,
      ...names.map((name) =>
        `${bytesOf(list.facets[name]!.letter)} || ${list.facets[name]!.values[0]}`
      )
    ].join(" || ")
  )

/** Returns every choice of one or more of the names, each in their order. */
export const combinations = (names: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  names.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (chosen, name) => [...chosen, ...chosen.map((one) => [...one, name])],
    [[]]
  ).slice(1)

/**
 * Returns the key of the rows with these values: of a filter, then of filters that combine with it,
 * in the order of its `combinableFilters`. Without values it is the key of all rows.
 */
export const postingKey = (
  { facets, letter }: PostingList,
  ...values: ReadonlyArray<readonly [filter: string, value: Uint8Array]>
): Uint8Array =>
  Buffer.concat([
    Buffer.from(values.length === 0 ? `${letter}*` : letter, "latin1"),
    ...values.flatMap(([filter, value]) => [Buffer.from(facets[filter]!.letter, "latin1"), value])
  ])
