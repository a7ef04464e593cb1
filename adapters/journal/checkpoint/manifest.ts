import type { LedgerImage, PoolImage } from "../../memory/mod.ts"
import type { DatabaseSync } from "node:sqlite"
import { crc32 } from "node:zlib"

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

/** The directory of an open journal. */
export interface JournalDirectory {
  readonly path: string
  /** Returns the error for a damage, which completes "is damaged: ". */
  readonly damagedError: (damage: string) => Error
  /** Throws if the directory was moved, removed or replaced. */
  readonly assertInPlace: () => void
}

/** Returns the installed checkpoint, or undefined. Throws a `damagedError` if it was changed. */
export const readManifest = (
  database: DatabaseSync,
  { damagedError }: JournalDirectory
): Manifest | undefined => {
  const row = database.prepare("SELECT manifest, checksum FROM checkpoint").get() as
    | { readonly manifest: string; readonly checksum: number }
    | undefined
  if (row === undefined) return undefined
  if (crc32(row.manifest) !== row.checksum) throw damagedError("its checkpoint was changed")
  return JSON.parse(row.manifest) as Manifest
}

/** Replaces the checkpoint. */
export const writeManifest = (
  database: DatabaseSync,
  { assertInPlace }: JournalDirectory,
  manifest: Manifest
): void => {
  const text = JSON.stringify(manifest)
  assertInPlace()
  database.prepare("INSERT OR REPLACE INTO checkpoint VALUES (1, ?, ?)").run(text, crc32(text))
}

/** Deletes the records up to `seq`. Yields after each transaction of some milliseconds. */
export function* deleteRecords(
  database: DatabaseSync,
  { assertInPlace }: JournalDirectory,
  seq: number
): Generator<void, void> {
  const first = database.prepare("SELECT min(seq) AS seq FROM record").get()?.seq
  const remove = database.prepare("DELETE FROM record WHERE seq = ?")
  for (let next = Number(first ?? seq + 1); next <= seq;) {
    assertInPlace()
    database.exec("BEGIN IMMEDIATE")
    try {
      const endMs = performance.now() + sliceMs
      for (; next <= seq && performance.now() < endMs; next++) remove.run(next)
      database.exec("COMMIT")
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK")
      throw error
    }
    yield
  }
}

/** Short enough that requests do not wait noticeably. */
const sliceMs = 3
