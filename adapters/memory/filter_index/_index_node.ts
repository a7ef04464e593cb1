import type { IndexKeys, KeyValue } from "./index_keys.ts"

/** The rows that share the values on the path from the root. */
export class IndexNode {
  /** Ascending positions of the rows. */
  readonly positions: Array<number>
  /**
   * The same rows by each further index key; null until the node has more than `splitThreshold` rows.
   */
  branches: Branches | null = null
  constructor(positions: Array<number>) {
    this.positions = positions
  }
}

/** The lists of each index key by its number; null if no query combines it with the path. */
export type Branches = Array<Map<KeyValue, IndexNode> | null>

/** Returns empty branches for the index keys of a mask. */
export const newBranches = <Row>({ indexKeys }: IndexKeys<Row>, mask: number): Branches =>
  indexKeys.map((_, number) => (mask & 1 << number) === 0 ? null : new Map())
