/** Threads for work that would delay requests. */
export { openCallThread } from "./call_thread.ts"
export * from "./state_root_thread.ts"
