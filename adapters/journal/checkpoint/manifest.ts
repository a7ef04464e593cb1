import type { LedgerImage, PoolImage } from "../../memory/mod.ts"

/** A stored part of a checkpoint: its id, and the checksum and number of its bytes. */
export type PartReference = readonly [id: number, checksum: number, bytes: number]

/** The parts of one list: each has the rows of one chunk, the first one from row `first` on. */
export interface StoredList {
  readonly first: number
  readonly parts: ReadonlyArray<PartReference>
}

/** The lists of a store, by name. */
export interface StoredLists {
  readonly [name: string]: StoredList
}

/** The contents of a checkpoint. The only writer is `CheckpointWriter`. */
export interface Manifest {
  /** The last record that the checkpoint includes, and its checksum. */
  readonly seq: number
  readonly checksum: number
  readonly ledger: Omit<LedgerImage, "lists"> & { readonly lists: StoredLists }
  readonly pool: Omit<PoolImage, "lists"> & { readonly lists: StoredLists }
  /** Compressed lines of the feed, in order. */
  readonly feed: ReadonlyArray<PartReference>
}

/** Lists with one row group in each part. The other lists have rows, and their parts are compressed. */
export const isGrouped = (list: string): boolean => list.endsWith("RowGroups")

/** Rows of one part: encoding them takes a few milliseconds. */
const rowsPerPart = 512

/** Returns the number of elements in each part of a list. */
export const chunkLength = (list: string): number => isGrouped(list) ? 1 : rowsPerPart

/** Returns the references to all parts of a checkpoint; none if there is no checkpoint. */
export const partsOf = (manifest: Manifest | undefined): Array<PartReference> =>
  manifest === undefined ? [] : [
    ...Object.values(manifest.ledger.lists).flatMap(({ parts }) => parts),
    ...Object.values(manifest.pool.lists).flatMap(({ parts }) => parts),
    ...manifest.feed
  ]
