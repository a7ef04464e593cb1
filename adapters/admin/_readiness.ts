import { Effect } from "effect"
import type { OpenMonitor } from "../metrics/mod.ts"
import { json, type Reply } from "./_reply.ts"

/** How far the life of the process is. */
export type Phase = "starting" | "serving" | "stopping"

/** Whether the process should be sent requests: 200 or 503, with the state of each check. */
export const readiness = (monitor: OpenMonitor, phase: Phase): Effect.Effect<Reply> =>
  Effect.map(monitor.health, (checks) => {
    const states = Object.values(checks).map(({ state }) => state)
    const isFailing = states.includes("failing")
    const state = phase !== "serving" ? phase : isFailing ? "failing" : states.includes("degraded") ? "degraded" : "ok"
    return json(phase === "serving" && !isFailing ? 200 : 503, { state, checks }, { "cache-control": "no-store" })
  })

/** 1 for each check that is well, 0.5 for one that is degraded, 0 for one that fails. */
export const readinessFigures = (monitor: OpenMonitor) =>
  Effect.map(monitor.health, (checks) => Object.entries(checks).map(([check, { state }]) =>
    ({ labels: { check }, value: state === "ok" ? 1 : state === "degraded" ? 0.5 : 0 })))
