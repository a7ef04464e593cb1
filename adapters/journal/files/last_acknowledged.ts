import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { directoryError } from "./journal_error.ts"

/*
 * The number of the last committed record, in a file beside the database. It is written after each
 * commit and not synced, so after a loss of power it may be too small, but never too great. If the
 * database ends before this record, its log has lost acknowledged records.
 */

const fileIn = (directory: string): string => join(directory, "acknowledged")
const widthCharacters = 16

/**
 * Returns the number of the last acknowledged record; 0 if the file is missing or has no number.
 * Throws a `JournalError` if it cannot be read.
 */
export function readLastAcknowledged(directory: string): number {
  try {
    return Number.parseInt(readFileSync(fileIn(directory), "latin1"), 10) || 0
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return 0
    throw directoryError(directory, (error as Error).message, error)
  }
}

/** The open file with the number of the last acknowledged record. */
export interface AcknowledgedFile {
  readonly write: (seq: number) => void
  readonly close: () => void
}

/** Opens the file, and creates an empty one if it is missing. */
export function openAcknowledgedFile(directory: string): AcknowledgedFile {
  // a+ creates the file without truncating it; r+ then writes at its start
  closeSync(openSync(fileIn(directory), "a+", 0o600))
  const descriptor = openSync(fileIn(directory), "r+")
  return {
    write: (seq) => {
      try {
        writeSync(descriptor, `${String(seq).padStart(widthCharacters)}\n`, 0, "latin1")
      } catch {
        // the record is committed: on a full disk the number stays too small
      }
    },
    close: () => closeSync(descriptor)
  }
}
