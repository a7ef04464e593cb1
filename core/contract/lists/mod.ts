/** The lists of the contract, and what their filters compare. */
export { currencyList, type CurrencyQuery } from "./currency_list.ts"
export type { ComparedValue, Filter, ListDeclaration, Match } from "./filter.ts"
export * from "./list.ts"
export { poolList, type PoolListFilters, type PoolListQuery } from "./pool_list.ts"
export { rowFilter } from "./row_filter.ts"
