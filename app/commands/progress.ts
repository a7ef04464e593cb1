import { Effect } from "effect"

/** Options of `makeProgress`. */
export interface ProgressOptions {
  /** Unit of the count, in the plural. */
  readonly unit: string
  /** Minimum interval between log lines; 2000 by default. */
  readonly everyMs?: number
  /** The terminal, if it is one; `process.stderr` by default. */
  readonly to?: Pick<NodeJS.WriteStream, "columns" | "isTTY" | "write">
}

/** The state of a long operation. */
export interface ProgressUpdate {
  readonly units: number
  /** Share of the whole, from 0 to 1; undefined if unknown. */
  readonly share: number | undefined
  /** Current position, such as a block number. */
  readonly at?: string
}

/** Update interval on a terminal. */
const liveMs = 200
const barWidth = 24

/**
 * Reports the progress of a long operation with its rate and remaining time: on a terminal as a
 * line with a bar that is updated, otherwise as log lines.
 */
export const makeProgress = (
  { everyMs: everyLogMs = 2000, to = process.stderr, unit }: ProgressOptions
) =>
  Effect.map(Effect.context<never>(), (context) => {
    const log = Effect.runSyncWith(context)
    const isLive = to.isTTY && process.env.TERM !== "dumb"
    const everyMs = isLive ? liveMs : everyLogMs
    const started = performance.now()
    let [next, unitsBefore] = [started + everyMs, 0]
    const reportNow = ({ at, share, units }: ProgressUpdate): void => {
      const now = performance.now()
      if (now < next) return
      const perSecond = (units - unitsBefore) / (now - next + everyMs) * 1000
      next = now + everyMs
      unitsBefore = units
      const remaining = share === undefined || share === 0
        ? ""
        : `, ${Math.floor(share * 100)} %, ${duration((now - started) * (1 - share) / share)} to go`
      const line = `${units} ${unit}, ${Math.round(perSecond)} a second${
        at === undefined ? "" : `, ${at}`
      }${remaining}`
      // the carriage return lets the next output overwrite the line
      if (isLive) to.write(`\x1b[2K${fitted(`${barOf(share)}${line}`, to.columns)}\r`)
      else log(Effect.log(line))
    }
    return {
      /** Reports, if the interval has passed. */
      reportNow,
      report: (update: ProgressUpdate): Effect.Effect<void> => Effect.sync(() => reportNow(update)),
      /** Clears the line and returns the elapsed time. */
      end: (): string => {
        if (isLive) to.write("\x1b[2K")
        return duration(performance.now() - started)
      }
    }
  })

const barOf = (share: number | undefined): string => {
  if (share === undefined) return ""
  const filled = Math.floor(Math.min(1, share) * barWidth)
  return `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] `
}

/** Truncates a line to the width of the terminal, since only one line can be overwritten. */
const fitted = (line: string, columns: number): string => line.slice(0, Math.max(1, columns - 1))

const duration = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
