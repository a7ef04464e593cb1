/** Reads requests: query strings, paths, and the queries of hosts without HTTP. */
export { pageParameters, checkItemKey, checkListQuery } from "./typed_query.ts"
export { pathReader } from "./path.ts"
export { listItemsMaxDefault, noQuery, parameterValue, queryReader } from "./query.ts"
export { decodeAll, findViolations, ruleOf, type Violation } from "./violations.ts"
