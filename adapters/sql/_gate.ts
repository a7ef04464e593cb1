import { Effect, Exit } from "effect"
import type { SqlError } from "effect/sql"
import { waitFailure } from "./_failure.ts"

export interface GateOptions {
  /** Statements or transactions that are let in at once. */
  readonly places: number
  /** How long another one waits for a place. */
  readonly waitMs: number
  /** What is full, for the message. */
  readonly connections: number
}

export interface GateStats {
  /** Statements and transactions that are behind the gate. */
  readonly inside: number
  readonly waiting: number
  /** Those that had to wait, in all. */
  readonly waited: number
  /** Those that waited for too long, in all. */
  readonly timedOut: number
}

interface Waiter {
  wake: () => void
  woken: boolean
}

/**
 * Bounds the wait for a connection: the driver's pool lets everybody wait for as long as it takes. Behind the gate the pool has a
 * connection, or opens one.
 */
export const makeGate = ({ connections, places, waitMs }: GateOptions) => {
  let free = places
  const line: Array<Waiter> = []
  let [waited, timedOut] = [0, 0]
  const take = (): boolean => free > 0 && free-- > 0
  const wakeNext = (): void => {
    const next = line.shift()
    if (next === undefined) return
    next.woken = true
    next.wake()
  }
  const leave = Effect.sync(() => {
    free++
    wakeNext()
  })
  const full = waitFailure(
    `${connections === 1 ? "The connection was" : `All ${connections} connections were`} in use for ${waitMs} ms, expected a free one: try again, or allow more connections`
  )

  /** Woken, or not in time. */
  const waitUntil = (deadlineMs: number): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const waiter: Waiter = { wake: () => {}, woken: false }
      return Effect.onExit(
        Effect.callback<boolean>((resume) => {
          const timer = setTimeout(() => resume(Effect.succeed(false)), Math.max(0, deadlineMs - Date.now()))
          waiter.wake = () => {
            clearTimeout(timer)
            resume(Effect.succeed(true))
          }
          line.push(waiter)
          return Effect.sync(() => clearTimeout(timer))
        }),
        (exit) => Effect.sync(() => {
          if (Exit.isSuccess(exit) && exit.value) return
          const place = line.indexOf(waiter)
          if (place >= 0) line.splice(place, 1)
          // the wake of one who does not come belongs to the next
          else if (waiter.woken) wakeNext()
        })
      )
    })
  // a wake reserves nothing: a place is taken by the fiber itself, in one step, so that none is ever lost to an interruption
  const enter = (restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>): Effect.Effect<void, SqlError.SqlError> =>
    Effect.suspend(() => {
      if (take()) return Effect.void
      const deadlineMs = Date.now() + waitMs
      waited++
      const attempt: Effect.Effect<void, SqlError.SqlError> = Effect.flatMap(restore(waitUntil(deadlineMs)), (woken) => {
        if (take()) return Effect.void
        if (woken) return attempt
        timedOut++
        return Effect.fail(full)
      })
      return attempt
    })
  return {
    stats: (): GateStats => ({ inside: places - free, waiting: line.length, waited, timedOut }),
    /** A place while the effect runs. */
    during: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
      Effect.uninterruptibleMask((restore) => Effect.flatMap(enter(restore), () => Effect.ensuring(restore(effect), leave))),
    /** A place until the scope closes. */
    scoped: Effect.uninterruptibleMask((restore) => Effect.acquireRelease(enter(restore), () => leave))
  }
}
