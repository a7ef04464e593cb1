/** Threads for work that would delay requests. */
export * from "./simulation_thread.ts"
export * from "./state_root_thread.ts"
