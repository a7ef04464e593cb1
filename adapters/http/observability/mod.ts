/** Request logs, traces, Server-Timing and metrics. */
export * from "./instrument.ts"
export * from "./telemetry.ts"
