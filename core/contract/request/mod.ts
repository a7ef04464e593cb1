/** Reads requests: query strings, paths, and the queries of hosts without HTTP. */
export { pageParameters } from "./page_parameters.ts"
export { pathReader } from "./path.ts"
export { listItemsMaxDefault, noQuery, queryReader } from "./query.ts"
export { checkItemKey, checkListQuery } from "./typed_query.ts"
