import { workerData } from "node:worker_threads"
import { simulate, type SimulationOptions } from "../simulator/mod.ts"
import { serveCalls } from "./call_thread.ts"

/* The entry point of the thread of a simulated network. */

serveCalls(simulate(workerData as SimulationOptions).live)
