import { existsSync, readFileSync } from "node:fs"

/*
 * After a crash SQLite reads its write-ahead log up to the first invalid frame, because a commit
 * may be torn. It handles damage in the middle of the log in the same way, and silently drops the
 * acknowledged commits behind it. A commit starts only when the commit before it is on disk. So if
 * frames follow a complete commit, that commit must be valid; only the end of the log may be torn.
 * Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */

const headerBytes = 32
const frameHeaderBytes = 24

/**
 * Returns a description of damage that would make SQLite drop complete commits; undefined if there
 * is none.
 */
export function findLogDamage(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  const log = readFileSync(file)
  if (log.length < headerBytes) return undefined
  const view = new DataView(log.buffer, log.byteOffset, log.length)
  const littleEndian = (view.getUint32(0) & 1) === 0
  const frameBytes = frameHeaderBytes + view.getUint32(8)
  let checksum = extend([0, 0], view, 0, 24, littleEndian)
  if (!isAt(checksum, view, 24)) {
    return log.length >= headerBytes + frameBytes
      ? `the header of its log "${file}" is broken`
      : undefined
  }

  let isBroken = false
  let commits = 0
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    // frames with another salt are left over from an earlier log
    const isCurrent = view.getUint32(at + 8) === view.getUint32(16) &&
      view.getUint32(at + 12) === view.getUint32(20)
    if (!isBroken) {
      checksum = extend(
        extend(checksum, view, at, 8, littleEndian),
        view,
        at + frameHeaderBytes,
        frameBytes - frameHeaderBytes,
        littleEndian
      )
      isBroken = !isCurrent || !isAt(checksum, view, at + 16)
    }
    if (!isBroken || !isCurrent) continue
    if (commits > 0) return `its log "${file}" is broken in the middle`
    // only the last frame of a commit has a database size
    if (view.getUint32(at + 4) !== 0) commits++
  }
  return undefined
}

type Checksum = readonly [number, number]

/** Returns whether the log contains this checksum at an offset. */
const isAt = ([first, second]: Checksum, view: DataView, at: number): boolean =>
  first === view.getUint32(at) && second === view.getUint32(at + 4)

/** Extends a checksum by bytes of the log. */
function extend(
  [first, second]: Checksum,
  view: DataView,
  from: number,
  bytes: number,
  littleEndian: boolean
): Checksum {
  for (let at = from; at < from + bytes; at += 8) {
    first = (first + view.getUint32(at, littleEndian) + second) >>> 0
    second = (second + view.getUint32(at + 4, littleEndian) + first) >>> 0
  }
  return [first, second]
}
