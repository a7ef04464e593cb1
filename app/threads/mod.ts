/** Threads for work that would delay requests. */
export { openSimulationThread } from "./simulation_thread.ts"
export { verifyStateRootsInThread } from "./state_root_thread.ts"
