/** Operation of a node: admin listener, request log, and export to OpenTelemetry. Needs Node. */
export { type AdminLimits, defaultAdminLimits } from "./limit.ts"
export {
  type Admin,
  AdminError,
  type AdminOptions,
  type AdminPorts,
  openAdmin
} from "./listener.ts"
export type { Readiness } from "./_readiness.ts"
export { adminOpenApi, type AdminOperation } from "./open_api.ts"
export { openOtlp, type OpenOtlp, type OtlpOptions } from "./otlp.ts"
export { openRequestLog, type RequestLogOptions, type LogTarget } from "./request_log.ts"
export { measureProcess } from "./process_metrics.ts"
