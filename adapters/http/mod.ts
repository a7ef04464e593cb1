/** The HTTP interface without a server: nothing here needs Node. The server is behind `node.ts`. */
export { Application, type ApplicationOptions } from "./application.ts"
export { defaultMounts, type Mount } from "./_mounts.ts"
export { type FetchHandler, fetchHandler } from "./fetch.ts"
export { defaultLimits, type HttpLimits, type LimitName } from "./limit.ts"
export { type AnswerStats, type HttpAnswer, type HttpRequest } from "./message.ts"
export type { Observing, RequestRecord } from "./observing.ts"
export { exactJson, openApi, type OpenApiDocument, type OpenApiOptions } from "./open_api.ts"
export { type Problem, type ProblemName, problems, problemSchema, problemType } from "./problem.ts"
