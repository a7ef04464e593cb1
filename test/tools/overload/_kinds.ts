/** One kind of request. */
export interface Kind {
  readonly name: "computed" | "cached"
  /** Percentage of requests of this kind. */
  readonly percent: number
  /** Returns the path after this number of requests. */
  readonly path: (requestCount: number) => string
}

const lists = ["/accounts", "/transactions-history", "/batches", "/exits", "/tokens", "/slots"]
const cachedPaths = ["/tokens/0", "/config", "/tokens?limit=20"]

/**
 * Pages without repetition, 615,000 of them, so that each one is computed, and among them a few
 * cached ones.
 */
export const kinds: ReadonlyArray<Kind> = [
  {
    name: "computed",
    percent: 90,
    path: (i) =>
      `${lists[i % lists.length]!}?limit=${80 + i % 41}&fromItem=${i * 7 % 15_000}&order=${
        i % 2 === 0 ? "ASC" : "DESC"
      }`
  },
  { name: "cached", percent: 10, path: (i) => cachedPaths[i % cachedPaths.length]! }
]
