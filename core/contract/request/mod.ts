/** Reads requests: query strings, paths, and the queries of hosts without HTTP. */
export * from "./list_parameters.ts"
export * from "./host_query.ts"
export * from "./path.ts"
export * from "./query.ts"
export * from "./violations.ts"
