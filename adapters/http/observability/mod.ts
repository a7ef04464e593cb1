/** Request logs, traces, Server-Timing and metrics. */
export {
  instrument,
  type RequestContext,
  telemetryHeaderNames,
  measureRequests,
  RequestCounts
} from "./instrument.ts"
export type { TelemetryOptions, RequestRecord } from "./telemetry.ts"
