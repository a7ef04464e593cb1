import { Effect } from "effect"

export interface ProgressOptions {
  /** What is counted, in the plural. */
  readonly unit: string
  /** How often a line of the log tells it at most; every 2 s by default. */
  readonly everyMs?: number
}

/** How far something is: units done, and the share of the whole where that is known. */
export interface Done {
  readonly units: number
  /** From 0 to 1. */
  readonly share: number | undefined
  /** Whatever else tells where it is. */
  readonly at?: string
}

/** How often a terminal is told. */
const liveMs = 200

/**
 * Tells the progress of long work, with its rate and what is left: to whoever sits in front of it in a line that moves, to all others in
 * lines of the log.
 */
export const makeProgress = ({ everyMs: everyLogMs = 2000, unit }: ProgressOptions) =>
  Effect.map(Effect.context<never>(), (context) => {
    const log = Effect.runSyncWith(context)
    const isLive = process.stderr.isTTY === true
    const everyMs = isLive ? liveMs : everyLogMs
    const started = performance.now()
    let [next, unitsBefore] = [started + everyMs, 0]
    const reportNow = ({ at, share, units }: Done): void => {
      const now = performance.now()
      if (now < next) return
      const perSecond = (units - unitsBefore) / (now - next + everyMs) * 1000
      next = now + everyMs
      unitsBefore = units
      const left = share === undefined || share === 0
        ? ""
        : `, ${Math.floor(share * 100)} %, ${duration((now - started) * (1 - share) / share)} to go`
      const line = `${units} ${unit}, ${Math.round(perSecond)} a second${
        at === undefined ? "" : `, ${at}`
      }${left}`
      // what is written next begins at its start, and takes its place
      if (isLive) process.stderr.write(`\x1b[2K${line}\r`)
      else log(Effect.log(line))
    }
    return {
      /** Says so where it is time to. */
      reportNow,
      report: (done: Done): Effect.Effect<void> => Effect.sync(() => reportNow(done)),
      /** Nothing moves any more; how long it took. */
      end: (): string => {
        if (isLive) process.stderr.write("\x1b[2K")
        return duration(performance.now() - started)
      }
    }
  })

const duration = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
