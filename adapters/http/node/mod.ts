/** A Node server for the HTTP interface. */
export { sendLastAnswer } from "./last_answer.ts"
export { defaultServerLimits, type ServerLimits } from "./server_limits.ts"
export { serverLayer, type ServerOptions } from "./server.ts"
