import { existsSync, readFileSync } from "node:fs"

/*
 * After a crash SQLite takes of its log what is whole and drops the rest, since a commit that was being written may be torn. It cannot
 * tell that from damage in the middle, and would drop acknowledged commits without a word. A commit begins when the one before it is on
 * disk, so where something follows a commit, the commit was there; what is torn is the end of the log and no more.
 * The layout is that of https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** What SQLite would lose of a log beyond a torn end, in words; undefined where it loses nothing that was on disk. */
export function damageOfLog(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  const log = readFileSync(file)
  if (log.length < HEADER_BYTES) return undefined
  const view = new DataView(log.buffer, log.byteOffset, log.length)
  const littleEndian = (view.getUint32(0) & 1) === 0
  const frameBytes = FRAME_HEADER_BYTES + view.getUint32(8)
  let sum = add([0, 0], view, 0, 24, littleEndian)
  if (!isSum(sum, view, 24)) {
    return log.length >= HEADER_BYTES + frameBytes
      ? `the header of its log "${file}" is broken`
      : undefined
  }

  let broken = false
  let commits = 0
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    // frames of an older log are left over behind the end
    const current = view.getUint32(at + 8) === view.getUint32(16) &&
      view.getUint32(at + 12) === view.getUint32(20)
    if (!broken) {
      sum = add(
        add(sum, view, at, 8, littleEndian),
        view,
        at + FRAME_HEADER_BYTES,
        frameBytes - FRAME_HEADER_BYTES,
        littleEndian
      )
      broken = !current || !isSum(sum, view, at + 16)
    }
    if (!broken || !current) continue
    if (commits > 0) return `its log "${file}" is broken in the middle`
    // the last frame of a commit tells the size of the database
    if (view.getUint32(at + 4) !== 0) commits++
  }
  return undefined
}

type Sum = readonly [number, number]

const isSum = ([first, second]: Sum, view: DataView, at: number): boolean =>
  first === view.getUint32(at) && second === view.getUint32(at + 4)

function add(
  [first, second]: Sum,
  view: DataView,
  from: number,
  bytes: number,
  littleEndian: boolean
): Sum {
  for (let at = from; at < from + bytes; at += 8) {
    first = (first + view.getUint32(at, littleEndian) + second) >>> 0
    second = (second + view.getUint32(at + 4, littleEndian) + first) >>> 0
  }
  return [first, second]
}
