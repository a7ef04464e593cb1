/** Request logs, traces, Server-Timing and metrics. */
export { instrument, type RequestContext, telemetryHeaderNames } from "./instrument.ts"
export { measureRequests, RequestCounts } from "./request_counts.ts"
export type { TelemetryOptions, RequestRecord } from "./telemetry_options.ts"
