import type { Effect, Scope } from "effect"
import type { SimulationOptions, SimulationRunner } from "../simulator/mod.ts"
import { type CallThread, openCallThread } from "./call_thread.ts"

/** A simulated network in a thread. */
export type SimulationThread = SimulationRunner & Pick<CallThread<never>, "close">

/**
 * Starts a simulated network in a thread of its own, which ends with the scope: generating blocks
 * would delay the requests of this thread by up to some hundred milliseconds.
 */
export const openSimulationThread = (
  options: SimulationOptions
): Effect.Effect<SimulationThread, never, Scope.Scope> =>
  openCallThread("_simulation_worker", options) as Effect.Effect<
    SimulationThread,
    never,
    Scope.Scope
  >
