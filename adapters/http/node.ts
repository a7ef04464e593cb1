/** The HTTP interface on a Node server. */
export { serverLayer, type ServerOptions } from "./server.ts"
