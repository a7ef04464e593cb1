/** Reads requests: query strings, paths, and the queries of hosts without HTTP. */
export * from "./typed_query.ts"
export * from "./path.ts"
export * from "./query.ts"
export * from "./violations.ts"
