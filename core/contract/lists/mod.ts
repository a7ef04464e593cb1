/** The lists of the contract, and what their filters compare. */
export * from "./currency_list.ts"
export * from "./filter.ts"
export * from "./list.ts"
export * from "./pool_list.ts"
export * from "./row_filter.ts"
