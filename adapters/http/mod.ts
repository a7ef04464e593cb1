/** The HTTP interface without a server: nothing here needs Node. `node/mod.ts` has the server. */
export { Application, type ApplicationOptions } from "./application.ts"
export {
  type CompressionOptions,
  type ContentCoding,
  defaultCompression,
  gzipCoding
} from "./compression/mod.ts"
export { defaultMounts, type Mount } from "./routes/mod.ts"
export {
  type FetchHandler,
  fetchHandler,
  type HandlerOptions,
  type RequestTarget,
  toFetchHandler
} from "./fetch.ts"
export {
  defaultLimits,
  type HttpAnswer,
  type HttpLimits,
  type HttpRequest,
  type LimitName,
  type Problem,
  type ProblemName,
  problems,
  problemSchema,
  problemType,
  utf8Text,
  type WholeAnswer,
  type WholeBody
} from "./message/mod.ts"
export type { TelemetryOptions, RequestRecord } from "./observability/mod.ts"
export { exactJson, openApi, type OpenApiDocument, type OpenApiOptions } from "./openapi/mod.ts"
