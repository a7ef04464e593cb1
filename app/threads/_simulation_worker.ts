import { parentPort, workerData } from "node:worker_threads"
import { runCall, simulate, type SimulationCall, type SimulationOptions } from "../simulator/mod.ts"
import type { CallMessage } from "./call_thread.ts"

/* The entry point of the thread of a simulated network. */

const simulation = simulate(workerData as SimulationOptions)

parentPort?.on("message", ({ args, name }: CallMessage) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(runCall(simulation, name as SimulationCall, args as never))
})
