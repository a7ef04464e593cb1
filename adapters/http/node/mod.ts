/** A Node server for the HTTP interface. */
export { nodeCompression } from "./compression.ts"
export { type NodeHandler, toNodeHandler } from "./node_handler.ts"
export { defaultServerLimits, type ServerLimits } from "./server_limits.ts"
export { serverLayer, type ServerOptions } from "./server.ts"
