import { Effect } from "effect"
import { gauge, type Health } from "../../core/ports/mod.ts"
import type { OpenMonitor } from "../metrics/mod.ts"

/** The phase of the process: before, while and after a node is attached. */
export type Phase = "starting" | "serving" | "stopping"

/** Whether a process accepts requests, and the state of each check. */
export interface Readiness {
  /** `ok` and `degraded` accept requests. */
  readonly state: Health["state"] | "starting" | "stopping"
  readonly checks: { readonly [name: string]: Health }
}

/** Returns whether the process accepts requests. */
export const readinessOf = (monitor: OpenMonitor, phase: Phase): Effect.Effect<Readiness> =>
  Effect.map(monitor.health, (checks) => {
    const states = Object.values(checks).map(({ state }) => state)
    const state = (["failing", "degraded"] as const).find((state) => states.includes(state)) ?? "ok"
    return { state: phase === "serving" ? state : phase, checks }
  })

/** Registers the state of each health check as a metric. */
export const measureHealth = (monitor: OpenMonitor) =>
  monitor.collect(
    "rollup_health",
    Effect.map(monitor.health, (checks) =>
      Object.entries(checks).map(([check, { state }]) =>
        gauge(
          "rollup_health",
          "State of each health check: 1 ok, 0.5 degraded, 0 failing",
          () => values[state],
          { check }
        )
      ))
  )

const values = { ok: 1, degraded: 0.5, failing: 0 }
