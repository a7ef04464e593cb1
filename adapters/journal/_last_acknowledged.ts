import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"

/*
 * The last record that was on disk, in a file beside the database. It is written behind each commit and never waited for: it may lag
 * after a loss of power, and is never ahead. Where the database ends earlier, its log has lost what was acknowledged.
 */

const noteFile = (directory: string): string => join(directory, "acknowledged")
const WIDTH = 16

/** 0 where nothing tells. */
export function lastAcknowledged(directory: string): number {
  try {
    return Number.parseInt(readFileSync(noteFile(directory), "latin1"), 10) || 0
  } catch {
    return 0
  }
}

export interface AcknowledgedNote {
  readonly write: (seq: number) => void
  readonly close: () => void
}

export function openNote(directory: string): AcknowledgedNote {
  // kept as it is until the first commit
  const descriptor = openSync(noteFile(directory), "a+")
  closeSync(descriptor)
  const writable = openSync(noteFile(directory), "r+")
  return {
    write: (seq) => void writeSync(writable, `${String(seq).padStart(WIDTH)}\n`, 0, "latin1"),
    close: () => closeSync(writable)
  }
}
