import { Effect } from "effect"
import type { FeedRecord } from "../../core/domain/mod.ts"
import type { LedgerContent } from "./_resumed_world.ts"
import type { UserSubmissions } from "./_live_traffic.ts"
import type { Arrival } from "./arrival.ts"
import type { LiveNetwork, Simulation } from "./simulation.ts"

/**
 * What `drive` and `resume` ask of a simulation. Arguments and results are plain data, so that the
 * simulation can run in another thread.
 */
export const simulationCalls = {
  /** Returns the next record of the history; undefined if it is complete. */
  nextOfHistory: (simulation: Simulation, arrival: Arrival): FeedRecord | undefined =>
    simulation.transactionCount() < arrival.transactions ? simulation.next(arrival) : undefined,
  transactionCount: (simulation: Simulation) => simulation.transactionCount(),
  resumeFrom: (simulation: Simulation, content: LedgerContent, fork: number) =>
    simulation.resumeFrom(content, fork),
  nextSubmissions: ({ live }: Simulation) => live.nextSubmissions(),
  rememberAccepted: ({ live }: Simulation, accepted: UserSubmissions["entries"]) =>
    live.rememberAccepted(accepted),
  nextBatch: ({ live }: Simulation) => live.nextBatch(),
  setNextBatch: ({ live }: Simulation, selection: Parameters<LiveNetwork["setNextBatch"]>[0]) =>
    live.setNextBatch(selection),
  failsToForge: ({ live }: Simulation) => live.failsToForge(),
  advance: ({ live }: Simulation, options: Parameters<LiveNetwork["advance"]>[0]) =>
    live.advance(options)
} as const

/** The name of a call. */
export type SimulationCall = keyof typeof simulationCalls

/** The arguments of a call, after the simulation. */
export type CallArguments<Call extends SimulationCall> =
  Parameters<(typeof simulationCalls)[Call]> extends
    readonly [Simulation, ...infer Arguments extends ReadonlyArray<unknown>] ? Arguments : never

/** A simulation that runs in this thread or in another one. */
export interface SimulationRunner {
  readonly call: <Call extends SimulationCall>(
    name: Call,
    ...args: CallArguments<Call>
  ) => Effect.Effect<ReturnType<(typeof simulationCalls)[Call]>>
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
  args: CallArguments<Call>
): ReturnType<(typeof simulationCalls)[Call]> =>
  (simulationCalls[name] as (
    simulation: Simulation,
    ...args: ReadonlyArray<unknown>
  ) => ReturnType<(typeof simulationCalls)[Call]>)(simulation, ...args)
