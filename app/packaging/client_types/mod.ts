export { clientTypes, writeClientTypes } from "./client_types.ts"
