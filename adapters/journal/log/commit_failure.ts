import type { DatabaseSync } from "node:sqlite"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { isSqliteError } from "./database.ts"

/**
 * Returns the failure for an error of a commit. It is temporary if the system refused a write:
 * SQLite reports a full disk as FULL, and an exceeded quota or size limit of a file as IOERR_WRITE.
 * After any other error, such as a failed sync, the content of the disk is unknown. Returns a
 * failure as it is.
 */
export const commitFailure = (error: unknown, directory: string): StoreFailure => {
  if (error instanceof StoreFailure) return error
  const reason = error instanceof Error ? error.message : String(error)
  const isRefused = isSqliteError(error) &&
    ((error.errcode & 0xff) === sqliteFull || error.errcode === sqliteWriteRefused)
  const [problem, effect] = isRefused
    ? ["cannot be written", "reads continue, and writes are refused until the disk has room"]
    : [
      "has failed",
      "nothing is answered any more, since the content of the disk is unknown; check the disk and start again"
    ]
  return new StoreFailure({
    retry: isRefused,
    ...isRefused ? { reason: "disk" } : {},
    cause: error,
    message: `The journal in "${directory}" ${problem} (${reason}): ${effect}`
  })
}

/**
 * Returns the final failure for a directory that was moved, removed or replaced. `difference` is a
 * clause that names the path.
 */
export const movedFailure = (directory: string, difference: string): StoreFailure =>
  new StoreFailure({
    retry: false,
    message:
      `Directory "${directory}" was moved, removed or replaced while it was open (${difference}): nothing is answered any more, and nothing was created in its place; put it back, or start with its new path`
  })

const sqliteFull = 13
const sqliteWriteRefused = 778

/** Bytes that must be free before writes resume. */
const reservedBytes = 256 * 1024

/** Returns whether the disk has room: writes some bytes to a table and deletes them. */
export function hasRoom(database: DatabaseSync): boolean {
  try {
    database.exec(
      `BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS room (bytes BLOB) STRICT; INSERT INTO room VALUES (zeroblob(${reservedBytes})); COMMIT; DELETE FROM room`
    )
    return true
  } catch {
    if (database.isTransaction) database.exec("ROLLBACK")
    return false
  }
}
