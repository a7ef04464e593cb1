import { Effect } from "effect"

export interface ProgressOptions {
  /** What is counted, in the plural. */
  readonly unit: string
  /** How often it is told at most; every 2 s by default. */
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

/** Tells the progress of long work in lines of the log, with its rate and what is left. */
export const makeProgress = ({ everyMs = 2000, unit }: ProgressOptions) => {
  const started = performance.now()
  let [next, unitsBefore] = [started + everyMs, 0]
  return {
    /** Says so where it is time to. */
    tell: ({ at, share, units }: Done): Effect.Effect<void> => {
      const now = performance.now()
      if (now < next) return Effect.void
      const perSecond = (units - unitsBefore) / (now - next + everyMs) * 1000
      next = now + everyMs
      unitsBefore = units
      const left = share === undefined || share === 0 ? "" : `, ${Math.floor(share * 100)} %, ${duration((now - started) * (1 - share) / share)} to go`
      return Effect.log(`${units} ${unit}, ${Math.round(perSecond)} a second${at === undefined ? "" : `, ${at}`}${left}`)
    },
    elapsed: (): string => duration(performance.now() - started)
  }
}

const duration = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
