import type { Effect, Scope } from "effect"
import type { SimulationCalls, SimulationOptions, SimulationRunner } from "../simulator/mod.ts"
import { openCallThread } from "./call_thread.ts"

/**
 * Starts a simulated network in a thread of its own, which ends with the scope: generating blocks
 * would delay the requests of this thread by up to some hundred milliseconds.
 */
export const openSimulationThread = (
  options: SimulationOptions
): Effect.Effect<SimulationRunner, never, Scope.Scope> =>
  openCallThread<SimulationCalls>("_simulation_worker", options)
