import { Effect } from "effect"
import type { LiveNetwork, Simulation } from "./simulation.ts"

/** A simulation that runs in this thread or in another one. */
export interface SimulationRunner {
  readonly call: <Name extends keyof LiveNetwork>(
    name: Name,
    ...args: Parameters<LiveNetwork[Name]>
  ) => Effect.Effect<ReturnType<LiveNetwork[Name]>>
}

/** Returns the runner of a simulation in this thread; another runner is returned as it is. */
export const runnerOf = (simulation: Simulation | SimulationRunner): SimulationRunner =>
  "call" in simulation ? simulation : {
    call: <Name extends keyof LiveNetwork>(name: Name, ...args: Parameters<LiveNetwork[Name]>) =>
      Effect.sync(() =>
        (simulation.live[name] as (
          ...args: ReadonlyArray<unknown>
        ) => ReturnType<LiveNetwork[Name]>)(...args)
      )
  }
