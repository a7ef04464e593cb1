/** The process of a command: its signals, exit codes and heap. */
export * from "./exit_codes.ts"
export * from "./heap_watch.ts"
export * from "./running.ts"
