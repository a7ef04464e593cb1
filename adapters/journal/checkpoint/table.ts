import type { DatabaseSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import type { Manifest } from "./manifest.ts"
import type { JournalDirectory } from "./parts.ts"

/* The table of the checkpoint in the database of a journal. */

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
