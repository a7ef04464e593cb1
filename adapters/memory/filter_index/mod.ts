/** Tables of rows, indexed by every combination of filters. */
export * from "./facets.ts"
export * from "./filter_index.ts"
export * from "./table.ts"
