import { Effect } from "effect"
import type { FeedRecord } from "../../core/domain/mod.ts"
import type { Arrival } from "./arrival.ts"
import type { Simulation } from "./simulation.ts"

/**
 * Returns what `drive` and `resume` ask of a simulation. Arguments and results are plain data, so
 * that the simulation can run in another thread.
 */
const callsOf = (simulation: Simulation) => ({
  ...simulation.live,
  /** Returns the next record of the history; undefined if it is complete. */
  nextOfHistory: (arrival: Arrival): FeedRecord | undefined =>
    simulation.transactionCount() < arrival.transactions ? simulation.next(arrival) : undefined,
  transactionCount: simulation.transactionCount,
  resumeFrom: simulation.resumeFrom
})

/** The calls of a simulation, by name. */
export type SimulationCalls = ReturnType<typeof callsOf>

/** The name of a call. */
export type SimulationCall = keyof SimulationCalls

/** A simulation that runs in this thread or in another one. */
export interface SimulationRunner {
  readonly call: <Call extends SimulationCall>(
    name: Call,
    ...args: Parameters<SimulationCalls[Call]>
  ) => Effect.Effect<ReturnType<SimulationCalls[Call]>>
}

/** Returns the runner of a simulation in this thread; another runner is returned as it is. */
export const runnerOf = (simulation: Simulation | SimulationRunner): SimulationRunner =>
  "call" in simulation
    ? simulation
    : { call: (name, ...args) => Effect.sync(() => runCall(simulation, name, args)) }

/**
 * Runs a call of a simulation in this thread, and returns its result.
 *
 * @example
 * ```ts
 * import { runCall, simulate } from "rollup-node-api/simulator"
 *
 * console.log(runCall(simulate({ seed: 1 }), "transactionCount", [])) // => 0
 * ```
 */
export const runCall = <Call extends SimulationCall>(
  simulation: Simulation,
  name: Call,
  args: Parameters<SimulationCalls[Call]>
): ReturnType<SimulationCalls[Call]> =>
  (callsOf(simulation)[name] as (
    ...args: ReadonlyArray<unknown>
  ) => ReturnType<SimulationCalls[Call]>)(...args)
