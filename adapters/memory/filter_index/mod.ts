/** Tables of rows, indexed by every combination of filters. */
export * from "./index_keys.ts"
export * from "./filter_index.ts"
export * from "./table.ts"
